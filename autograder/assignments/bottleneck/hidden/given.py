"""What the hidden checks of ``bottleneck`` share: sizes, and cases of every function of tensors."""

from __future__ import annotations

from typing import Any

from autograder import model
from autograder.assignments.bottleneck.hidden import programs
from autograder.assignments.bottleneck.programs import ALONG, CHAIN, CONDITIONAL, ENTROPY, MUTUAL, UNIFORM, once
from autograder.assignments.kit.assertions import STATELESS, expect, only_in
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.kinds import constraint

# Three sizes for calls in turn, and two that no other case has, for the devices.
SIZES: dict[str, list[tuple[int, ...]]] = {
    UNIFORM: [(2, 5, 3), (1, 4, 2), (2, 5, 3), (4, 9, 7), (4, 8, 7)],
    ENTROPY: [(3, 7), (2, 5), (3, 7), (4, 9), (4, 8)],
    **{name: [(3, 5), (4, 2), (3, 5), (9, 7), (8, 7)] for name in (CONDITIONAL, MUTUAL)},
    CHAIN: [(3, 5, 4), (2, 3, 2), (3, 5, 4), (9, 7, 6), (8, 7, 6)],
    ALONG: [(5, 3), (3, 2), (5, 3), (2, 7), (3, 7)],
}


def rules(name: str, points: float = 0.5) -> model.Check:
    """Return the check that a function keeps no state, leaves its inputs alone, and stays on their device."""
    *turns, there, here = SIZES[name]
    one = case(f"hidden-turns-{name}", programs.in_turn, name, turns)
    devices = [
        case(f"hidden-device-{name}", once, name, *there, device="meta"),
        case(f"hidden-here-{name}", once, name, *here),
    ]
    title = f"{name} keeps no state, leaves its inputs alone and works on any device"
    draft = constraint(f"{name}-rules", points, title).on(one, *devices)
    return draft.expects(only_in([one], STATELESS), only_in(devices, expect("device")))


def sizes(id: str, name: str, *given: tuple[int, ...], gradient: bool = True, **options: Any) -> list[model.Case]:
    """Return a case for each size, in layouts and precisions in turn."""
    layouts = ("contiguous", "reversed", "gapped")
    return [
        case(
            f"hidden-{id}-{i}",
            once,
            name,
            *size,
            call={"gradient": gradient, "layout": layouts[i % 3]},
            dtype="float32" if i == 3 else "float64",
            **options,
        )
        for i, size in enumerate(given)
    ]
