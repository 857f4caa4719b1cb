"""The references as a submission: they run in a worker, and say there what the oracle says here."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from autograder import assignments, judge, model, protocol
from autograder.assignments.kit import programs
from autograder.grading.responses import import_trouble
from autograder.grading.session import Session
from autograder.grading.timing import reference
from autograder.instructor import oracle
from autograder.protocol.wire import to_numpy
from autograder.sandbox.forkserver import ForkServer
from tests.small_suite_helpers import suite

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

SMALL = 7  # of whatever grows
CALLS = {name: [call for check in assignments.load(name).checks for call in check.timed] for name in assignments.NAMES}
PROPERTIES = ("shapes", "values", "dtypes")


def asked(assignment: str, timed: model.TimedCall, size: int = SMALL, seed: str = "the tests' seed") -> model.Prepared:
    """A timed call, by default a small one, with what is due."""
    program = timed.build(programs.InputGenerator(seed, assignment, timed.name), size, 2)
    return model.Prepared(timed.name, program, oracle.right_results(assignment, program))


def assertions(case: model.Prepared) -> list[model.Assertion]:
    """All properties of all calls."""
    calls = [step.into for step in case.program.steps if isinstance(step, protocol.Call)]
    assert len(calls) == 2
    return [model.Assertion(what, of) for of in calls for what in PROPERTIES]


@contextlib.contextmanager
def answering(server: ForkServer, assignment: str) -> Iterator[Callable[[model.Prepared], protocol.Answer]]:
    """A worker with the references; call it with a case. Each answer costs something."""

    def answer(case: model.Prepared) -> protocol.Answer:
        actual, cost = session.ask_with_cost(case.program, msgspec.msgpack.encode(case.program))
        assert isinstance(actual, protocol.Answer), actual
        assert cost > 0
        return actual

    session = Session(suite(), server, reference.reference_form(assignment))
    try:
        assert not import_trouble(session.begin())
        yield answer
    finally:
        session.end()


@linux
@pytest.mark.parametrize("assignment", CALLS)
def test_the_references_answer_as_the_oracle_does(server: ForkServer, assignment: str) -> None:
    with answering(server, assignment) as answer:
        for timed in CALLS[assignment]:
            case = asked(assignment, timed)
            assert judge.first_failure(assertions(case), case, answer(case)) is None, case.id


@linux
@pytest.mark.parametrize("assignment", CALLS)
def test_rounding_uses_little_of_what_a_timed_value_may_be_off(server: ForkServer, assignment: str) -> None:
    """Other right forms round otherwise. At the size that is timed, ten times the reference's own rounding is right."""
    with answering(server, assignment) as answer:
        for timed, seed in itertools.product(CALLS[assignment], ("one", "two", "three")):
            case = asked(assignment, timed, timed.at, seed)
            assert judge.first_failure(assertions(case), case, _rounded_more(answer(case), case, 10)) is None, case.id


def _rounded_more(actual: protocol.Answer, case: model.Prepared, factor: int) -> protocol.Answer:
    """Return the answer with its differences from the expected values ``factor`` times as large."""
    results = [
        msgspec.structs.replace(mine, value=_apart(mine.value, due.value, factor))
        for mine, due in zip(actual.results, case.expected_results, strict=True)
    ]
    return protocol.Answer(actual.nonce, tuple(results))


def _apart(mine: protocol.Value | None, due: protocol.Value | None, factor: int) -> protocol.Value | None:
    match mine, due:
        case protocol.Sequence(), protocol.Sequence():
            pairs = zip(mine.items, due.items, strict=True)
            items: Any = tuple(_apart(one, other, factor) for one, other in pairs)
            return msgspec.structs.replace(mine, items=items)
        case protocol.Tensor(), protocol.Tensor() if "float" in mine.array.dtype:
            numbers, right = to_numpy(mine.array), to_numpy(due.array)
            moved = np.asarray(right + factor * (numbers - right)).astype(numbers.dtype)
            return msgspec.structs.replace(mine, array=msgspec.structs.replace(mine.array, data=moved.tobytes()))
        case protocol.Scalar(value=float(number)), protocol.Scalar(value=float(right)):
            return protocol.Scalar(right + factor * (number - right))
    return mine


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
