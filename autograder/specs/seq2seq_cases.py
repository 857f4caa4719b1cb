"""What the cases of ``seq2seq`` are written with: sizes, sentences, models, calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder.cases import Draw, Script
from autograder.model import Ref

DECODERS: dict[str, str] = {"bahdanau": "BahdanauDecoder", "luong": "LuongDecoder"}


class Ids(NamedTuple):
    """The special words, which need not be 0, 1 and 2."""

    pad: int = 0
    bos: int = 1
    eos: int = 2


class Size(NamedTuple):
    """Sizes, distinct so that an axis can be told from its length, and the special words. ``lengths`` are the
    sources', in any order."""

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
        """Which source positions are real."""
        return np.arange(self.source) < np.array(self.lengths)[:, None]


SIZE = Size()


# ---------------------------------------------------------------- sentences


def sentences(
    draw: Draw, lengths: Sequence[int], width: int, words: int, plant: Sequence[int] = ()
) -> np.ndarray:
    """Random words, the padding too; the words of ``plant`` stand at real positions, whatever they mean."""
    values = draw.integers(len(lengths), width, high=words)
    real = [(b, j) for b, length in enumerate(lengths) for j in range(length)]
    places = draw.generator.permutation(len(real))[: len(plant)]
    for place, word in zip(places, plant, strict=False):
        values[real[place]] = word
    return values


def sources(script: Script, size: Size, prefix: str = "") -> tuple[Ref, Ref]:
    """``src`` and ``src_lengths``; 0 and the special words occur in the sentences."""
    plant = (size.ids.pad, size.ids.eos, 0)
    values = sentences(script.draw, size.lengths, size.source, size.src_words, plant)
    return script.array(f"{prefix}src", values), script.array(f"{prefix}src_lengths", np.array(size.lengths))


def target(script: Script, name: str, size: Size) -> Ref:
    """Target words, special ones among them."""
    full = [size.target] * size.batch
    plant = (size.ids.pad, size.ids.eos, 0, size.ids.bos)
    return script.array(name, sentences(script.draw, full, size.target, size.words, plant))


# ---------------------------------------------------------------- models

Weights = dict[str, np.ndarray]


def gru(draw: Draw, inputs: int, hidden: int, direction: str = "", scale: float = 0.8) -> Weights:
    """Weights of one direction."""
    shapes = {"weight_ih": (3 * hidden, inputs), "weight_hh": (3 * hidden, hidden)}
    shapes |= {"bias_ih": (3 * hidden,), "bias_hh": (3 * hidden,)}  # type: ignore[dict-item]
    return {f"rnn.{name}_l0{direction}": draw.normal(*shape, scale=scale) for name, shape in shapes.items()}


def encoder_weights(draw: Draw, size: Size) -> Weights:
    """Weights of an Encoder."""
    return {
        "embedding.weight": draw.normal(size.src_words, size.src_emb),
        **gru(draw, size.src_emb, size.hidden),
        **gru(draw, size.src_emb, size.hidden, "_reverse"),
        "bridge.weight": draw.normal(size.hidden, 2 * size.hidden, scale=0.7),
        "bridge.bias": draw.normal(size.hidden, scale=0.7),
    }


def decoder_weights(
    draw: Draw,
    kind: str,
    size: Size,
    *,
    eos: int | None = None,
    boost: float = 0.0,
    scale: float = 1.0,
    level: float = 0.0,
) -> Weights:
    """Weights of a decoder. ``scale`` makes words differ more; with ``eos`` that word becomes likelier in the
    course of a sentence, and with ``boost`` at once; ``level`` is added to all logits."""
    found = {"embedding.weight": draw.normal(size.words, size.emb, scale=scale)}
    if kind == "bahdanau":
        found |= {
            "W_s.weight": draw.normal(size.attn, size.hidden),
            "W_h.weight": draw.normal(size.attn, size.enc),
            "v.weight": draw.normal(1, size.attn, scale=1.5),
            **gru(draw, size.emb + size.enc, size.hidden),
            "out.weight": draw.normal(size.words, size.hidden + size.enc, scale=0.7 * scale),
        }
    else:
        found |= {
            "W_a.weight": draw.normal(size.hidden, size.enc, scale=1.5),
            "W_c.weight": draw.normal(size.hidden, size.enc + size.hidden, scale=0.7),
            **gru(draw, size.emb + size.hidden, size.hidden),
            "out.weight": draw.normal(size.words, size.hidden, scale=scale),
        }
    found["out.bias"] = draw.normal(size.words, scale=0.7) + level
    if eos is not None:
        set_clock(found, size, eos, level + boost)
    return found


def set_clock(weights: Weights, size: Size, eos: int, bias: float) -> None:
    """Makes the state's first entry rise towards 1, from wherever it starts, and ``eos`` depend on it most.
    Without this nearly all sentences would soon repeat a word for ever."""
    for gate in (1, 2):  # update and candidate, in the order of the rows: reset, update, candidate
        row = gate * size.hidden
        weights["rnn.weight_ih_l0"][row] = 0
        weights["rnn.weight_hh_l0"][row] = 0
        weights["rnn.bias_hh_l0"][row] = 0
        weights["rnn.bias_ih_l0"][row] = (1.0, 3.0)[gate - 1]
    if "W_c.weight" in weights:
        weights["W_c.weight"][0] = 1.5 * (np.arange(size.enc + size.hidden) == size.enc)
    weights["out.weight"][:, 0] *= 0.3
    weights["out.weight"][eos, 0] = 8.0
    weights["out.bias"][eos] = bias


def encoder(script: Script, size: Size, into: str = "encoder", train: bool = False) -> Ref:
    """An Encoder with drawn weights."""
    sizes = (size.src_words, size.src_emb, size.hidden)
    return script.make(into, "Encoder", *sizes, weights=encoder_weights(script.draw, size), train=train)


def decoder(
    script: Script, kind: str, size: Size, weights: Weights | None = None, train: bool = False, **bias: Any
) -> Ref:
    """A decoder with drawn weights, as ``decoder``."""
    sizes = [size.words, size.emb, size.hidden, size.enc] + ([size.attn] if kind == "bahdanau" else [])
    given = decoder_weights(script.draw, kind, size, **bias) if weights is None else weights
    return script.make("decoder", DECODERS[kind], *sizes, weights=given, train=train)


def translator(script: Script, kind: str, size: Size = SIZE, train: bool = False, **bias: Any) -> Ref:
    """A Seq2Seq, as ``model``; its parts are ``encoder`` and ``decoder``."""
    parts = encoder(script, size), decoder(script, kind, size, **bias)
    return script.make("model", "Seq2Seq", *parts, *size.ids, train=train)


def baseline(
    script: Script, size: Size = SIZE, train: bool = False, into: str = "model", part: Ref | None = None
) -> Ref:
    """A FixedContextSeq2Seq, as ``model``, with an encoder of its own or with ``part``."""
    weights = {
        "embedding.weight": script.draw.normal(size.words, size.emb),
        **gru(script.draw, size.emb + size.hidden, size.hidden),
        "out.weight": script.draw.normal(size.words, 2 * size.hidden),
        "out.bias": script.draw.normal(size.words, scale=0.7),
    }
    return script.make(
        into, "FixedContextSeq2Seq", part or encoder(script, size), size.words, size.emb, size.hidden,
        *size.ids,
        weights=weights, train=train,
    )  # fmt: skip
