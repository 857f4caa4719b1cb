"""The references as a submission: they run in a worker, and say there what the oracle says here."""

from __future__ import annotations

import sys

import msgspec
import pytest

from autograder import assignments, judge, model, protocol
from autograder.assignments.kit import programs
from autograder.grading.responses import import_trouble
from autograder.grading.session import Session
from autograder.grading.timing import reference
from autograder.instructor import oracle
from autograder.sandbox.forkserver import ForkServer
from tests.small_suite_helpers import suite

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

SMALL = 7  # of whatever grows
CALLS = {name: [call for check in assignments.load(name).checks for call in check.timed] for name in assignments.NAMES}
PROPERTIES = ("shapes", "values", "dtypes")


def asked(assignment: str, timed: model.TimedCall) -> model.Prepared:
    """A timed call, small, with what is due."""
    program = timed.build(programs.InputGenerator("the tests' seed", assignment, timed.name), SMALL, 2)
    return model.Prepared(timed.name, program, oracle.right_results(assignment, program))


def assertions(case: model.Prepared) -> list[model.Assertion]:
    """All properties of all calls."""
    calls = [step.into for step in case.program.steps if isinstance(step, protocol.Call)]
    assert len(calls) == 2
    return [model.Assertion(what, of) for of in calls for what in PROPERTIES]


@linux
@pytest.mark.parametrize("assignment", CALLS)
def test_the_references_answer_as_the_oracle_does(server: ForkServer, assignment: str) -> None:
    session = Session(suite(), server, reference.reference_form(assignment))
    try:
        assert not import_trouble(session.begin())
        for case in (asked(assignment, timed) for timed in CALLS[assignment]):
            actual, cost = session.ask_with_cost(case.program, msgspec.msgpack.encode(case.program))
            assert isinstance(actual, protocol.Answer), actual
            assert judge.first_failure(assertions(case), case, actual) is None, case.id
            assert cost > 0
    finally:
        session.end()


@pytest.mark.parametrize("assignment", CALLS)
def test_a_form_is_one_file(assignment: str) -> None:
    form = reference.reference_form(assignment)
    (text,) = form.cells
    compile(text, form.filename, "exec")
    assert reference.reference_form(assignment) is form  # read once, however many submissions are timed beside it


def test_without_references_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(reference.NotInstalled, match="not installed"):
        reference.reference_form.__wrapped__("bahdanau")
