"""What the checks of ``variations`` share: cases, the arguments of each function, and frequent assertions."""

from __future__ import annotations

from typing import Any

from autograder import model
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import RIGHT, expect
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.observed import untouched
from autograder.assignments.variations.inputs import (
    ADDRESS,
    BIDAF,
    COVERAGE,
    COVERAGE_LOSS,
    DIAGONAL,
    HOPS,
    LUONG,
    MONOTONIC,
    READ,
    SPATIAL,
    SUPERVISED,
    TOP_K,
    WRITE,
)
from autograder.assignments.variations.programs import MAKES, examined, methods_of, once

READY_MADE = (
    "scaled_dot_product fused_sdp flex_attention multi_head_attention multihead flash_attention efficient_attention"
)
WATCHED = (COVERAGE, HOPS, BIDAF, SPATIAL, MONOTONIC, DIAGONAL, ADDRESS, LUONG, TOP_K)
GIVEN = {
    COVERAGE: "(scores, penalty)",
    COVERAGE_LOSS: "(weights, seen, tgt_lengths)",
    HOPS: "(query, memory, hops)",
    SUPERVISED: "(task_loss, weights, gold, tgt_lengths, factor)",
    MONOTONIC: "(scores)",
    DIAGONAL: "(scores, src_lengths, tgt_lengths, sigma)",
    ADDRESS: "(memory, key, strength)",
    READ: "(memory, weights)",
    WRITE: "(memory, weights, erase, add)",
    TOP_K: "(query, keys, values, k)",
}


def interface(id: str, name: str, points: float, *size: Any) -> model.Check:
    """Return the check of the arguments of a function, or of a class and its parameters. It must also be right."""
    one = case(f"{id}-interface", examined, name, *size)
    of_module = expect("parameters", "parameters") if name in MAKES else ()
    title = f"{name} takes {GIVEN[name]}" if name in GIVEN else f"{name} has its arguments and parameters"
    signatures = expect("signature", "arguments", *(f"arguments{method}" for method in methods_of(name)))
    return kinds.interface(f"{id}-interface", points, title).on(one).expects(signatures, of_module, RIGHT)


def both(id: str, name: str, *size: Any, **options: Any) -> tuple[model.Case, model.Case]:
    """Return a case in double precision with gradients, and one in single precision."""
    return (
        case(id, once, name, *size, call={"gradient": True, "echo": True}, **options),
        case(f"{id}-float32", once, name, *size, dtype="float32", **options),
    )


def by_hand(id: str, name: str, points: float, *cases: model.Case) -> model.Check:
    """Return the check that a part does without ready-made attention."""
    hidden = " on other inputs either" if id.endswith("hidden") else ""
    title = f"{name} does without ready-made attention{hidden}"
    untouched_by = untouched(READY_MADE, later=READY_MADE, by=[name])
    return kinds.constraint(id, points, title).on(*cases).expects(untouched_by, RIGHT)
