"""The calls of which the cases of ``seq2seq`` are made, and what makes a search worth asking for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder import wire
from autograder.cases import Script
from autograder.model import Inspect, Layout, Optimizer, Ref, Seen, SetGrads, State, Tensor
from autograder.specs.seq2seq_cases import (
    DECODERS,
    SIZE,
    Ids,
    Size,
    baseline,
    decoder,
    encoder,
    sources,
    target,
    translator,
)


def inspect(script: Script, made: str, *names: str) -> None:
    """Looks at argument names (holds: ``arguments-NAME``) and at the parameters of ``made``."""
    for name in names:
        script.add(Inspect(f"arguments-{name}", name))
    if made:
        script.add(Inspect("parameters", made))


def watch(script: Script, *names: str) -> None:
    """Looks at modules after a call (holds: ``NAME-after``)."""
    for name in names:
        script.add(State(f"{name}-after", name))


def encode(
    script: Script, *, size: Size = SIZE, gradient: bool = True, train: bool = False, **call: Any
) -> None:  # fmt: skip
    """One call of an Encoder."""
    encoder(script, size, train=train)
    results = {"states": (size.batch, size.source, size.enc), "first": (size.batch, size.hidden)}
    modules = ("encoder",) if gradient else ()
    script.call("out", "encoder", *sources(script, size), outputs=results, modules=modules, **call)
    inspect(script, "encoder", "Encoder", "Encoder.forward")


# ---------------------------------------------------------------- one step of a decoder


def step_results(kind: str, size: Size) -> dict[str, tuple[int, ...]]:
    """What a decoder's step gives."""
    state = (size.batch, size.hidden)
    fed = {} if kind == "bahdanau" else {"attentional": state}
    return {"logits": (size.batch, size.words), "state": state, **fed, "weights": (size.batch, size.source)}


def step_inputs(script: Script, kind: str, size: Size, prefix: str = "") -> list[Ref]:
    """Token, state, what is fed, encoder states and mask of one step. States at padding are not zero."""
    token = script.array(f"{prefix}token", script.draw.integers(size.batch, high=size.words))
    names = ("state",) if kind == "bahdanau" else ("state", "fed")
    states = [script.normal(f"{prefix}{name}", size.batch, size.hidden) for name in names]
    source = script.normal(f"{prefix}encoder_states", size.batch, size.source, size.enc)
    return [token, *states, source, script.array(f"{prefix}mask", size.mask)]


def step(
    script: Script, *, kind: str, size: Size = SIZE, gradient: bool = True, train: bool = False, **call: Any
) -> None:  # fmt: skip
    """One step of a decoder."""
    decoder(script, kind, size, train=train)
    inputs = step_inputs(script, kind, size)
    floating = tuple(one.name for one in inputs[1:-1])
    script.call(
        "out", "decoder.step", *inputs, outputs=step_results(kind, size), wrt=floating if gradient else (),
        modules=("decoder",) if gradient else (), **call,
    )  # fmt: skip
    inspect(script, "decoder", DECODERS[kind], f"{DECODERS[kind]}.step")


# ---------------------------------------------------------------- whole models


def forward_results(size: Size) -> dict[str, tuple[int, ...]]:
    """What Seq2Seq.forward gives."""
    return {
        "logits": (size.batch, size.target, size.words),
        "weights": (size.batch, size.target, size.source),
    }


def forward(
    script: Script, *, kind: str, size: Size = SIZE, gradient: bool = True, train: bool = False, **call: Any
) -> None:
    """Teacher forcing."""
    translator(script, kind, size, train)
    inputs = (*sources(script, size), target(script, "tgt_in", size))
    modules = ("encoder", "decoder") if gradient else ()
    script.call("out", "model", *inputs, outputs=forward_results(size), modules=modules, **call)
    watch(script, "model", "encoder", "decoder")
    inspect(
        script,
        "model",
        "Seq2Seq",
        *(f"Seq2Seq.{name}" for name in ("forward", "greedy_decode", "beam_search")),
    )


def fixed(
    script: Script, *, size: Size = SIZE, gradient: bool = True, train: bool = False, **call: Any
) -> None:  # fmt: skip
    """Teacher forcing of the model without attention."""
    baseline(script, size, train)
    inputs = (*sources(script, size), target(script, "tgt_in", size))
    results = {"logits": (size.batch, size.target, size.words)}
    modules = ("model",) if gradient else ()
    script.call("out", "model", *inputs, outputs=results, modules=modules, **call)
    watch(script, "model", "encoder")
    inspect(script, "model", "FixedContextSeq2Seq", "FixedContextSeq2Seq.forward")


# ---------------------------------------------------------------- searches


def make_talkative(script: Script, ids: Ids) -> None:
    """Makes it likelier that ``pad`` and ``bos`` are said as words, which they may be."""
    script.arrays["decoder.out.bias"][[ids.pad, ids.bos]] += 3


