"""The programs of ``seq2seq``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from autograder.assignments.kit.programs import CallOptions, ProgramBuilder
from autograder.assignments.seq2seq import models
from autograder.assignments.seq2seq.models import DECODERS, SIZE, Size
from autograder.protocol import Inspect, Layout, Optimizer, Ref, SetGrads, State

CANDIDATE = ["a", "cat", "sat", "on", "the", "mat"]
REFERENCE = ["the", "cat", "sat", "on", "the", "mat", "today"]


def inspect(builder: ProgramBuilder, made: str, *names: str) -> None:
    """Look at the arguments of the names, as ``arguments-NAME``, and at the parameters of ``made``."""
    builder.add(*(Inspect(f"arguments-{name}", name) for name in names))
    if made:
        builder.add(Inspect("parameters", made))


def modes(builder: ProgramBuilder, *names: str) -> None:
    """Look at modules after a call, as ``NAME-after``."""
    builder.add(*(State(f"{name}-after", name) for name in names))


def encode(builder: ProgramBuilder, *, size: Size = SIZE, train: bool = False, **call: Unpack[CallOptions]) -> None:
    """Call an Encoder once."""
    models.encoder(builder, size, train)
    builder.call("out", "encoder", *models.sources(builder, size), outputs=size.encoded, **call)
    inspect(builder, "encoder", "Encoder", "Encoder.forward")


def step_inputs(builder: ProgramBuilder, kind: str, size: Size, prefix: str = "") -> list[Ref]:
    """Draw token, state, what is fed, encoder states and mask of one step. States at padding are not zero."""
    token = builder.array(f"{prefix}token", builder.generator.integers(size.batch, high=size.words))
    names = ("state",) if kind == "bahdanau" else ("state", "fed")
    states = [builder.normal(f"{prefix}{name}", size.batch, size.hidden) for name in names]
    source = builder.normal(f"{prefix}encoder_states", size.batch, size.source, size.enc)
    return [token, *states, source, builder.array(f"{prefix}mask", size.mask)]


def step(
    builder: ProgramBuilder, kind: str, *, size: Size = SIZE, train: bool = False, **call: Unpack[CallOptions]
) -> None:
    """Call one step of a decoder."""
    models.decoder(builder, kind, size, train=train)
    builder.call("out", "decoder.step", *step_inputs(builder, kind, size), outputs=size.stepped(kind), **call)
    inspect(builder, "decoder", DECODERS[kind], f"{DECODERS[kind]}.step")


# ---------------------------------------------------------------- whole models


def forward(
    builder: ProgramBuilder, kind: str, *, size: Size = SIZE, gradient: bool = False, train: bool = False
) -> None:
    """Call a Seq2Seq once: teacher forcing."""
    models.translator(builder, kind, size, train)
    inputs = (*models.sources(builder, size), models.target(builder, "tgt_in", size))
    modules = ("encoder", "decoder") if gradient else ()
    builder.call("out", "model", *inputs, outputs=size.forwarded, modules=modules)
    modes(builder, "model", "encoder", "decoder")
    inspect(builder, "model", "Seq2Seq", "Seq2Seq.forward", "Seq2Seq.greedy_decode", "Seq2Seq.beam_search")


def fixed(builder: ProgramBuilder, *, size: Size = SIZE, gradient: bool = False) -> None:
    """Call a FixedContextSeq2Seq once: teacher forcing without attention."""
    models.baseline(builder, size)
    inputs = (*models.sources(builder, size), models.target(builder, "tgt_in", size))
    builder.call("out", "model", *inputs, outputs=size.fixed, gradient=gradient)
    modes(builder, "model", "encoder")
    inspect(builder, "model", "FixedContextSeq2Seq", "FixedContextSeq2Seq.forward")


# ---------------------------------------------------------------- searches


def make_talkative(builder: ProgramBuilder, size: Size) -> None:
    """Make the decoder say ``pad`` and ``bos`` more often as words, which it may."""
    builder.arrays["decoder.out.bias"][[size.ids.pad, size.ids.bos]] += 3


def greedy(
    builder: ProgramBuilder, kind: str, max_len: int, *, size: Size = SIZE, boost: float = -3.0, train: bool = False
) -> None:
    """Call greedy_decode once. A higher ``boost`` makes the sentences shorter."""
    models.translator(builder, kind, size, train, eos=size.ids.eos, boost=boost, scale=2.0)
    make_talkative(builder, size)
    builder.call("out", "model.greedy_decode", *models.sources(builder, size), max_len, echo=True)
    modes(builder, "model", "encoder", "decoder")


def beam(
    builder: ProgramBuilder,
    kind: str,
    widths: Sequence[int],
    max_len: int,
    *,
    size: Size = SIZE,
    boost: float = -3.0,
    scale: float = 0.8,
    train: bool = False,
    level: float = 0.0,
    layout: Layout = "contiguous",
    twins: Sequence[int] = (),
) -> None:
    """Call beam_search with several widths, as ``out-WIDTH``. The reference alone decodes greedily too.

    The words ``twins`` are always equally probable, so hypotheses with them have equal scores.
    """
    models.translator(builder, kind, size, train, eos=size.ids.eos, boost=boost, scale=scale, level=level)
    for name in ("embedding.weight", "out.weight", "out.bias"):
        builder.arrays[f"decoder.{name}"][list(twins)] = builder.arrays[f"decoder.{name}"][list(twins[:1])]
    src = models.sources(builder, size)
    for width in widths:
        builder.call(f"out-{width}", "model.beam_search", *src, width, max_len, echo=True, layout=layout)
    modes(builder, "model", "encoder", "decoder")
    with builder.for_reference_only():
        builder.call("greedy", "model.greedy_decode", *src, max_len)


# ---------------------------------------------------------------- training and BLEU


LOSSES = ("loss", "the loss of the second step", "the loss of the third step", "the loss of the fourth step")


def train(
    builder: ProgramBuilder,
    kind: str,
    *,
    size: Size = SIZE,
    steps: int = 3,
    stale: float = 0.4,
    steep: float = 1.0,
    lengths: Sequence[int] = (2, 4, 1),
    only: str = "model",
    echo: bool = False,
    **options: Any,
) -> None:
    """Train with SGD and momentum, as ``out-1``, ``out-2``..., then look at the parameters, as ``after``.

    ``stale`` fills the gradients before. ``steep`` multiplies the output weights. The optimizer has the parameters of
    ``only``. ``options`` are arguments of train_step, or of the call.
    """
    if kind == "fixed":
        models.baseline(builder, size)
    else:
        models.translator(builder, kind, size)
    last = "model.out.weight" if kind == "fixed" else "decoder.out.weight"
    builder.arrays[last] = builder.arrays[last] * steep
    builder.add(Optimizer("optimizer", "SGD", only, {"lr": 0.5, "momentum": 0.9}))
    if stale:
        builder.add(SetGrads("model", stale))
    src = models.sources(builder, size)
    tgt_in, tgt_out = models.target(builder, "tgt_in", size), models.target(builder, "tgt_out", size)
    inputs = (Ref("model"), Ref("optimizer"), *src, tgt_in, tgt_out, builder.array("tgt_lengths", np.array(lengths)))
    for number in range(1, steps + 1):
        builder.call(f"out-{number}", "train_step", *inputs, outputs={LOSSES[number - 1]: None}, echo=echo, **options)
    builder.add(State("after", "model"))
    inspect(builder, "", "train_step")


def sentences(builder: ProgramBuilder) -> tuple[list[str], list[str]]:
    """Return the handout's candidate and reference. A redrawn case gets others that differ in the same places."""
    if not builder.generator.redraws:
        return CANDIDATE, REFERENCE
    words = [f"w{number}" for number in builder.generator.permutation(30)[: builder.generator.near(len(REFERENCE))]]
    return ["a", *words[1:-1]], words


def bleu(builder: ProgramBuilder, pairs: dict[str, tuple[list[Any], list[Any]]]) -> None:
    """Call corpus_bleu for each pair of candidates and references."""
    for name, (candidates, references) in pairs.items():
        builder.call(name, "corpus_bleu", candidates, references, outputs={"bleu": None})


def bleu_interface(builder: ProgramBuilder) -> None:
    """Score the worked example, and look at the arguments."""
    candidate, reference = sentences(builder)
    bleu(builder, {"out": ([candidate], [reference]), "short": ([candidate[:3]], [reference])})
    inspect(builder, "", "corpus_bleu")


def bleu_simple(builder: ProgramBuilder) -> None:
    """Score a perfect translation, one that is too short, and one that says its first words twice."""
    other, reference = sentences(builder)
    candidates = {"same": reference, "shorter": reference[:5], "longer": [*reference, *reference[:2]]}
    bleu(builder, {name: ([words, other], [reference, other]) for name, words in candidates.items()})
