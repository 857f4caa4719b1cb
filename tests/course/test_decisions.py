"""Decisions from words and from files, and which of them count."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from autograder.course import decisions
from autograder.course.deadlines import Deadlines, read_deadlines
from autograder.course.decisions import DecisionError
from autograder.course.lookup import LookupFailed, Students
from autograder.intake.roster.csv_file import SheetError
from autograder.model import Decision, Identity
from autograder.model.people import DecisionKind

STUDENTS = Students(
    {
        "anna-c": Identity("Anna Chen", "ac@x.edu", "A", "S1"),
        "S2": Identity("Chen, Bo", "bo@x.edu"),
        "lee1": Identity("Kim Lee"),
        "lee2": Identity("Kim Lee"),
        "'=x": Identity(),
        "S9": Identity("Zoe"),
    }
)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("+5", Decision("", "adjust", points=5.0)),
        ("-2.5", Decision("", "adjust", points=-2.5)),
        ("=0", Decision("", "set")),
        ("excuse", Decision("", "excuse")),
        ("exempt", Decision("", "exempt")),
        ("extend 2d", Decision("", "extend", deadline="2d")),
        ("extend 2026-02-01T10:00Z", Decision("", "extend", deadline="2026-02-01T10:00Z")),
    ],
)
def test_changes_in_words(text: str, decision: Decision) -> None:
    assert decisions.change(text) == decision


@pytest.mark.parametrize(
    "text", ["", "5", "+", "+x", "+2,5", "+inf", "=1e9", "excuse him", "extend", "extend soon", "undo"]
)
def test_what_is_no_change_says_what_would_be(text: str) -> None:
    with pytest.raises(DecisionError, match="expected"):
        decisions.change(text)


def test_a_file_names_every_wrong_line(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("student,target,change,reason\nana,,'+5,why\nbo,,5,why\n,,+5,why\ncy,,+5,\n")
    with pytest.raises(
        SheetError, match=r"line 3: '5' is no change.*line 4: the student.*line 5: the reason.*nothing is"
    ):
        decisions.read_rows(path)
    path.write_text("student,change,reason\nana,'+5,why\n")
    assert decisions.read_rows(path) == [(2, "ana", Decision("", "adjust", points=5.0, reason="why"))]
    path.write_text("student,reason\nana,why\n")
    with pytest.raises(SheetError, match="no column 'change'"):
        decisions.read_rows(path)


def made(*texts: str) -> list[Decision]:
    found = []
    for text in texts:
        student, kind, target = text.split("/")
        found.append(Decision(student, kind, target))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("log", "left"),
    [
        (["ana/adjust/", "ana/undo/"], []),
        (["ana/adjust/", "bo/undo/"], ["ana/adjust/"]),
        (["ana/adjust/", "ana/set/", "ana/undo/"], ["ana/adjust/"]),
        (["ana/adjust/", "ana/set/", "ana/undo/", "ana/undo/", "ana/undo/"], []),
        (["ana/adjust/x", "ana/set/y", "ana/undo/x"], ["ana/set/y"]),
        (["/accept/x", "/accept/y", "/undo/x"], ["/accept/y"]),
        (["/accept/x", "ana/undo/"], ["/accept/x"]),
    ],
)
def test_undo(log: list[str], left: list[str]) -> None:
    assert list(decisions.active(made(*log))) == made(*left)


def test_every_decision_has_a_reason_a_time_and_somebody() -> None:
    with pytest.raises(DecisionError, match="--reason"):
        decisions.signed_off(Decision("ana", "adjust"), "  ", "")
    one = decisions.signed_off(Decision("ana", "adjust"), " why\n\x1b[1m ", "Kim")
    assert (one.reason, one.by) == ("why ?[1m", "Kim")
    assert one.at.endswith("Z")
    assert decisions.signed_off(Decision("ana", "undo"), "", "").by == decisions.user()


def test_decisions_in_words() -> None:
    words = {decisions.words(Decision("ana", kind, "x", 5.0, "2d")) for kind in get_args(DecisionKind)}
    assert {"+5 points for x", "set to 5 points for x", "deadline extended: 2d", "exempt from x"} <= words
    assert len(words) == len(get_args(DecisionKind))


@pytest.mark.parametrize(
    ("text", "student"),
    [
        ("anna-c", "anna-c"),
        ("ANNA-C", "anna-c"),
        ("Chen, Anna", "anna-c"),
        ("anna chen", "anna-c"),
        ("ac@x.edu", "anna-c"),
        ("S1", "anna-c"),
        ("S2", "S2"),
        ("Bo Chen", "S2"),
        ("Chen, Bo", "S2"),
        ("'=x", "'=x"),
    ],
)
def test_who_is_meant(text: str, student: str) -> None:
    assert STUDENTS.one(text) == student


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kim Lee", r"may be Kim Lee \(lee1\), Kim Lee \(lee2\); give the id"),
        ("Chen", r"no student Chen; did you mean Anna Chen \(anna-c\), Chen, Bo \(S2\)\?"),
        ("ana-c", r"did you mean Anna Chen"),
        ("qqqqqq", "there is no student qqqqqq$"),
        ("", "there is no student $"),
    ],
)
def test_nobody_or_several_are_named(text: str, words: str) -> None:
    with pytest.raises(LookupFailed, match=words):
        STUDENTS.one(text)


def test_deadlines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "deadlines.csv"
    path.write_text(
        "Student,deadline,extension\n*,2026-02-01T10:00Z,\nac@x.edu,,2d\nS2,2026-03-01T10:00Z\nnobody,,1d\n"
    )
    found = read_deadlines(path)
    assert found == Deadlines("2026-02-01T10:00Z", {"ac@x.edu": "2d", "S2": "2026-03-01T10:00Z", "nobody": "1d"})
    theirs = STUDENTS.extensions(found)
    assert theirs["anna-c"] == ("2026-02-01T10:00Z", "2d")
    assert theirs["S2"] == ("2026-02-01T10:00Z", "2026-03-01T10:00Z")
    assert theirs["S9"] == ("2026-02-01T10:00Z",)
    assert STUDENTS.unknown(found) == ["nobody"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("student\nana\n", "expected the columns 'student' and 'deadline' or 'extension'"),
        ("student,extension\nana,soon\n", "line 2: 'soon' is no time"),
        ("student,extension\nana,\n", "line 2: expected a deadline or an extension, got neither"),
        ("student,deadline,extension\nana,2026-02-01T10:00Z,1d\n", "got both"),
        ("student,extension\nana,1d\nana,2d\n", "line 3: 'ana' has an earlier row"),
        ("student,extension\n,1d\n", "line 2: the student is empty"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "d.csv").write_text(text)
    with pytest.raises(SheetError, match=words):
        read_deadlines(tmp_path / "d.csv")
