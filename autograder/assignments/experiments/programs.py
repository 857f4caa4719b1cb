"""The programs of the cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder
from autograder.protocol import FreeResult, Inspect, Optimizer, Ref, SetGrads, State

HERE = Path(__file__).parent
COPYING = ("known_copiers.txt", "known_symbols.txt")
TRANSLATING = ("known_copiers.txt", "known_sentences.txt")
CLOCK = ("known_clock.txt",)
LENGTHS = (5, 10, 20, 40, 80)
TIMED = (10, 50, 100, 500, 1000)
MODELS = ("FixedContext", "WithAttention")
Shapes = dict[str, tuple[int, ...]]


def stand_in(builder: ProgramBuilder, files: Sequence[str]) -> None:
    """Put models, data or a clock in place of the given ones, from files beside this one."""
    builder.stand_ins = "".join((HERE / name).read_text("utf-8") for name in files)


def seed_of(builder: ProgramBuilder) -> int:
    """Return a seed for the submission's own draws."""
    return int(builder.generator.integers(high=10**6))


def inspect(builder: ProgramBuilder, *names: str) -> None:
    """Look at the arguments of the names, as ``arguments-NAME``."""
    builder.add(*(Inspect(f"arguments-{name}", name) for name in names))


# ---------------------------------------------------------------- copying


def rows(builder: ProgramBuilder, length: int, count: int, vocab_size: int, twice: bool = False) -> None:
    """Call copy_task, as ``out``. ``twice``: again with the same seed, as ``again``, and with another, as ``other``."""
    seed = seed_of(builder)
    shapes: Shapes = {"src": (count, length), "tgt_in": (count, length + 1), "tgt_out": (count, length + 1)}
    free = tuple(FreeResult("int64", shape) for shape in shapes.values())
    seeds = {"out": seed, "other": seed + 1, "again": seed} if twice else {"out": seed}
    for into, one in seeds.items():
        builder.call(into, "copy_task", length, count, vocab_size, one, outputs=shapes, free=free)
    inspect(builder, "copy_task")


def accuracy(
    builder: ProgramBuilder, predicted: tuple[int, int], source: int, near: int = 4, echo: bool = False
) -> None:
    """Call copy_accuracy for predictions (B, L) and a source (B, ``source``). Few different ids, so that many agree."""
    batch, width = predicted
    ids = builder.generator.integers(batch, width, low=3, high=3 + near)
    src = builder.generator.integers(batch, source, low=3, high=3 + near)
    builder.call("out", "copy_accuracy", builder.array("predicted", ids), builder.array("src", src), echo=echo)
    inspect(builder, "copy_accuracy")


# ---------------------------------------------------------------- one epoch


class Size(NamedTuple):
    """Sizes of a training case. ``lengths`` and ``targets`` are those of the pairs, padding not counted."""

    lengths: tuple[int, ...] = (4, 6, 1, 3, 5)
    targets: tuple[int, ...] = (2, 4, 1, 5, 3)
    src_words: int = 11
    words: int = 9
    emb: int = 4
    hidden: int = 5


SIZE = Size()


def model_shapes(kind: str, size: Size) -> Shapes:
    """Return the shapes of the parameters of a given model."""
    emb, hidden = size.emb, size.hidden
    shapes: Shapes = {"src_embedding.weight": (size.src_words, emb), "tgt_embedding.weight": (size.words, emb)}
    for name, inputs in (("encoder", emb), ("decoder", emb + hidden)):
        shapes |= {f"{name}.weight_ih_l0": (3 * hidden, inputs), f"{name}.weight_hh_l0": (3 * hidden, hidden)}
        shapes |= {f"{name}.bias_ih_l0": (3 * hidden,), f"{name}.bias_hh_l0": (3 * hidden,)}
    shapes |= {"out.weight": (size.words, 2 * hidden), "out.bias": (size.words,)}
    return shapes | ({"W_a.weight": (hidden + emb, hidden + emb)} if kind == "WithAttention" else {})


