"""What the checks of ``modern`` share: cases, the arguments of each function, and frequent assertions."""

from __future__ import annotations

from typing import Any

from autograder import model
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import RIGHT, expect
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.observed import untouched
from autograder.assignments.modern.programs import (
    BLOCK,
    GROUPED,
    LAYER,
    MAKES,
    PROJECTED,
    ROTARY,
    SPARSE,
    STREAMED,
    WINDOW,
    examined,
    once,
)

READY_MADE = (
    "scaled_dot_product fused_sdp flex_attention multi_head_attention multihead flash_attention efficient_attention"
)
WATCHED = (PROJECTED, STREAMED, WINDOW, SPARSE, GROUPED, LAYER, BLOCK)
NOT_READY_MADE = {name: untouched(READY_MADE, later=READY_MADE, by=[name]) for name in WATCHED}
GIVEN = {
    STREAMED: "(query, key, value, block_size)",
    WINDOW: "(query, key, value, radius)",
    SPARSE: "(query, key, value, radius, stride)",
    ROTARY: "(x, positions, base=10000.0)",
    GROUPED: "(query, key, value)",
}


def interface(id: str, name: str, points: float, *size: Any) -> model.Check:
    """Return the check of the arguments of a function, or of a class and its parameters. It must also be right."""
    one = case(f"{id}-interface", examined, name, *size)
    root = name.partition(".")[0]
    steps = {PROJECTED: (".project", ".step", ".forward"), LAYER: (".forward", ".extend"), BLOCK: (".forward",)}
    of_module = expect("parameters", "parameters") if name in MAKES else ()
    title = f"{name} takes {GIVEN[name]}" if name in GIVEN else f"{root} has its arguments and parameters"
    draft = kinds.interface(f"{id}-interface", points, title).on(one)
    signatures = expect("signature", "arguments", *(f"arguments{step}" for step in steps.get(root, ())))
    return draft.expects(signatures, of_module, RIGHT)


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
    return kinds.constraint(id, points, title).on(*cases).expects(NOT_READY_MADE[name], RIGHT)
