"""What the programs of ``seq2seq`` are made of: sizes, sentences, weights and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.protocol import Ref

DECODERS: dict[str, str] = {"bahdanau": "BahdanauDecoder", "luong": "LuongDecoder"}
KINDS = tuple(DECODERS)
Shapes = dict[str, tuple[int, ...]]


class Ids(NamedTuple):
    """The special words. They need not be 0, 1 and 2."""

    pad: int = 0
    bos: int = 1
    eos: int = 2


class Size(NamedTuple):
    """Sizes, distinct so that an axis can be told from its length, and the special words.

    ``lengths`` are the sources' lengths, in any order.
    """

    lengths: tuple[int, ...] = (4, 6, 1)
    source: int = 7
    target: int = 4
    src_words: int = 13
    words: int = 11
    src_emb: int = 3
    emb: int = 2
    hidden: int = 5
    attn: int = 8
    ids: Ids = Ids()

    @property
    def batch(self) -> int:
        """The number of sentences."""
        return len(self.lengths)

    @property
    def enc(self) -> int:
        """The width of the encoder's states."""
        return 2 * self.hidden

    @property
    def mask(self) -> np.ndarray:
        """Which source positions are real, (batch, source)."""
        return np.arange(self.source) < np.array(self.lengths)[:, None]

    # What the models return, with its shapes.

    @property
    def encoded(self) -> Shapes:
        """Of an Encoder."""
        return {"states": (self.batch, self.source, self.enc), "first": (self.batch, self.hidden)}

    def stepped(self, kind: str) -> Shapes:
        """Of a decoder's step."""
        state = (self.batch, self.hidden)
        fed = {} if kind == "bahdanau" else {"attentional": state}
        return {"logits": (self.batch, self.words), "state": state, **fed, "weights": (self.batch, self.source)}

    @property
    def forwarded(self) -> Shapes:
        """Of a Seq2Seq."""
        return {**self.fixed, "weights": (self.batch, self.target, self.source)}

    @property
    def fixed(self) -> Shapes:
        """Of a FixedContextSeq2Seq."""
        return {"logits": (self.batch, self.target, self.words)}


SIZE = Size()


# ---------------------------------------------------------------- sentences


def sentences(
    generator: InputGenerator, lengths: Sequence[int], width: int, words: int, plant: Sequence[int] = ()
) -> np.ndarray:
    """Return random words, padding included. The words of ``plant`` occur at real positions."""
    values = generator.integers(len(lengths), width, high=words)
    real = [(b, j) for b, length in enumerate(lengths) for j in range(length)]
    places = generator.generator.permutation(len(real))[: len(plant)]
    for place, word in zip(places, plant, strict=False):
        values[real[place]] = word
    return values


def sources(builder: ProgramBuilder, size: Size, prefix: str = "") -> tuple[Ref, Ref]:
    """Add ``src`` and ``src_lengths``. 0 and the special words occur in the sentences."""
    plant = (size.ids.pad, size.ids.eos, 0)
    values = sentences(builder.generator, size.lengths, size.source, size.src_words, plant)
    return builder.array(f"{prefix}src", values), builder.array(f"{prefix}src_lengths", np.array(size.lengths))


def target(builder: ProgramBuilder, name: str, size: Size) -> Ref:
    """Add target words, special ones among them."""
    full = [size.target] * size.batch
    plant = (size.ids.pad, size.ids.eos, 0, size.ids.bos)
    return builder.array(name, sentences(builder.generator, full, size.target, size.words, plant))


# ---------------------------------------------------------------- models

Weights = dict[str, np.ndarray]


class Speech(TypedDict, total=False):
    """What a decoder's weights make it say.

    ``scale`` makes words differ more. With ``eos``, that word becomes likelier in the course of a sentence, and with
    ``boost`` from the start. ``level`` is added to all logits.
    """

    eos: int
    boost: float
    scale: float
    level: float


def gru(generator: InputGenerator, inputs: int, hidden: int, direction: str = "") -> Weights:
    """Return weights of one direction of a GRU."""
    shapes: Shapes = {"weight_ih": (3 * hidden, inputs), "weight_hh": (3 * hidden, hidden)}
    shapes |= {"bias_ih": (3 * hidden,), "bias_hh": (3 * hidden,)}
    return {f"rnn.{name}_l0{direction}": generator.normal(*shape, scale=0.8) for name, shape in shapes.items()}


