"""What shows that a part is right but for its mistake. Without it, no points are given back: a cause may be named from
the shape of a result or from the words of an exception, and both cost nothing to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autograder import model, protocol
from autograder.feedback.diagnose import FailedCheck
from autograder.grading.suite import CheckSuite
from autograder.judge import result_tables
from autograder.judge.blocked import OF_VALUES
from autograder.model.words import Kind

# Causes that are named only where a part of the answer is right.
SURE = {"ignores-batch", "answers-out-of-order"}
# Causes that are named from values which may come from nowhere: they need not be near the expected ones.
LOOSE = {"not-softmax", "softmax-wrong-axis"}
# Findings about numbers that were computed.
COMPUTED = OF_VALUES | {"wrong-sum", "not-zero", "not-invariant", "not-equivariant", "backward-raised"}
EXCEPTIONS = {"raised", "raised-other", "missing-name", "not-implemented"}  # findings that leave no value
ANSWERED: tuple[Kind, ...] = ("value", "gradient", "mask")  # kinds of checks whose calls compute something
# Causes that an exception tells by itself. Any other exception must be that of a known mistake.
RAISING = {
    "contiguous-only",
    "device-hardcoded",
    "dtype-hardcoded",
    "silent-broadcast",
    "squeeze-drops-dim",
    "wrong-exception",
}


def is_computed(cause: str, findings: Iterable[model.Finding]) -> bool:
    """Whether a cause was named from values alone, which tell it only if they were computed much as the right ones."""
    return cause in SURE or (cause not in LOOSE and all(one.symptom in COMPUTED for one in findings))


def answers_rightly(
    suite: CheckSuite, part: str, failing: Mapping[str, FailedCheck], answers: Mapping[str, protocol.Answer | None]
) -> bool:
    """Whether a part answers a secret question rightly whose answer is not trivial. Where a suite has no secrets, any
    such question counts. ``failing`` are the part's failing checks."""
    for check in (one for one in suite.spec.checks if one.part == part):
        wrong = failing[check.id].findings if check.id in failing else {}
        right = [case.id for case in check.cases if answers.get(case.id) and case.id not in wrong]
        if any(is_telling(suite, check, case) for case in right):
            return True
    return False


def is_telling(suite: CheckSuite, check: model.Check, case: str) -> bool:
    """Whether a right answer to a case of the check shows that something was computed."""
    is_secret = case in suite.secret or not suite.secret
    return is_secret and check.kind in ANSWERED and not _is_trivial(suite.prepared[case])


def _is_trivial(prepared: model.Prepared) -> bool:
    """Whether an argument has an axis of length 1, or a result has the same number everywhere."""
    program = prepared.program
    names = {ref.name for call in program.calls for ref in call.refs}
    if any(1 in array.shape for name, array in program.arrays.items() if name in names):
        return True
    expected = result_tables.table(program, prepared.expected_results)
    values = [array for key, array in expected.items() if key.what == "value"]
    return any(array.size > 1 and (array == array.flat[0]).all() for array in values)