def greedy(
    script: Script, *, kind: str, max_len: int, size: Size = SIZE, boost: float = -3.0, train: bool = False,
    layout: Layout = "contiguous",
) -> None:  # fmt: skip
    """Greedy decoding; ``boost`` makes the sentences shorter."""
    translator(script, kind, size, train, eos=size.ids.eos, boost=boost, scale=2.0)
    make_talkative(script, size.ids)
    src = sources(script, size)
    script.call("out", "model.greedy_decode", *src, max_len, echo=True, layout=layout)
    watch(script, "model", "encoder", "decoder")


def beam(
    script: Script, *, kind: str, beams: Sequence[int], max_len: int, size: Size = SIZE, boost: float = -3.0,
    scale: float = 0.8, train: bool = False, level: float = 0.0, layout: Layout = "contiguous",
) -> None:  # fmt: skip
    """Beam searches of several widths (``out-WIDTH``), aside greedy decoding; ``level`` lifts all logits."""
    translator(script, kind, size, train, eos=size.ids.eos, boost=boost, scale=scale, level=level)
    src = sources(script, size)
    for width in beams:
        script.call(f"out-{width}", "model.beam_search", *src, width, max_len, echo=True, layout=layout)
    watch(script, "model", "encoder", "decoder")
    with script.aside():
        script.call("greedy", "model.greedy_decode", *src, max_len)


def found(seen: Seen) -> np.ndarray:
    """The sentences of a search."""
    assert isinstance(seen.value, Tensor)
    return wire.to_numpy(seen.value.array)


def lengths(sentences: np.ndarray, eos: int) -> np.ndarray:
    """How many words each sentence has, with its eos; one more than there are columns where it has none."""
    ended = np.pad(sentences == eos, ((0, 0), (0, 1)), constant_values=True)
    return np.asarray(ended.argmax(1) + 1)


def ends_apart(shown: dict[str, Seen], ids: Ids, max_len: int = 0, of: str = "out") -> bool:
    """Sentences end at different places, none at once, and ``pad`` and ``bos`` occur inside of them. With
    ``max_len`` all end before it; else one never ends."""
    sentences = found(shown[of])
    steps = lengths(sentences, ids.eos)
    cut = sentences.shape[1] < steps.max()
    fits = not cut and sentences.shape[1] < max_len if max_len else cut
    inside = sentences[np.arange(sentences.shape[1]) < steps[:, None] - 1]
    return len(set(steps)) > 1 and fits and steps.min() > 1 and {ids.pad, ids.bos} <= set(inside.tolist())


def better(shown: dict[str, Seen], of: str, eos: int, count: int = 1) -> bool:
    """Beam search finds at least ``count`` other sentences than greedy decoding; some end, some are cut."""
    best, first = found(shown[of]), found(shown["greedy"])
    width = max(best.shape[1], first.shape[1])
    wide = [np.pad(a, ((0, 0), (0, width - a.shape[1])), constant_values=-1) for a in (best, first)]
    differ = (wide[0] != wide[1]) & (np.minimum(*wide) >= 0)
    cut = lengths(best, eos) > best.shape[1]
    return int(differ.any(1).sum()) >= count and bool(cut.any()) and not cut.all()


# ---------------------------------------------------------------- training


def train(
    script: Script, *, kind: str, size: Size = SIZE, steps: int = 3, stale: float = 0.4, steep: float = 1.0,
    lengths: Sequence[int] = (2, 4, 1), only: str = "model", echo: bool = False, **clip: Any,
) -> None:  # fmt: skip
    """Steps of SGD with momentum (``out-1``, ``out-2``, ...), then the parameters (``after``). ``stale`` lies
    in the gradients before; ``steep`` makes the logits greater; ``only`` is what the optimizer has."""
    if kind == "fixed":
        baseline(script, size)
    else:
        translator(script, kind, size)
    last = "model.out.weight" if kind == "fixed" else "decoder.out.weight"
    script.arrays[last] = script.arrays[last] * steep
    script.add(Optimizer("optimizer", "SGD", only, {"lr": 0.5, "momentum": 0.9}))
    if stale:
        script.add(SetGrads("model", stale))
    src = sources(script, size)
    tgt_in, tgt_out = target(script, "tgt_in", size), target(script, "tgt_out", size)
    tgt_lengths = script.array("tgt_lengths", np.array(lengths))
    for number in range(1, steps + 1):
        inputs = (Ref("model"), Ref("optimizer"), *src, tgt_in, tgt_out, tgt_lengths)
        script.call(f"out-{number}", "train_step", *inputs, outputs={"loss": None}, echo=echo, **clip)
    script.add(State("after", "model"))
    inspect(script, "", "train_step")