def epoch(
    builder: ProgramBuilder,
    kind: str,
    batch_size: int,
    *,
    size: Size = SIZE,
    stale: float = 0.4,
    steep: float = 1.0,
    ordered: bool = False,
    calls: int = 1,
    chosen: int = 0,
    echo: bool = False,
    **options: Any,
) -> None:
    """Train with SGD and momentum for ``calls`` epochs, as ``out-1``..., then look at the parameters, as ``after``.

    ``stale`` fills the gradients before. ``steep`` multiplies the output weights. ``ordered``: the order is that of
    the pairs. ``chosen``: the order holds only so many of them.
    """
    builder.make("model", kind, size.src_words, size.words, size.emb, size.hidden, weights=model_shapes(kind, size))
    builder.arrays["model.out.weight"] = builder.arrays["model.out.weight"] * steep
    builder.add(Optimizer("optimizer", "SGD", "model", {"lr": 0.5, "momentum": 0.9}))
    if stale:
        builder.add(SetGrads("model", stale))
    count = len(size.lengths)
    order = np.arange(count) if ordered else builder.generator.permutation(count)
    order = order[: chosen or count]
    draw = builder.generator.integers
    inputs = {
        "src": draw(count, max(size.lengths) + 1, high=size.src_words),
        "src_lengths": np.array(size.lengths),
        "tgt_in": draw(count, max(size.targets) + 1, high=size.words),
        "tgt_out": draw(count, max(size.targets) + 1, high=size.words),
        "tgt_lengths": np.array(size.targets),
        "order": order,
    }
    arrays = [builder.array(name, values) for name, values in inputs.items()]
    batches = -(-len(order) // batch_size)
    outputs = {f"the loss of batch {number}": None for number in range(1, batches + 1)}
    for number in range(1, calls + 1):
        given: list[Any] = [Ref("model"), Ref("optimizer"), *arrays, batch_size]
        builder.call(f"out-{number}", "train_epoch", *given, outputs=outputs, echo=echo, **options)
    builder.add(State("after", "model"))
    inspect(builder, "train_epoch")


# ---------------------------------------------------------------- curves


def curves(builder: ProgramBuilder, lengths: Sequence[int], train_lengths: Sequence[int]) -> None:
    """Call copy_curves, which trains two models, as ``out``."""
    free = (FreeResult("float32", (2, len(lengths))),)
    seed = seed_of(builder)
    builder.call("out", "copy_curves", seed, [*lengths], [*train_lengths], outputs={"curves": None}, free=free)


def repeated(builder: ProgramBuilder, lengths: Sequence[int]) -> None:
    """Call copy_curves on few and short lengths: as ``out``, with another seed as ``other``, and again as ``again``."""
    free, seed = (FreeResult("float32", (2, len(lengths))),), seed_of(builder)
    for into, one in {"out": seed, "other": seed + 1, "again": seed}.items():
        builder.call(into, "copy_curves", one, [*lengths], [*lengths], outputs={"curves": None}, free=free)


def known_curves(builder: ProgramBuilder, lengths: Sequence[int], train_lengths: Sequence[int]) -> None:
    """Call copy_curves with models whose answers are known."""
    stand_in(builder, COPYING)
    seed, vocabulary = seed_of(builder), builder.generator.near(60)
    builder.call(
        "out", "copy_curves", seed, [*lengths], [*train_lengths], vocab_size=vocabulary, outputs={"curves": None}
    )
    inspect(builder, "copy_curves")


def translations(builder: ProgramBuilder) -> None:
    """Call translation_bleu, which trains two models, as ``out``."""
    free = (FreeResult("float32", (2, 3)),)
    builder.call("out", "translation_bleu", seed_of(builder), outputs={"scores": None}, free=free)


def known_translations(builder: ProgramBuilder) -> None:
    """Call translation_bleu with models and a corpus whose answers are known."""
    stand_in(builder, TRANSLATING)
    builder.call("out", "translation_bleu", seed_of(builder), epochs=1, outputs={"scores": None})
    inspect(builder, "translation_bleu")


# ---------------------------------------------------------------- BLEU

Corpus = tuple[list[list[Any]], list[list[Any]], list[int], list[list[int]]]


def buckets(builder: ProgramBuilder, corpora: dict[str, Corpus]) -> None:
    """Call bleu_by_length for each corpus."""
    for name, (candidates, references, lengths, bounds) in corpora.items():
        outputs = {f"bucket {number}": None for number in range(1, len(bounds) + 1)}
        builder.call(name, "bleu_by_length", candidates, references, lengths, bounds, outputs=outputs)
    inspect(builder, "bleu_by_length")


def drawn_corpus(generator: InputGenerator, count: int, bounds: list[list[int]], longest: int = 12) -> Corpus:
    """Draw pairs that are nearly right, with words left out, changed or added, and source lengths from 1 to 14."""
    candidates, references = [], []
    for _ in range(count):
        reference = [f"w{word}" for word in generator.integers(int(generator.integers(low=5, high=longest)), high=30)]
        candidate = list(reference)
        for _ in range(int(generator.integers(high=3))):
            place = int(generator.integers(high=len(candidate)))
            candidate[place : place + 1] = [["w30"], [], [reference[0], "w31"]][int(generator.integers(high=3))]
        candidates.append(candidate)
        references.append(reference)
    return candidates, references, [int(n) for n in generator.integers(count, low=1, high=15)], bounds


def by_length(builder: ProgramBuilder, count: int, bounds: list[list[int]]) -> None:
    """Score drawn pairs by length."""
    buckets(builder, {"out": drawn_corpus(builder.generator, count, bounds)})


# ---------------------------------------------------------------- times


def times(builder: ProgramBuilder, lengths: Sequence[int] = TIMED) -> None:
    """Measure by the clock of this machine."""
    free = (FreeResult("float32", (2, len(lengths))),)
    asked = [builder.generator.near(length) for length in lengths]
    builder.call("out", "attention_times", asked, outputs={"times": None}, free=free)
    inspect(builder, "attention_times")


def known_times(builder: ProgramBuilder) -> None:
    """Measure by a clock that is known: with one timed pass, as ``out``, and with ``three`` and ``fifteen``."""
    stand_in(builder, CLOCK)
    lengths = [int(builder.generator.near(n, 5)) for n in (10, 60)]
    free = (FreeResult("float32", (2, len(lengths))),)
    for into, repeats in {"out": 1, "three": 3, "fifteen": 15}.items():
        given: dict[str, Any] = {"width": 16, "repeats": repeats}
        builder.call(into, "attention_times", lengths, outputs={"times": None}, free=free, **given)
