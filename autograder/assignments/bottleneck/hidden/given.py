"""What the hidden checks of ``bottleneck`` share: sizes, and cases of every function of tensors."""

from __future__ import annotations

from functools import partial

from autograder import model
from autograder.assignments.bottleneck.programs import ALONG, CHAIN, CONDITIONAL, ENTROPY, MUTUAL, UNIFORM, USUAL
from autograder.assignments.kit.hidden.usual_cases import in_layouts, steady
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
    cases, assertions = steady(USUAL, name, SIZES[name])
    title = f"{name} keeps no state, leaves its inputs alone and works on any device"
    return constraint(f"{name}-rules", points, title).on(*cases).expects(*assertions)


sizes = partial(in_layouts, USUAL)
