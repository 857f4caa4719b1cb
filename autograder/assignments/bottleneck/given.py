"""What the checks of ``bottleneck`` share: cases, the arguments of each function, and frequent assertions."""

from __future__ import annotations

from typing import Any

from autograder import model
from autograder.assignments.bottleneck import programs
from autograder.assignments.bottleneck.programs import ANSWERS, USUAL
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import Assertions, expect, right
from autograder.assignments.kit.checks import case

ECHO: dict[str, Any] = {"call": {"gradient": True, "echo": True}}
BITS = right(scale=1.0)  # information is a difference of entropies, which may cancel
DISTRIBUTIONS = {"probabilities": 1, "joint": 2, "channel": 1}  # inputs -> last axes that sum to 1
GRADIENTS = expect("gradients", distributions=DISTRIBUTIONS)
AT_ZERO = expect("gradients", distributions=DISTRIBUTIONS, finite_at_zero=True)
interface, both = USUAL.interface, USUAL.both
# The answers of own_answers that one check looks at.
GROUPS = {"information": ANSWERS[:3], "path": ANSWERS[3:6], "cost": ANSWERS[6:]}
IN_PLACE = {"says": "each answer stands in its place", "cause": "answers-out-of-order", "relative": 1e-3}


def counted(id: str, name: str, *draws: str, times: int = 1) -> tuple[model.Case, Assertions]:
    """Return a case that calls a function of plain numbers with arguments drawn so, and what it must give."""
    steps = {f"{how or 'plain'}-{time}": how for time in range(times) for how in draws}
    return case(id, programs.plain, name, steps), expect("numbers", *steps)


def counts(id: str, name: str, points: float, title: str, *draws: str, times: int = 1) -> model.Check:
    """Return a check of the results of a function of plain numbers."""
    one, numbers = counted(id, name, *draws, times=times)
    visible = id.removeprefix("hidden-")
    return kinds.value(visible, points, title).on(one).expects(expect("signature", "arguments"), numbers)


def answers(id: str, case_id: str, group: str, points: float, title: str, count: int = 2) -> model.Check:
    """Return a check of some of the answers for the numbers of ``count`` tokens."""
    steps = ["out", *(f"out-{number}" for number in range(1, count))]
    varied = {"says": "other numbers have other answers", "cause": "own-numbers-fixed"}
    return (
        kinds.value(id, points, title)
        .on(case(case_id, programs.answered, count))
        .expects(
            expect("differs", "out", other="out-1", **varied),
            expect("placed", *steps, **IN_PLACE),
            expect("numbers", *steps, only=GROUPS[group], relative=1e-3),
        )
    )
