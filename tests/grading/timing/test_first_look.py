"""The early decision is hardly ever wrong, whatever a machine adds to a cost.

Costs are simulated. Disturbances add to each, now and then a lot. A busy neighbour makes everything up to 1.9 times as
dear for a while: also all of the reference's first samples, and nothing of the submission. Without their calls,
questions cost as much as two calls of the reference: always (a machine that sends steadily), or disturbed like calls.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from autograder.grading.timing.verdict import SpeedVerdict
from tests.grading.timing.paired_helpers import BUDGET, Fake, new_programs, shared_questions, timed

CALL = 0.001  # seconds
BUSY = 1.9  # times as dear
CLASSES = 60


class Machine:
    """What one run's calls cost: a reference beside submissions of one true ratio."""

    def __init__(self, seed: int, ratio: float, power: float, steady: bool) -> None:
        self.steady = steady
        self.random = random.Random(seed)
        self.busy = self.random.random() < 0.5
        self.ratio, self.power = ratio, power

    def cost(self, quiet: float) -> float:
        """Return the cost of a call: dearer in busy times, noisy, and one in a hundred is an outlier."""
        if self.random.random() < 0.02:
            self.busy = not self.busy
        noise = self.random.expovariate(5) + (self.random.random() < 0.01) * self.random.uniform(0, 30)
        return quiet * (BUSY if self.busy else 1.0) * (1 + noise)

    def sending(self) -> float:
        """Return the cost of a question without its calls."""
        return 2 * CALL if self.steady else self.cost(2 * CALL)

    def verdicts(self, submissions: int = 4) -> Counter[str]:
        """Return the verdicts on several equal submissions, that share a reference and questions."""
        program = new_programs()
        reference, questions = Fake(lambda size: self.cost(CALL)), shared_questions()
        found = Counter[str]()
        for _ in range(submissions):
            first = [self.random.uniform(0, 3 * CALL)]  # one-off costs
            student = Fake(
                lambda size, first=first: (
                    self.cost(self.ratio * CALL * (size / 100) ** self.power) + (first.pop() if first else 0)
                )
            )
            reference.empty = student.empty = self.sending
            result = SpeedVerdict(student, reference, program, questions, BUDGET).run(  # type: ignore[arg-type]
                timed(sizes=(10, 50, 100))
            )
            found[result.verdict] += 1
        return found


def verdicts(ratio: float, steady: bool, power: float = 0.0) -> Counter[str]:
    return sum((Machine(seed, ratio, power, steady).verdicts() for seed in range(CLASSES)), Counter[str]())


sending = pytest.mark.parametrize("steady", [True, False], ids=["steady", "disturbed"])


@sending
@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.0, 3.0])
def test_what_is_fast_enough_is_not_too_slow(ratio: float, steady: bool) -> None:
    found = verdicts(ratio, steady)
    assert found["over"] < 0.005 * found.total()
    assert found["within"] >= 0.98 * found.total()


@sending
@pytest.mark.parametrize("ratio", [8.0, 14.0, 30.0, 700.0])
def test_what_is_too_slow_is_not_fast_enough(ratio: float, steady: bool) -> None:
    found = verdicts(ratio, steady)
    assert found["within"] < 0.005 * found.total()
    assert found["over"] >= (0.9 if steady else 0.85) * found.total()


@sending
def test_what_is_just_over_the_limit_is_hardly_ever_within(steady: bool) -> None:
    """The limit is 5."""
    found = verdicts(6.0, steady)
    assert found["within"] < (0.01 if steady else 0.02) * found.total()


@sending
@pytest.mark.parametrize(("power", "wrong"), [(0.0, "over"), (0.1, "over"), (1.0, "within")])
def test_growth_is_not_mistaken(power: float, wrong: str, steady: bool) -> None:
    found = verdicts(2.0, steady, power)
    assert found[wrong] < (0.01 if steady else 0.02) * found.total()
