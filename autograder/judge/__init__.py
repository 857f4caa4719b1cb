"""Compare answers with expected results, assertion by assertion, and score the outcome.

A check lists assertions. Each one names a property from ``ASSERTIONS``, a step of the program, and options.
A failed assertion becomes a ``Finding``: facts, without sentences and without points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from autograder import model, protocol
from autograder.judge import assertions as _results
from autograder.judge import calls as _calls
from autograder.judge import interfaces as _interfaces
from autograder.judge import numbers as _numbers
from autograder.judge import properties as _properties
from autograder.judge import quizzes as _quizzes
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.registry import ASSERTIONS, InvalidAssertion, validate
from autograder.protocol import wire

__all__ = ["ASSERTIONS", "InvalidAssertion", "first_failure", "validate"]

# These modules define the assertions. Importing them fills the registry.
DEFINED_IN = (_results, _interfaces, _calls, _numbers, _properties, _quizzes)


def first_failure(
    assertions: Iterable[model.Assertion],
    prepared: model.Prepared,
    answer: protocol.Answer,
    work: model.Submission | None = None,
    guarded: bool = False,
) -> model.Finding | None:
    """Return the finding of the first assertion that ``answer`` fails, or None if it passes all.

    ``untouched`` reads the source of ``work``. ``guarded`` leaves room for a guard (``tolerances.GUARD``).
    """
    case = Comparison(prepared, answer, work, guarded)
    wanted = [one for one in assertions if not one.cases or prepared.case in one.cases]
    found = next(_failures(case, wanted), None)
    if found and found.symptom == "wrong-signature":  # names of arguments hide nothing about parameters
        also = next(_failures(case, [one for one in wanted if one.name == "parameters"]), None)
        return replace(found, facts=found.facts | {"also": also}) if also else found
    return found


def _failures(case: Comparison, assertions: Iterable[model.Assertion]) -> Iterator[model.Finding]:
    """Yield the findings of the assertions that fail, in their order."""
    for assertion in assertions:
        try:
            if assertion.name not in ("device", "untouched"):  # these two decide themselves which failures matter
                case.raise_earlier_failure(assertion.step, assertion.name, assertion.options.get("other"))
            ASSERTIONS[assertion.name](case, assertion.step, **assertion.options)
        except AssertionFailed as failed:
            yield failed.finding
        except wire.WireError as error:
            yield model.Finding("unreadable-answer", assertion.step, {"why": str(error)}, "error")
