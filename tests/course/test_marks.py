"""From the grader's score to the final one."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import model
from autograder.course import marks
from autograder.course.decisions import change
from autograder.course.lateness import LateRule
from autograder.course.marks import Rules, composed
from autograder.model import Decision, Facts, GradedFile, HandedIn, Identity
from tests.course.course_helpers import CHECKS, check, grade

LATE = Facts(work=GradedFile("luong.py", "aa", HandedIn("2026-02-02T12:00:00Z")))
TEN = Rules(LateRule("2026-02-01T12:00:00Z", percent_per_day=10))


def decided(*texts: str) -> list[Decision]:
    """Decisions such as ``+5`` or ``values =3``, about the work ``aa``."""
    made = []
    for text in texts:
        target, _, rest = text.rpartition(" ") if not text.startswith("extend") else ("", "", text)
        kind = Decision("", "accept") if rest == "accept" else change(rest)
        made.append(msgspec.structs.replace(kind, student="ana", target=target, sha256="aa"))
    return made


@pytest.mark.parametrize(
    ("texts", "final"),
    [
        ((), 55.0),
        (("+5",), 60.0),
        (("-3.5",), 51.5),
        (("+5", "+5"), 65.0),
        (("+90",), 100.0),
        (("-90",), 0.0),
        (("=80",), 80.0),
        (("+5", "=80"), 80.0),  # what is set replaces what was decided before
        (("=80", "+5"), 85.0),
        (("=80", "values +5"), 85.0),
        (("values +5",), 60.0),
        (("values +30",), 80.0),  # no check has more than its points
        (("values -9",), 50.0),
        (("values =20",), 70.0),
        (("values +5", "values =20"), 70.0),
        (("Attention =60",), 100.0),
        (("Attention =0",), 40.0),
        (("Attention +30",), 85.0),
        (("Attention exempt",), 100.0),  # the rest counts for all
        (("softmax exempt",), 25.0),
        (("values exempt", "sums exempt"), 100.0),
        (("values accept",), 80.0),
        (("missing-tanh accept",), 100.0),  # with what it brought about
        (("other accept",), 55.0),
        (("values +5", "missing-tanh accept"), 100.0),
        (("gone +5",), 55.0),  # a check that is there no more
    ],
)
def test_what_people_decide(texts: tuple[str, ...], final: float) -> None:
    found = composed(grade(), decisions=decided(*texts))
    assert found.final_score == found.final == pytest.approx(final)
    assert found.score == 55.0
    assert (found.late_penalty, found.excused) == (0.0, False)
    if 0 < final < 100:
        assert found.adjustment == pytest.approx(final - 55.0)


def test_late_work_costs_of_the_adjusted_mark() -> None:
    found = composed(grade(), LATE, decided("+5"), TEN)
    assert (found.score, found.adjustment, found.late_penalty, found.final_score) == (55.0, 5.0, 6.0, 54.0)
    assert (found.days_late, found.handed_in, found.file_sha256) == (1, "2026-02-02T12:00:00Z", "aa")


@pytest.mark.parametrize(
    ("texts", "final"),
    [
        (("exempt",), 55.0),
        (("extend 1d",), 55.0),
        (("extend 1h",), 49.5),
        (("extend 2d", "extend 1h"), 49.5),
        (("=80",), 80.0),
    ],
)
def test_who_pays_nothing_for_lateness(texts: tuple[str, ...], final: float) -> None:
    assert composed(grade(), LATE, decided(*texts), TEN).final_score == final


def test_a_students_own_deadline_goes_before_everybodys() -> None:
    assert composed(grade(), LATE, (), TEN, ("2026-02-02T12:00Z",)).final_score == 55.0
    assert composed(grade(), LATE, (), TEN, ("2026-02-02T12:00Z", "2026-02-01T12:00Z")).final_score == 49.5


def test_who_is_excused_has_no_final_score() -> None:
    found = composed(grade(), LATE, decided("excuse", "+5"), TEN)
    assert (found.excused, found.final_score, found.final, found.late_penalty) == (True, None, None, 0.0)


def test_our_fault_has_a_mark_only_if_one_is_set() -> None:
    fault = grade(checks=(), score=None, status="infrastructure-error")
    assert composed(fault).final is None
    assert composed(fault, decisions=decided("+5")).final is None
    assert composed(fault, decisions=decided("=70")).final == 70.0


def test_extra_credit_may_exceed_the_maximum() -> None:
    assert composed(grade(), decisions=decided("+60"), rules=Rules(extra_credit=True)).final_score == 115.0


def test_nothing_is_accepted_where_nothing_is_written_or_nothing_ran() -> None:
    blank = (check("values", 0.0, 100.0, diagnosis="not-implemented"),)
    assert marks.accepted(grade(checks=blank), "values") == []
    assert marks.accepted(grade(checks=blank), "not-implemented") == []
    broken = (check("values", 0.0, 100.0, status="error"),)
    assert marks.accepted(grade(checks=broken, status="import-error"), "values") == []
    assert composed(grade(checks=broken, status="import-error"), decisions=decided("values accept")).decisions == ()


def test_scores_are_rounded_half_up() -> None:
    assert composed(grade(score=54.985, checks=())).final_score == 54.99
    assert composed(grade(score=2.675, checks=())).final_score == 2.68


def test_a_score_that_is_not_the_sum_of_its_checks_stays() -> None:
    assert composed(grade(score=30.0)).final_score == 30.0
    assert composed(grade(score=30.0), decisions=decided("values +5")).final_score == 35.0


@pytest.mark.parametrize(
    ("texts", "sha256", "look"),
    [
        (("+5",), "aa", False),
        (("+5",), "bb", True),
        (("values exempt",), "bb", True),
        (("extend 2d",), "bb", False),  # so that it may change
        (("exempt",), "bb", False),
        ((), "bb", False),
    ],
)
def test_another_look_after_the_work_has_changed(texts: tuple[str, ...], sha256: str, look: bool) -> None:
    facts = Facts(work=GradedFile("luong.py", sha256))
    assert composed(grade(), facts, decided(*texts)).needs_look is look


def test_the_last_look_counts_and_nobody_looks_for_what_is_not_known() -> None:
    facts = Facts(work=GradedFile("luong.py", "bb"))
    again = msgspec.structs.replace(decided("+0")[0], sha256="bb")
    assert not composed(grade(), facts, [*decided("+5"), again]).needs_look
    assert not composed(grade(), Facts(), decided("+5")).needs_look


def test_what_the_roster_says_is_in_the_grade() -> None:
    found = composed(grade(), Facts(Identity("Ana Lima", "ana@x.edu", "CS 1", "S1")))
    assert (found.name, found.email, found.section, found.sis_id) == ("Ana Lima", "ana@x.edu", "CS 1", "S1")


def test_a_result_of_an_earlier_version_counts_as_it_is() -> None:
    old = msgspec.json.decode(
        msgspec.json.encode(
            {"student": "ana", "assignment": "luong", "score": 50.0}
            | {"max_score": 100.0, "status": "graded", "checks": [], "environment": {}}
        ),
        type=model.Grade,
    )
    assert old.final == 50.0


def test_the_reckoning_in_words() -> None:
    assert marks.reckoning(composed(grade())) == ""
    assert marks.reckoning(composed(grade(), LATE, decided("+5"), TEN)) == (
        "score 55, adjustment +5, late penalty -6, 1 day late"
    )
    assert marks.reckoning(composed(grade(), decisions=decided("excuse"))) == "excused"


CHANGES = st.sampled_from(["", "values ", "sums ", "Attention ", "softmax ", "gone "])
TEXTS = st.tuples(CHANGES, st.sampled_from(["+", "-", "="]), st.integers(0, 9000)).map(
    lambda three: f"{three[0]}{three[1]}{three[2] / 100}"
)
OTHERS = st.sampled_from(
    ["exempt", "values exempt", "Attention exempt", "softmax exempt", "extend 1d", "values accept"]
)


@given(st.lists(TEXTS | OTHERS, max_size=6), st.integers(0, 20))
def test_the_final_score_is_the_sum_within_its_limits(texts: list[str], percent: int) -> None:
    rules = Rules(LateRule("2026-02-01T12:00:00Z", percent_per_day=percent))
    found = composed(grade(), LATE, decided(*texts), rules)
    assert found.final_score is not None
    assert found.score is not None
    assert found.late_penalty >= 0
    whole = found.score + found.adjustment - found.late_penalty
    assert found.final_score == pytest.approx(min(max(whole, 0.0), 100.0), abs=0.0051)
    assert found.checks == CHECKS  # the grader's own stay as they are
