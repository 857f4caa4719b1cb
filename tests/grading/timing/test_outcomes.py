"""Speed is not measured where the answers can't count: another check of the part shows it already."""

from __future__ import annotations

import pytest

from autograder import model
from autograder.grading import suite
from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import SEED
from tests.grading_helpers import submission
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8")
LINE = "    return weights * (grad_weights - mean_gradient)\n"
CHECKS = ("vjp-values", "vjp-shapes", "vjp-speed", "vjp-example", "vjp-one-hot")


class Measured(Exception):
    """The check of speed was measured."""


class Checker:
    """Measures nothing."""

    def measure(self, *_: object) -> None:
        raise Measured


def speed(server: ForkServer, line: str) -> model.Outcome:
    assert LINE in SOLUTION
    checks = suite.full("bahdanau", SEED)
    checks = checks.only({one.id for one in checks.spec.checks if one.id in CHECKS})
    runner = Runner(checks, server, timing_checker=Checker())  # type: ignore[arg-type]
    grade = runner.grade(submission(SOLUTION.replace(LINE, line), "bahdanau"))
    return next(check for check in grade.checks if check.kind == "timing")


@pytest.mark.parametrize(
    ("line", "status", "cause"),
    [
        ("    while True: pass\n", "timeout", "too-slow"),
        ("    raise NotImplementedError\n", "error", "not-implemented"),
        ("    raise OSError\n", "error", None),
        ("    return weights + 7 * grad_weights\n", "blocked", None),
    ],
)
def test_a_part_that_is_wrong_throughout_is_not_measured(
    server: ForkServer, line: str, status: str, cause: str | None
) -> None:
    found = speed(server, line)
    assert (found.status, found.points, found.diagnosis) == (status, 0, cause)


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        "    return weights * (1 - weights) * grad_weights\n",  # a confirmed mistake: its own answers count as right
        LINE.replace("return", "return torch.where(weights == 1, 1.0, 0.0) +"),  # wrong in a corner only
    ],
)
def test_otherwise_it_is_measured(server: ForkServer, line: str) -> None:
    with pytest.raises(Measured):
        speed(server, line)
