"""The programs of the hidden cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.assignments.experiments.heads import attend, split
from autograder.assignments.experiments.programs import Corpus, buckets, drawn_corpus, seed_of
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.protocol import FreeResult

BOUNDS = [[1, 3], [4, 4], [5, 9], [20, 30]]
SAME = ["a", "b", "c", "d", "e"]


def corners(builder: ProgramBuilder) -> None:
    """Score corpora at the corners: empty buckets, no match, too short, repeated words, lengths outside."""
    long = [f"w{word}" for word in builder.generator.permutation(9)]
    corpora: dict[str, Corpus] = {
        "out": drawn_corpus(builder.generator, 30, BOUNDS),
        "no-match": ([SAME, long], [SAME[::-1], long], [4, 8], [[4, 4], [5, 9]]),
        "short": ([long[:6], SAME], [long, SAME], [3, 12], [[3, 3], [4, 11]]),
        "repeated": ([["a"] * 4 + SAME], [["a", *SAME]], [6], [[6, 6], [7, 9]]),
        "pooled": ([long, SAME, ["a"]], [[*long[:5], "x", *long[6:]], SAME, ["a"]], [5, 6, 7], [[5, 7], [8, 9]]),
        "nothing": ([[]], [SAME], [5], [[5, 5], [6, 6]]),
    }
    buckets(builder, corpora)


def small_rows(builder: ProgramBuilder) -> None:
    """Call copy_task for one symbol, one row, one place, and one word of vocabulary."""
    for into, (length, count, words) in {"out": (1, 3, 9), "row": (6, 1, 9), "symbol": (3, 2, 4)}.items():
        shapes = {"src": (count, length), "tgt_in": (count, length + 1), "tgt_out": (count, length + 1)}
        free = tuple(FreeResult("int64", shape) for shape in shapes.values())
        builder.call(into, "copy_task", length, count, words, seed_of(builder), outputs=shapes, free=free)


def split_twice(builder: ProgramBuilder, d: int, **call: Any) -> None:
    """Split two projections, the second in the tensor of the first."""
    split(builder, d, **call)
    outputs = {"W_Q": (d, d), "W_K": (d, d), "W_V": (d, d)}
    builder.call(
        "later", "split_projection", builder.normal("other", 3 * d, d), outputs=outputs, reuses="out", echo=True
    )


def known_times_of(builder: ProgramBuilder, lengths: Sequence[int], repeats: int) -> None:
    """Measure by the clock of this machine, with other sizes."""
    free = (FreeResult("float32", (2, len(lengths))),)
    given: dict[str, Any] = {"width": 64, "repeats": repeats}
    builder.call("out", "attention_times", [*lengths], outputs={"times": None}, free=free, **given)


def refused(builder: ProgramBuilder) -> None:
    """Build a CrossAttention whose heads do not divide its width, as ``made``, and call one whose heads do."""
    builder.make("made", "CrossAttention", 7, 2)
    attend(builder)