def encoder_weights(generator: InputGenerator, size: Size) -> Weights:
    """Return weights of an Encoder."""
    return {
        "embedding.weight": generator.normal(size.src_words, size.src_emb),
        **gru(generator, size.src_emb, size.hidden),
        **gru(generator, size.src_emb, size.hidden, "_reverse"),
        "bridge.weight": generator.normal(size.hidden, 2 * size.hidden, scale=0.7),
        "bridge.bias": generator.normal(size.hidden, scale=0.7),
    }


def decoder_weights(generator: InputGenerator, kind: str, size: Size, **speech: Unpack[Speech]) -> Weights:
    """Return weights of a decoder."""
    scale, level = speech.get("scale", 1.0), speech.get("level", 0.0)
    weights = {"embedding.weight": generator.normal(size.words, size.emb, scale=scale)}
    if kind == "bahdanau":
        weights |= {
            "W_s.weight": generator.normal(size.attn, size.hidden),
            "W_h.weight": generator.normal(size.attn, size.enc),
            "v.weight": generator.normal(1, size.attn, scale=1.5),
            **gru(generator, size.emb + size.enc, size.hidden),
            "out.weight": generator.normal(size.words, size.hidden + size.enc, scale=0.7 * scale),
        }
    else:
        weights |= {
            "W_a.weight": generator.normal(size.hidden, size.enc, scale=1.5),
            "W_c.weight": generator.normal(size.hidden, size.enc + size.hidden, scale=0.7),
            **gru(generator, size.emb + size.hidden, size.hidden),
            "out.weight": generator.normal(size.words, size.hidden, scale=scale),
        }
    weights["out.bias"] = generator.normal(size.words, scale=0.7) + level
    if "eos" in speech:
        set_clock(weights, size, speech["eos"], level + speech.get("boost", 0.0))
    return weights


def set_clock(weights: Weights, size: Size, eos: int, bias: float) -> None:
    """Make the state's first entry rise towards 1, from wherever it starts, and ``eos`` depend on it most.

    Without this, nearly all sentences would soon repeat a word for ever.
    """
    for gate, bias_ih in ((1, 1.0), (2, 3.0)):  # update and candidate. The order of rows is reset, update, candidate.
        row = gate * size.hidden
        for name in ("weight_ih", "weight_hh", "bias_hh"):
            weights[f"rnn.{name}_l0"][row] = 0
        weights["rnn.bias_ih_l0"][row] = bias_ih
    if "W_c.weight" in weights:
        weights["W_c.weight"][0] = 1.5 * (np.arange(size.enc + size.hidden) == size.enc)
    weights["out.weight"][:, 0] *= 0.3
    weights["out.weight"][eos, 0] = 8.0
    weights["out.bias"][eos] = bias


def encoder(builder: ProgramBuilder, size: Size, train: bool = False) -> Ref:
    """Build an Encoder with Gaussian weights, as ``encoder``."""
    sizes, weights = (size.src_words, size.src_emb, size.hidden), encoder_weights(builder.generator, size)
    return builder.make("encoder", "Encoder", *sizes, weights=weights, train=train)


def decoder(
    builder: ProgramBuilder,
    kind: str,
    size: Size,
    weights: Weights | None = None,
    train: bool = False,
    **speech: Unpack[Speech],
) -> Ref:
    """Build a decoder with Gaussian weights, or with these, as ``decoder``."""
    sizes = [size.words, size.emb, size.hidden, size.enc] + ([size.attn] if kind == "bahdanau" else [])
    given = decoder_weights(builder.generator, kind, size, **speech) if weights is None else weights
    return builder.make("decoder", DECODERS[kind], *sizes, weights=given, train=train)


def translator(
    builder: ProgramBuilder, kind: str, size: Size = SIZE, train: bool = False, **speech: Unpack[Speech]
) -> Ref:
    """Build a Seq2Seq, as ``model``, from ``encoder`` and ``decoder``."""
    parts = encoder(builder, size), decoder(builder, kind, size, **speech)
    return builder.make("model", "Seq2Seq", *parts, *size.ids, train=train)


def baseline(
    builder: ProgramBuilder, size: Size = SIZE, train: bool = False, into: str = "model", part: Ref | None = None
) -> Ref:
    """Build a FixedContextSeq2Seq with the encoder ``part``, or with one of its own."""
    weights = {
        "embedding.weight": builder.generator.normal(size.words, size.emb),
        **gru(builder.generator, size.emb + size.hidden, size.hidden),
        "out.weight": builder.generator.normal(size.words, 2 * size.hidden),
        "out.bias": builder.generator.normal(size.words, scale=0.7),
    }
    args: list[Any] = [part or encoder(builder, size), size.words, size.emb, size.hidden, *size.ids]
    return builder.make(into, "FixedContextSeq2Seq", *args, weights=weights, train=train)
