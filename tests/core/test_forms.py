"""The references as a submission: they run in a worker, and say there what the oracle says here."""

from __future__ import annotations

import sys

import msgspec
import pytest

from autograder import cases, forms, judge, model, oracle
from autograder.dialogue import Dialogue
from autograder.sandbox.forkserver import ForkServer
from autograder.specs.speed import CALLS
from autograder.transcript import import_trouble
from tests.core.tools import exam

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

SMALL = 7  # of whatever grows
PROPERTIES = ("shapes", "values", "dtypes")


def asked(topic: str, timed: model.Timed) -> model.Prepared:
    """A timed call, small, with what is due."""
    program = timed.build(cases.Draw("the tests' seed", topic, timed.name), SMALL, 2)
    return model.Prepared(timed.name, program, oracle.expected(topic, program))


def holds(case: model.Prepared) -> list[model.Hold]:
    """All properties of all calls."""
    calls = [step.into for step in case.program.steps if isinstance(step, model.Call)]
    assert len(calls) == 2
    return [model.Hold(what, of) for of in calls for what in PROPERTIES]


@linux
@pytest.mark.parametrize("topic", CALLS)
def test_the_references_answer_as_the_oracle_does(server: ForkServer, topic: str) -> None:
    dialogue = Dialogue(exam(), server, forms.reference_form(topic))
    try:
        assert not import_trouble(dialogue.begin())
        for case in (asked(topic, timed) for timed in CALLS[topic]):
            came, cost = dialogue.costing(case.program, msgspec.msgpack.encode(case.program))
            assert isinstance(came, model.Answer), came
            assert judge.first_unmet(holds(case), case, came) is None, case.id
            assert cost > 0
    finally:
        dialogue.end()


@pytest.mark.parametrize("topic", CALLS)
def test_a_form_is_one_file(topic: str) -> None:
    form = forms.reference_form(topic)
    (text,) = form.cells
    compile(text, form.filename, "exec")
    assert forms.reference_form(topic) is form  # read once, however many submissions are timed beside it


def test_without_references_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(forms.NotInstalled, match="not installed"):
        forms.reference_form.__wrapped__("bahdanau")
