"""The programs of ``seq2seq``'s hidden cases: one model each, with inputs of several forms in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.seq2seq import models
from autograder.assignments.seq2seq.models import SIZE, Ids, Size
from autograder.assignments.seq2seq.programs import bleu, make_talkative, modes, step_inputs
from autograder.protocol import Optimizer, Ref

BIG = Size((3, 10, 8, 1, 5), 11, 3, 19, 17, src_emb=2, emb=13, hidden=7, attn=6, ids=Ids(pad=5, bos=8, eos=0))
EQUAL = Size((5, 2, 5, 1, 3), 5, 5, 5, 5, 5, 5, 5, 5, Ids(pad=0, bos=4, eos=3))


class Narrow(Size):
    """Encoder states as wide as the decoder's, where a transposed or a needless projection fits."""

    @property
    def enc(self) -> int:
        """The width of the encoder's states."""
        return self.hidden


NARROW = Narrow(attn=5)
# Other lengths, for the same weights.
FULL = BIG._replace(lengths=(6, 4), source=6, target=2)  # no column of padding, the longest first
SENTENCE = BIG._replace(lengths=(5,), source=5, target=2)
WORD = BIG._replace(lengths=(1, 1, 1), source=1, target=2)
STEP = BIG._replace(lengths=(2, 4), source=5, target=1)
ALONE = BIG._replace(lengths=(1,), source=1, target=1)


def encode_many(builder: ProgramBuilder) -> None:
    """Call an Encoder with gradients through each result, other padding, no padding, and gaps in memory."""
    models.encoder(builder, BIG)
    inputs = models.sources(builder, BIG)
    for name, way in (("out", "states"), ("through-first", "first")):
        builder.call(name, "encoder", *inputs, outputs=BIG.encoded, gradient=True, back_from=(way,))
    wider = BIG._replace(source=13)
    other = models.sentences(builder.generator, BIG.lengths, wider.source, BIG.src_words)
    other[:, : BIG.source] = np.where(BIG.mask, builder.arrays["src"], other[:, : BIG.source])
    builder.call("padded", "encoder", builder.array("padded_src", other), inputs[1], outputs=wider.encoded)
    builder.call("full", "encoder", *models.sources(builder, FULL, "full_"), outputs=FULL.encoded)
    builder.call("gapped", "encoder", *inputs, outputs=BIG.encoded, layout="gapped", echo=True)


def encode_ones(builder: ProgramBuilder) -> None:
    """Call an Encoder on sentences of one word, on one sentence, and on one word."""
    models.encoder(builder, BIG)
    for name, size in (("word", WORD), ("sentence", SENTENCE), ("alone", ALONE)):
        builder.call(name, "encoder", *models.sources(builder, size, f"{name}_"), outputs=size.encoded)


def step_many(builder: ProgramBuilder, kind: str) -> None:
    """Call a decoder's step with gradients through each result, again from its results, and with an empty mask."""
    models.decoder(builder, kind, BIG)
    results = BIG.stepped(kind)
    inputs = step_inputs(builder, kind, BIG)
    for name in results:
        builder.call(f"through-{name}", "decoder.step", *inputs, outputs=results, gradient=True, back_from=(name,))
    builder.call("out", "decoder.step", *inputs, outputs=results)
    token = builder.array("next_token", builder.generator.integers(BIG.batch, high=BIG.words))
    carried = [Ref("out", item) for item in range(1, len(results) - 1)]
    builder.call("next", "decoder.step", token, *carried, *inputs[-2:], outputs=results, modules=("decoder",))
    builder.call("reversed", "decoder.step", *inputs, outputs=results, layout="reversed", echo=True)
    builder.call("gapped", "decoder.step", *inputs, outputs=results, layout="gapped", echo=True)
    mask = BIG.mask
    mask[1] = False
    dark = builder.array("dark_mask", mask)
    builder.call("dark", "decoder.step", *inputs[:-1], dark, outputs=results, gradient=True)


def step_ones(builder: ProgramBuilder, kind: str) -> None:
    """Call a decoder's step for sentences of one word, for one sentence, and for one word."""
    models.decoder(builder, kind, BIG)
    for name, size in (("word", WORD), ("sentence", SENTENCE), ("alone", ALONE)):
        inputs = step_inputs(builder, kind, size, f"{name}_")
        builder.call(name, "decoder.step", *inputs, outputs=size.stepped(kind))


