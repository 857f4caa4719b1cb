"""Points where speed is not checked."""

from __future__ import annotations

from collections import Counter

import pytest

from autograder import assignments
from autograder.grading import suite
from autograder.model.numbers import half_up


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_each_part_keeps_its_points_and_each_check_has_two_decimals(assignment: str) -> None:
    spec = assignments.load(assignment, hidden=True)
    left = suite.checks(spec, timing=False)
    assert not any(check.kind == "timing" for check in left)
    assert all(half_up(check.points) == check.points > 0 for check in left)
    before, after = (Counter[str](), Counter[str]())
    for checks, sums in ((spec.checks, before), (left, after)):
        for check in checks:
            sums[check.part] += check.points  # type: ignore[assignment]
    assert after == pytest.approx(before)
