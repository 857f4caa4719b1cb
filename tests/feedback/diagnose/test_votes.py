"""Who is believed: known mistakes whose answer is the student's, the strongest witness, the cause of most checks; and
where nobody is, nothing is told."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from autograder import model, protocol
from autograder.feedback import diagnose
from autograder.feedback.causes import CAUSES
from autograder.feedback.diagnose import cause_ranking
from autograder.protocol import wire
from tests.small_suite_helpers import answered, asked, call, check, gradients

RNG = np.random.default_rng(6)
X = RNG.normal(size=(2, 3, 4))
Y = np.tanh(X)
KNOWN, OTHER = Y + 1, Y - 1  # what two known mistakes would show
MISSING = protocol.Raised(
    "NotImplementedError", ("NotImplementedError", "RuntimeError"), "", 3, "raise NotImplementedError"
)


class Mistake(NamedTuple):
    """A known mistake, and the cases in which it shows, with what."""

    cause: str
    shows: dict[str, Any]
    how: str = ""
    whole: bool = False


class Case(NamedTuple):
    """A case of one call of ``what``, which may be a method of ``module``, and what came."""

    name: str
    actual: Any
    what: str = "attend"
    symptom: str = "wrong-values"
    part: str = ""  # a class that is made too, and not called
    expected: Any = Y
    scale: float = 1.0

    def prepared(self) -> model.Prepared:
        """The case."""
        steps: list[protocol.Step] = []
        expected = {"out": self.expected}
        if self.part:
            steps.append(protocol.Make("part", self.part))
            expected = {"part": protocol.StepResult("part"), **expected}
        named, wrt = self.what, ("x",) if isinstance(self.expected, protocol.StepResult) else ()
        if self.what[0].isupper():
            first, _, method = self.what.partition(".")
            steps.append(protocol.Make("module", first))
            expected = {"module": protocol.StepResult("module"), **expected}
            named = f"module.{method}" if method else "module"
        outputs = ("a", "b") if isinstance(self.expected, tuple) else ("result",)
        cotangents = ("x",) if wrt else ()
        steps.append(call(named, "x", outputs=outputs, wrt=wrt, cotangents=cotangents))
        return asked(self.name, tuple(steps), expected, x=self.scale * X)

    def failing(self, *more: Case) -> diagnose.FailedCheck:
        """A check of this case, and of more, that failed."""
        findings = {
            one.name: model.Finding(
                one.symptom, "out", {"raised": one.actual, "name": "x", "actual": "", "expected": ""}
            )
            for one in (self, *more)
        }
        return diagnose.FailedCheck(check(self.name), findings)


def results(shown: Any) -> dict[str, Any]:
    """The arrays of a call, by output."""
    return dict(zip("ab", shown, strict=False)) if isinstance(shown, tuple) else {"result": shown}


def told(
    *checks: Case | tuple[Case, ...],
    right: tuple[Case, ...] = (),
    known: tuple[Mistake, ...] = (),
    again: Any = None,
    helped: tuple[str, ...] = (),
) -> dict[str, str | None]:
    """The causes of checks that failed, each of one case or several; ``right`` cases went well, and ``again`` is what
    comes when the first that went wrong is asked again."""
    groups = [one if isinstance(one, tuple) and not isinstance(one, Case) else (one,) for one in checks]
    cases = [*(case for group in groups for case in group), *right]
    answers = {}
    for case in cases:
        given = {step.into: protocol.StepResult(step.into) for step in case.prepared().program.steps}  # type: ignore[union-attr]
        answers[case.name] = answered({**given, "out": case.actual})

    def variant_answers(name: str) -> list[model.VariantAnswer]:
        return [
            model.VariantAnswer(
                f"{one.cause}/{one.how}",
                one.cause,
                whole=one.whole,
                arrays=tuple(
                    ("out", "value", output, wire.to_array(np.asarray(array)))
                    for output, array in results(one.shows[name]).items()
                ),
            )
            for one in known
            if name in one.shows
        ]

    return diagnose.causes(
        [group[0].failing(*group[1:]) for group in groups],
        {case.name: case.prepared() for case in cases},
        answers,
        diagnose.VariantTable(variant_answers),
        lambda program: (None if again is None else answered({"out": again}),) * 2,
        helped=helped,
    )


# ---------------------------------------------------------------- known mistakes


def test_nothing_failed_nothing_is_told() -> None:
    assert told(right=(Case("a", Y),), known=(Mistake("missing-tanh", {"a": X}),)) == {}


def test_a_known_mistake_is_told_where_its_answer_is_the_students() -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN}),)
    assert told(Case("a", KNOWN), known=known) == {"a": "missing-tanh"}
    assert told(Case("a", KNOWN + 1e-9), known=known) == {"a": "missing-tanh"}
    assert told(Case("a", KNOWN + 1e-2), known=known) == {"a": None}


def test_it_must_explain_all_cases_that_fail_of_the_same_function() -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN, "b": KNOWN}),)
    assert told((Case("a", KNOWN), Case("b", KNOWN)), known=known) == {"a": "missing-tanh"}
    assert told((Case("a", KNOWN), Case("b", OTHER)), known=known) == {"a": None}
    assert told(Case("a", KNOWN), Case("b", OTHER), known=known) == {"a": None, "b": None}
    elsewhere = told(Case("a", KNOWN), Case("b", OTHER, "other"), known=known)
    assert elsewhere == {"a": "missing-tanh", "b": None}


def test_two_spellings_of_one_mistake_may_explain_a_case_each() -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN}, "one"), Mistake("missing-tanh", {"b": OTHER}, "other"))
    assert told((Case("a", KNOWN), Case("b", OTHER)), known=known) == {"a": "missing-tanh"}


def test_a_mistake_that_shows_in_no_more_than_came_beats_one_that_would() -> None:
    wrong = Case("a", (KNOWN, Y), expected=(Y, Y))
    wider, exact = Mistake("missing-tanh", {"a": (KNOWN, OTHER)}), Mistake("missing-scale", {"a": (KNOWN,)})
    assert told(wrong, known=(wider,)) == {"a": "missing-tanh"}
    assert told(wrong, known=(wider, exact)) == {"a": "missing-scale"}


def test_a_case_that_raises_speaks_neither_for_nor_against_a_mistake() -> None:
    """One spelling of it may raise where another gives wrong numbers."""
    raised = Case("b", protocol.Raised("IndexError", ("IndexError",), "no", 3), symptom="raised")
    known = (Mistake("missing-tanh", {"a": KNOWN, "b": KNOWN}),)
    assert told((Case("a", KNOWN), raised), known=known) == {"a": "missing-tanh"}
    assert told(raised, known=known) == {"b": None}
    assert told((Case("a", OTHER), raised), known=known) == {"a": None}


def test_two_causes_that_explain_as_much_tell_nothing() -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN}), Mistake("missing-scale", {"a": KNOWN}))
    assert told(Case("a", KNOWN), known=known) == {"a": None}


def test_of_two_causes_that_explain_as_much_one_is_told_that_nothing_right_refutes() -> None:
    """A wrong helper shows in what uses it, and in its own cases too."""
    helper = Mistake("missing-tanh", {"a": KNOWN, "b": KNOWN})
    known = (helper, Mistake("missing-scale", {"a": KNOWN}))
    wrong, right = Case("a", KNOWN, "Layer"), Case("b", Y, "helper")
    assert told(wrong, right=(right,), known=known) == {"a": "missing-scale"}
    assert told(wrong, right=(right,), known=(helper,)) == {"a": "missing-tanh"}
    assert told(wrong, known=known) == {"a": None}
    assert told(wrong, right=(right,), known=known, helped=("b",)) == {"a": None}  # a right helper was put there
    both_refuted = (helper, helper._replace(cause="missing-scale"))
    assert told(wrong, right=(right,), known=both_refuted) == {"a": None}


def test_the_cause_of_more_checks_is_told() -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN, "b": KNOWN}), Mistake("missing-scale", {"a": KNOWN}))
    found = told(Case("a", KNOWN, "one"), Case("b", KNOWN, "two"), known=known)
    assert found == {"a": "missing-tanh", "b": "missing-tanh"}


def test_a_known_mistake_without_an_id_tells_nothing_and_no_weaker_witness_is_asked() -> None:
    even = np.full_like(Y, 0.5)
    assert told(Case("a", even)) == {"a": "hardcoded-answer"}
    assert told(Case("a", even), known=(Mistake("", {"a": even}),)) == {"a": None}


def test_a_mistake_that_would_show_where_all_is_right_is_refuted() -> None:
    wrong, same, other = Case("a", KNOWN), Case("b", Y), Case("b", Y, "other")
    known = (Mistake("missing-tanh", {"a": KNOWN, "b": KNOWN}),)
    assert told(wrong, right=(same,), known=known) == {"a": None}
    assert told(wrong, right=(other,), known=known) == {"a": "missing-tanh"}  # it need not be everywhere
    whole = (known[0]._replace(whole=True),)
    assert told(wrong, right=(other,), known=whole) == {"a": None}
    assert told(wrong, right=(Case("b", Y),), known=(Mistake("missing-tanh", {"a": KNOWN}),)) == {"a": "missing-tanh"}


# ---------------------------------------------------------------- stronger and weaker witnesses


EVEN = np.full_like(Y, 0.5)  # which a sign sees


def test_who_is_not_contradicted_is_believed_whatever_is_said_elsewhere() -> None:
    found = told(Case("a", EVEN), Case("b", MISSING, "other", "not-implemented"))
    assert found == {"a": "hardcoded-answer", "b": "not-implemented"}


def test_a_symptom_outvoices_what_may_follow_from_it() -> None:
    found = told(Case("a", EVEN, "Thing.score"), Case("b", MISSING, "Thing", "not-implemented"))
    assert found == {"a": None, "b": "not-implemented"}


def test_what_an_exception_says_is_a_symptom() -> None:
    raised = protocol.Raised(
        "RuntimeError", ("RuntimeError",), "a leaf Variable that requires grad is used in place", 3
    )
    found = told(Case("a", raised, "Thing", "raised"), Case("b", EVEN, "Thing.score"))
    assert found == {"a": "modifies-input", "b": None}


def test_what_was_tried_is_as_good_as_a_symptom() -> None:
    assert told(Case("a", EVEN), again=EVEN) == {"a": "hardcoded-answer"}
    assert told(Case("a", EVEN), again=Y) == {"a": "stateful"}  # which no sign can know


def test_a_known_mistake_is_heard_beside_a_symptom_and_not_beside_wrong_parameters() -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN}),)
    wrong = Case("a", KNOWN, "Thing.score")
    for symptom, cause, mistake in (
        ("changed-input", "modifies-input", "missing-tanh"),
        ("wrong-parameters", "wrong-parameters", None),
    ):
        assert told(wrong, Case("b", Y, "Thing", symptom), known=known) == {"a": mistake, "b": cause}


def test_what_a_wrong_part_brings_about_has_no_cause_of_its_own() -> None:
    outer = Case("b", EVEN, "Outer", part="Inner")
    assert told(outer) == {"b": "hardcoded-answer"}
    assert told(Case("a", KNOWN, "Inner"), outer) == {"a": None, "b": None}


@pytest.mark.parametrize("effect", sorted(cause_ranking.FOLLOWS_FROM))
def test_what_follows_from_another_cause_is_not_told_beside_it(effect: str) -> None:
    for reason in cause_ranking.FOLLOWS_FROM[effect]:
        known = (Mistake(effect, {"a": KNOWN}), Mistake(reason, {"b": OTHER}))
        one, other = Case("a", KNOWN, "Thing.score"), Case("b", OTHER, "Thing.forward")
        assert told(one, known=known) == {"a": effect}
        # Of one function they would explain nothing together, so these are two methods whose cases do not overlap.
        together = told(one, other._replace(what="second"), known=known)
        assert together == {"a": effect, "b": reason}
    assert cause_ranking.FOLLOWS_FROM[effect] <= CAUSES.keys()


def test_a_gradient_that_is_lost_in_place_is_not_told_beside_what_is_changed() -> None:
    cut = Case(
        "a",
        gradients("out", Y, x=np.where(X > 0, X, 0.0)),
        "Thing",
        "wrong-gradient",
        expected=gradients("out", Y, x=X),
    )
    assert told(cut) == {"a": "detached-graph"}
    changed = Case("b", Y, "Thing", "changed-input")
    assert told(cut, changed) == {"a": None, "b": "modifies-input"}
    elsewhere = changed._replace(what="other")
    assert told(cut, elsewhere) == {"a": "detached-graph", "b": "modifies-input"}


@pytest.mark.parametrize("symptom", sorted(cause_ranking.NO_NUMBERS - {"raised-other"}))
def test_numbers_explain_none_of_these_findings(symptom: str) -> None:
    known = (Mistake("missing-tanh", {"a": KNOWN}),)
    by_symptom = {"did-not-raise": "wrong-exception"}
    assert told(Case("a", KNOWN, symptom=symptom), known=known) == {"a": by_symptom.get(symptom)}


def test_no_answer_is_no_witness() -> None:
    """A worker that died has shown nothing, and the known mistakes are not asked about it."""
    case = Case("a", KNOWN, symptom="crashed")
    variant_table = diagnose.VariantTable(
        lambda _: [model.VariantAnswer("missing-tanh", "missing-tanh", raises=("out",))]
    )
    finding = model.Finding("crashed", "out", {"why": "exit code 3"}, "error")
    failing = diagnose.FailedCheck(check("a"), {"a": finding})
    found = diagnose.causes([failing], {"a": case.prepared()}, {"a": None}, variant_table, lambda program: (None, None))
    assert found == {"a": None}


@pytest.mark.parametrize(
    ("raised", "cause"),
    [
        ("AssertionError", "wrong-exception"),
        ("KeyError", "wrong-exception"),
        ("TypeError", None),
        ("AttributeError", None),
        ("NameError", None),
    ],
)
def test_another_exception_is_a_wrong_one_unless_the_code_cannot_run(raised: str, cause: str | None) -> None:
    case = Case("a", KNOWN)
    facts = {"raised": protocol.Raised(raised, (raised, "Exception"), "no", 3, "x"), "wanted": "ValueError"}
    failing = diagnose.FailedCheck(check("a"), {"a": model.Finding("raised-other", "out", facts)})
    table = diagnose.VariantTable(lambda _: [])
    answer = answered({"out": KNOWN})
    found = diagnose.causes([failing], {"a": case.prepared()}, {"a": answer}, table, lambda program: (None, None))
    assert found == {"a": cause}