def steep(builder: ProgramBuilder, kind: str) -> None:
    """Call a decoder's step with scores of about ±10,000, masked ones too, and ordinary differences at each level.

    The first entry of a state sets the level of its score. Sentences 0 and 1 differ only in that: real words are above
    the masked ones in one and below them in the other, whatever the sign.
    """
    weights = models.decoder_weights(builder.generator, kind, BIG)
    if kind == "bahdanau":
        weights["W_s.weight"][0] = 0
        weights["W_h.weight"][0] = 40 * (np.arange(BIG.enc) == 0)  # saturated: tanh is exactly 1 or -1
        weights["W_h.weight"][1:, 0] = 0
        weights["v.weight"][0, 0] = 1e4
    else:
        weights["W_a.weight"][:, 0] = 2e4
    models.decoder(builder, kind, BIG, weights)
    inputs = step_inputs(builder, kind, BIG)
    for one in inputs[:-2]:
        builder.arrays[one.name][1] = builder.arrays[one.name][0]
    level = np.where(BIG.mask, 0.5, -0.5)
    level[[1, 3]] *= -1
    level[4] = np.where(BIG.mask[4], 0, 0.5)  # ordinary scores, and masked ones above
    builder.arrays["encoder_states"][:, :, 0] = level
    builder.call("out", "decoder.step", *inputs, outputs=BIG.stepped(kind), gradient=True)


def forward_many(builder: ProgramBuilder, kind: str) -> None:
    """Call a Seq2Seq in train mode with gradients through each result, without padding, and reversed in memory."""
    models.translator(builder, kind, BIG, train=True)
    inputs = (*models.sources(builder, BIG), models.target(builder, "tgt_in", BIG))
    both: dict[str, Any] = {"outputs": BIG.forwarded, "modules": ("encoder", "decoder")}
    for name in BIG.forwarded:
        builder.call(f"through-{name}", "model", *inputs, **both, back_from=(name,))
    others = (*models.sources(builder, FULL, "full_"), models.target(builder, "full_tgt_in", FULL))
    builder.call("full", "model", *others, outputs=FULL.forwarded)
    builder.call("reversed", "model", *inputs, outputs=BIG.forwarded, layout="reversed", echo=True)
    modes(builder, "model", "encoder", "decoder")


def forward_ones(builder: ProgramBuilder, kind: str) -> None:
    """Call a Seq2Seq on sentences of one word, on one sentence, and for one step."""
    models.translator(builder, kind, BIG, train=True)
    for name, size in (("word", WORD), ("sentence", SENTENCE), ("step", STEP)):
        inputs = (*models.sources(builder, size, f"{name}_"), models.target(builder, f"{name}_tgt_in", size))
        builder.call(name, "model", *inputs, outputs=size.forwarded)


def fixed_many(builder: ProgramBuilder) -> None:
    """Call a FixedContextSeq2Seq in train mode on other forms, and on the first again."""
    models.baseline(builder, BIG, train=True)
    inputs = (*models.sources(builder, BIG), models.target(builder, "tgt_in", BIG))
    builder.call("out", "model", *inputs, outputs=BIG.fixed, gradient=True)
    for name, size in (("full", FULL), ("sentence", SENTENCE), ("step", STEP), ("alone", ALONE)):
        others = (*models.sources(builder, size, f"{name}_"), models.target(builder, f"{name}_tgt_in", size))
        builder.call(name, "model", *others, outputs=size.fixed)
    builder.call("gapped", "model", *inputs, outputs=BIG.fixed, layout="gapped", echo=True)
    modes(builder, "model", "encoder")


