"""The programs of ``variations``'s hidden cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import MADE, Call
from autograder.assignments.variations.inputs import ADDRESS, BIDAF, DIAGONAL, DRAWN, MONOTONIC, POINTER, WRITE
from autograder.assignments.variations.programs import USUAL, make_bidaf, make_pointer


def _ask(builder: ProgramBuilder, made: Call, gradient: bool = False) -> None:
    builder.call("out", made.name, *made.args, outputs=made.outputs, gradient=gradient)


# ---- scores of ±10,000


def extreme_table(builder: ProgramBuilder, name: str, *size: Any) -> None:
    """Call a function of scores (2, T_t, T_s): far below 0 in the first sentence, and ±10,000 in the second one.

    There, the second half of row 0 is high, and the first half of all other rows. If the function takes source lengths,
    the second sentence has only its first half.
    """
    made = DRAWN[name](builder, "", *size)
    scores = builder.arrays["scores"]
    half = scores.shape[2] // 2
    scores[0] -= np.where(np.arange(scores.shape[2]) == 0, 1e4, 8e3)
    scores[1] += 1e4 * np.where((np.arange(scores.shape[2]) < half) == (np.arange(scores.shape[1]) > 0)[:, None], 1, -1)
    if "src_lengths" in builder.arrays:
        builder.arrays["src_lengths"][:] = scores.shape[2] - 1, half
    _ask(builder, made)


def extreme(builder: ProgramBuilder, name: str, array: str, by: float, *size: Any) -> None:
    """Call a function, or a module, after one of its inputs is ``by`` times as large."""
    USUAL.make(builder, name, size)
    made = DRAWN[name](builder, "", *size)
    builder.arrays[array] *= by
    _ask(builder, made)


def extreme_keys(builder: ProgramBuilder) -> None:
    """Call memory_address with strengths of about 10,000, and negative cosines in the first sentence alone."""
    made = DRAWN[ADDRESS](builder, "", 2, 5, 3, 2e4)
    memory, key = builder.arrays["memory"], builder.arrays["key"]
    memory[0], key[0] = -np.abs(memory[0]), np.abs(key[0])
    memory[1, 0] = -key[1]  # the first row has the lowest score
    _ask(builder, made)


def low_words(builder: ProgramBuilder) -> None:
    """Call BiDAF where scores of two real words are about -10,000, and those of padding are higher."""
    make_bidaf(builder, 2, 5, 4, 3)
    made = DRAWN[BIDAF](builder, "", 2, 5, 4, 3)
    builder.arrays[f"{MADE}.w.weight"][0, [0, 3]] = 5e3
    for name in ("context", "question"):
        builder.arrays[name][..., 0] = np.where(builder.arrays[f"{name}_mask"], -1.0, 1.0)
    _ask(builder, made)


# ---- copying


def _pointer(builder: ProgramBuilder, *size: int, bias: float = 0.0) -> Call:
    make_pointer(builder, *size)
    builder.arrays[f"{MADE}.w_y.bias"][:] += bias
    return DRAWN[POINTER](builder, "", *size)


def gates(builder: ProgramBuilder, bias: float) -> None:
    """Call PointerGenerator where ``p_gen`` is near 0 or 1."""
    _ask(builder, _pointer(builder, 2, 3, 4, 2, 6, 5, 2, bias=bias), gradient=True)


def words(builder: ProgramBuilder, kind: str) -> None:
    """Call PointerGenerator where all source words are one, all are outside the vocabulary, or none is."""
    made = _pointer(builder, 2, 3, 2, 4, 5, 6, 0 if kind == "inside" else 3)
    ids = builder.arrays["src_ids"]
    if kind == "one":
        ids[:] = builder.generator.integers(2, 1, high=8)
    elif kind == "outside":
        ids[:] = 5 + builder.generator.integers(2, 6, high=3)
    _ask(builder, made, gradient=True)


# ---- masks and padding


def padded(builder: ProgramBuilder, *size: int) -> None:
    """Call BiDAF on two contexts and questions that differ only in their padding, as ``first`` and ``out``."""
    make_bidaf(builder, *size)
    made = DRAWN[BIDAF](builder, "", *size)
    builder.call("first", made.name, *made.args, outputs=made.outputs)
    for name in ("context", "question"):
        real = builder.arrays[f"{name}_mask"][..., None]
        other = builder.generator.normal(*builder.arrays[name].shape, scale=100.0)
        builder.array(f"other_{name}", np.where(real, builder.arrays[name], other))
    args = [builder.array(f"other_{name}", builder.arrays[f"other_{name}"]) for name in ("context", "question")]
    builder.call("out", made.name, *args, *made.args[2:], outputs=made.outputs)


# ---- borders and priors


def peaks(builder: ProgramBuilder, kind: str) -> None:
    """Call monotonic_attention where a peak is at the last position, or where several scores are equal."""
    made = DRAWN[MONOTONIC](builder, "", 2, 4, 6)
    scores = builder.arrays["scores"]
    if kind == "last":
        scores[:, 1, -1] += 30.0
    else:
        scores[:] = np.round(builder.generator.normal(*scores.shape))
        first = builder.generator.integers(2, high=3)
        for b in range(2):  # two largest scores, and lower ones between them, which the next row may attend to
            scores[b, 0, first[b]] = scores[b, 0, 5] = 4.0
    _ask(builder, made, gradient=kind == "last")


def full_lengths(builder: ProgramBuilder, *size: Any) -> None:
    """Call diagonal_prior_attention on one sentence without padding, with gradients."""
    _ask(builder, DRAWN[DIAGONAL](builder, "", *size, padding=0), gradient=True)


# ---- memories


def blank(builder: ProgramBuilder, kind: str) -> None:
    """Call memory_address where a row of the memory, or the key of a sentence, is zeros."""
    made = DRAWN[ADDRESS](builder, "", 2, 4, 3)
    if kind == "row":
        builder.arrays["memory"][:, 1] = 0.0
    else:
        builder.arrays["key"][1] = 0.0
    _ask(builder, made, gradient=True)


def erased(builder: ProgramBuilder) -> None:
    """Call memory_write where one row has the weight 1, and all its columns are erased."""
    made = DRAWN[WRITE](builder, "", 2, 4, 3)
    builder.arrays["weights"][:] = np.eye(4)[builder.generator.integers(2, high=4)]
    builder.arrays["erase"][:] = 1.0
    _ask(builder, made, gradient=True)
