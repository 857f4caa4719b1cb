"""What shows that a part is right but for its mistake. Without it, no points are given back: a cause may be named from
the shape of a result or from the words of an exception, and both cost nothing to make."""

from __future__ import annotations

from collections.abc import Mapping

from autograder import model, protocol
from autograder.feedback.diagnose import FailedCheck
from autograder.grading.suite import CheckSuite
from autograder.judge import result_tables

ANSWERED = ("value", "gradient", "mask")  # kinds of checks whose calls compute something
# Causes that an exception tells by itself. Any other exception must be that of a known mistake.
RAISING = {
    "contiguous-only",
    "device-hardcoded",
    "dtype-hardcoded",
    "silent-broadcast",
    "squeeze-drops-dim",
    "wrong-exception",
}


def answers_rightly(
    suite: CheckSuite, part: str, failing: Mapping[str, FailedCheck], answers: Mapping[str, protocol.Answer | None]
) -> bool:
    """Whether a part answers a secret question rightly whose answer is not trivial. Where a suite has no secrets, any
    such question counts. ``failing`` are the part's failing checks."""
    for check in suite.spec.checks:
        if check.part != part or check.kind not in ANSWERED:
            continue
        wrong = failing[check.id].findings if check.id in failing else {}
        asked = [case.id for case in check.cases if case.id in suite.secret or not suite.secret]
        right = [case for case in asked if answers.get(case) and case not in wrong]
        if any(not _is_trivial(suite.prepared[case]) for case in right):
            return True
    return False


def _is_trivial(prepared: model.Prepared) -> bool:
    """Whether an argument has an axis of length 1, or a result has the same number everywhere."""
    program = prepared.program
    arguments = [one for call in program.calls for one in (*call.args, *call.kwargs.values())]
    names = {one.name for one in arguments if isinstance(one, protocol.Ref)}
    if any(1 in array.shape for name, array in program.arrays.items() if name in names):
        return True
    expected = result_tables.table(program, prepared.expected_results)
    values = [array for key, array in expected.items() if key.what == "value"]
    return any(array.size > 1 and (array == array.flat[0]).all() for array in values)