def greedy_many(builder: ProgramBuilder, kind: str) -> None:
    """Call greedy_decode, forward, greedy_decode on other sentences, for one word, and as at first.

    The reference alone also decodes with another eos, as ``endless``.
    """
    models.translator(builder, kind, BIG, train=True, eos=BIG.ids.eos, boost=-3.0, scale=2.0)
    make_talkative(builder, BIG)
    src = models.sources(builder, BIG)
    builder.call("out", "model.greedy_decode", *src, 7)
    builder.call("forward", "model", *src, models.target(builder, "tgt_in", BIG), outputs=BIG.forwarded)
    builder.call("other", "model.greedy_decode", *models.sources(builder, BIG, "other_"), 7)
    builder.call("short", "model.greedy_decode", *src, 1)
    builder.call("gapped", "model.greedy_decode", *src, 7, layout="gapped", echo=True)
    modes(builder, "model", "encoder", "decoder")
    with builder.for_reference_only():
        others = BIG.ids._replace(eos=BIG.ids.eos + 1)
        builder.make("other_model", "Seq2Seq", Ref("encoder"), Ref("decoder"), *others, train=True)
        builder.call("endless", "other_model.greedy_decode", *src, 7)


def greedy_one(builder: ProgramBuilder, kind: str) -> None:
    """Call greedy_decode on one sentence, and on two of one word."""
    models.translator(builder, kind, BIG, train=True, eos=BIG.ids.eos, boost=-3.0, scale=2.0)
    builder.call("short", "model.greedy_decode", *models.sources(builder, SENTENCE), 7)
    words = builder.array("words", builder.generator.integers(2, 1, high=BIG.src_words))
    builder.call("word", "model.greedy_decode", words, builder.array("word_lengths", [1, 1]), 7)


# ---------------------------------------------------------------- on another device. Lengths stay on the CPU.


def anywhere(builder: ProgramBuilder, kind: str) -> None:
    """Call a Seq2Seq."""
    models.translator(builder, kind)
    src = models.sources(builder, SIZE)
    builder.on_cpu.add(src[1].name)
    builder.call("out", "model", *src, models.target(builder, "tgt_in", SIZE), outputs=SIZE.forwarded)


def baseline_anywhere(builder: ProgramBuilder) -> None:
    """Call the model without attention."""
    models.baseline(builder)
    src = models.sources(builder, SIZE)
    builder.on_cpu.add(src[1].name)
    builder.call("out", "model", *src, models.target(builder, "tgt_in", SIZE), outputs=SIZE.fixed)


def training_anywhere(builder: ProgramBuilder) -> None:
    """Train the model without attention for one step."""
    model = models.baseline(builder)
    src = models.sources(builder, SIZE)
    targets = models.target(builder, "tgt_in", SIZE), models.target(builder, "tgt_out", SIZE)
    lengths = builder.array("tgt_lengths", [2, 4, 1])
    builder.on_cpu |= {src[1].name, lengths.name}
    builder.add(Optimizer("optimizer", "SGD", model.name, {"lr": 0.5}))
    builder.call("out-1", "train_step", model, Ref("optimizer"), *src, *targets, lengths, outputs={"loss": None})


def search_anywhere(builder: ProgramBuilder, kind: str, method: str, *options: int) -> None:
    """Call one of the searches."""
    models.translator(builder, kind, eos=SIZE.ids.eos, boost=-3.0, scale=2.0)
    src = models.sources(builder, SIZE)
    builder.on_cpu.add(src[1].name)
    builder.call("out", f"model.{method}", *src, *options)


# ---------------------------------------------------------------- BLEU


def bleu_random(builder: ProgramBuilder, words: int) -> None:
    """Score references with a part replaced, dropped or repeated. Words are few, so that n-grams repeat.

    ``out`` and ``again`` score all together, ``first`` and ``second`` some of them.
    """
    generator = builder.generator
    candidates, references = [], []
    for length, change in ((11, "twice"), (9, "drop"), (13, "replace"), (7, "twice"), (10, "drop")):
        reference = generator.integers(length, high=words).tolist()
        start = int(generator.integers(high=length - 3))
        before, after = reference[:start], reference[start + 2 :]
        candidates.append(
            {
                "twice": [*reference, *reference[start:]],
                "drop": [*before, *after],
                "replace": [*before, words, words, *after],
            }[change]
        )
        references.append(reference)
    parts = {"out": slice(None), "again": slice(None), "first": slice(0, 1), "second": slice(1, 3)}
    bleu(builder, {name: (candidates[part], references[part]) for name, part in parts.items()})
