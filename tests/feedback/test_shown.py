"""What a student sees of a grade."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from autograder import assignments, model
from autograder.feedback import shown
from autograder.feedback.causes import CAUSES
from autograder.feedback.templates import BLOCKED, REDRAWN, SPEED, SYMPTOMS


def outcome(name: str, visibility: model.Visibility, status: model.CheckStatus = "passed") -> model.Outcome:
    return model.Outcome(name, f"Title of {name}", "value", visibility, status, 1.0, 2.0, "message", "cause", "hint")


def grade(*checks: model.Outcome, assignment: str = "bahdanau") -> model.Grade:
    return model.Grade("ana", assignment, 1.0, 100.0, "graded", checks, {})


def graded(assignment: str, *skipped: model.Kind) -> model.Grade:
    """A grade with all checks of an assignment except some kinds."""
    checks = [check for check in assignments.load(assignment, True).checks if check.kind not in skipped]
    return grade(*(outcome(check.id, check.visibility) for check in checks), assignment=assignment)


def test_of_a_hidden_check_only_title_and_id_are_replaced() -> None:
    [seen] = shown.checks(grade(outcome("softmax-dims", "hidden", "failed"))).values()
    assert (seen.title, seen.id) == ("Hidden check 1", "hidden-1")
    assert replace(seen, title="Title of softmax-dims", id="softmax-dims") == outcome(
        "softmax-dims", "hidden", "failed"
    )


def test_a_public_check_stays_as_it_is() -> None:
    public = outcome("softmax-values", "public")
    assert shown.checks(grade(public)) == {"softmax-values": public}


def test_a_course_may_show_everything() -> None:
    whole = graded("bahdanau")
    assert list(shown.checks(whole, model.StudentView(hidden_titles=True)).values()) == list(whole.checks)


def test_of_speed_a_student_sees_the_figures_of_public_messages() -> None:
    """Timed inputs are secret, so what was measured besides is for staff, and so is a hidden check's measurement."""
    cost = (model.SizeCost(10, 0.5, 0.25),)
    pictures = tuple(
        model.SpeedPicture("part", check, "rows", 10, "ratio", "within", 2.0, 2.0, 5.0, said, cost)
        for check, said in (("p", True), ("p", False), ("silent", True), ("h", True), ("gone", True))
    )
    lines = outcome("p", "public"), replace(outcome("silent", "public"), message=""), outcome("h", "hidden")
    for view in (shown.USUAL, model.StudentView(hidden_titles=True), model.StudentView(hidden="points")):
        seen = shown.as_seen(replace(grade(*lines), speeds=pictures), view)
        assert seen.speeds == (replace(pictures[0], costs=()),)


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_hidden_checks_are_numbered_in_file_order_for_everybody(assignment: str) -> None:
    hidden = [check.id for check in assignments.load(assignment, True).checks if check.visibility == "hidden"]
    numbers = {name: f"hidden-{number}" for number, name in enumerate(hidden, start=1)}
    fewer = graded(assignment, "timing", "value")
    for one in (graded(assignment), fewer, replace(fewer, checks=fewer.checks[::-1])):
        seen = shown.checks(one)
        assert list(seen) == [check.id for check in one.checks]
        assert all(seen[name].id == numbers.get(name, name) for name in seen)


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_a_number_is_no_public_checks_id(assignment: str) -> None:
    seen = shown.checks(graded(assignment))
    assert len({check.id for check in seen.values()}) == len(seen)


def test_checks_that_are_not_installed_come_last() -> None:
    known = len([check for check in assignments.load("bahdanau", True).checks if check.visibility == "hidden"])
    seen = shown.checks(grade(outcome("new", "hidden"), outcome("softmax-gradient", "hidden"), outcome("x", "hidden")))
    assert [check.id for check in seen.values()] == [f"hidden-{known + 1}", "hidden-2", f"hidden-{known + 2}"]


def test_without_hidden_checks_installed_the_grade_numbers_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignments, "_has", lambda *_: False)
    seen = shown.checks(grade(outcome("x", "hidden"), outcome("p", "public"), outcome("softmax-dims", "hidden")))
    assert [check.title for check in seen.values()] == ["Hidden check 1", "Title of p", "Hidden check 2"]


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_no_text_for_students_quotes_the_title_of_a_hidden_check(assignment: str) -> None:
    checks = assignments.load(assignment, True).checks
    texts = [text for cause in CAUSES.values() for text in cause]
    texts += [text for template in SYMPTOMS.values() for text in template]
    texts += [*BLOCKED.values(), *SPEED.values(), REDRAWN, *(check.section for check in checks)]
    texts += [check.title for check in checks if check.visibility == "public"]
    titles = [check.title for check in checks if check.visibility == "hidden"]
    assert [(title, text) for title in titles for text in texts if title in text] == []
