"""The programs of ``diagnostics``'s worked examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.assignments.diagnostics.programs import ENTROPY, ERROR_RATE, LINKS, OFFSET, USUAL
from autograder.assignments.kit.programs import ProgramBuilder

Shape = Sequence[int] | None
LOOKS = [[[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8]]]


def _of_values(builder: ProgramBuilder, name: str, given: Mapping[str, Any], outputs: Mapping[str, Shape]) -> None:
    """Call a function on these values. Floating ones vary where the case is redrawn, and lengths stay."""
    args = [
        builder.array(key, value) if key.endswith("lengths") else builder.example(key, value)
        for key, value in given.items()
    ]
    builder.call("out", name, *args, outputs=outputs)


def entropy(builder: ProgramBuilder) -> None:
    """Compute the handout's example: an even choice of two, and a sharper row."""
    if builder.generator.redraws:  # nothing may become negative
        USUAL.once(builder, ENTROPY, 2, 3, hidden=0.3)
    else:
        _of_values(builder, ENTROPY, {"weights": [[0.5, 0.5, 0.0], [0.8, 0.1, 0.1]]}, {"entropy": (2,)})


def offset(builder: ProgramBuilder) -> None:
    """Compute the handout's example: three words, of which the second one looks back."""
    given = {"weights": LOOKS, "src_lengths": [3], "tgt_lengths": [3]}
    _of_values(builder, OFFSET, given, {"offset": (1,), "drift": (1,)})


def ties(builder: ProgramBuilder) -> None:
    """Call alignment_links on rows with two and three largest weights; the last row of each sentence is padding."""
    values = builder.generator.uniform(2, 4, 5, high=0.3)
    values[:, 0, [1, 3]] = values[:, 1, [0, 2, 4]] = values[:, 2, [2, 3]] = 0.4
    weights = builder.array("weights", values)
    lengths = builder.array("src_lengths", [5, 5]), builder.array("tgt_lengths", [3, 3])
    builder.call("out", LINKS, weights, *lengths, outputs={"links": None})


def rate(builder: ProgramBuilder) -> None:
    """Compute the handout's example: three links, two sure ones, three possible ones."""
    given: dict[str, Any] = {
        "links": [[[True, False, False], [True, False, False], [False, False, True]]],
        "sure": [[[True, False, False], [False, True, False], [False, False, False]]],
        "possible": [[[True, False, False], [False, True, False], [False, False, True]]],
    }
    if builder.generator.redraws:
        given = {name: builder.generator.mask(1, 3, 3) for name in given}
    args = [builder.array(name, np.asarray(value)) for name, value in given.items()]
    builder.call("out", ERROR_RATE, *args, outputs={"rate": None})
