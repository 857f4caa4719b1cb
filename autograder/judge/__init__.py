"""Compare answers with expected results, assertion by assertion, and score the outcome.

A check lists assertions. Each one names a property from ``ASSERTIONS``, a step of the program, and options.
A failed assertion becomes a ``Finding``: facts, without sentences and without points.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder import model, protocol
from autograder.judge import assertions as _results
from autograder.judge import calls as _calls
from autograder.judge import interfaces as _interfaces
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.registry import ASSERTIONS, InvalidAssertion, validate
from autograder.protocol import wire

__all__ = ["ASSERTIONS", "InvalidAssertion", "first_failure", "validate"]

# These modules define the assertions. Importing them fills the registry.
DEFINED_IN = (_results, _interfaces, _calls)


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
    for assertion in assertions:
        if assertion.cases and prepared.case not in assertion.cases:
            continue
        try:
            if assertion.name not in ("device", "untouched"):  # these two decide themselves which failures matter
                case.raise_earlier_failure(assertion.step, assertion.name, assertion.options.get("other"))
            ASSERTIONS[assertion.name](case, assertion.step, **assertion.options)
        except AssertionFailed as failed:
            return failed.finding
        except wire.WireError as error:
            return model.Finding("unreadable-answer", assertion.step, {"why": str(error)}, "error")
    return None
