"""What an instructor says in class: every cause has its paragraph, and a course may write its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from autograder import assignments
from autograder.assignments import explanations, places
from autograder.feedback import explanations as said_of
from autograder.feedback.causes import CAUSES, SHARED
from autograder.feedback.explanations import explained
from tests.paths import ROOT

FEWEST, MOST = 35, 130  # words of a paragraph
LONGEST_SENTENCE = 28  # words
SAID = explained("")
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`])")


def test_the_shared_causes_have_explanations_in_their_order() -> None:
    assert list(explanations.read(said_of.SHARED)) == list(SHARED)


@pytest.mark.parametrize("assignment", places.own())
def test_an_assignments_causes_have_explanations_in_their_order(assignment: str) -> None:
    causes = assignments.declared(assignment, "causes", "CAUSES", {})
    assert list(explanations.read(explanations.file_of(assignment))) == list(causes)


def test_every_cause_is_explained_and_nothing_else_is() -> None:
    assert set(SAID) == set(CAUSES)
    assert len(SAID) >= 90


@pytest.mark.parametrize("cause", SAID)
def test_an_explanation_is_one_paragraph_to_say(cause: str) -> None:
    text = SAID[cause]
    assert FEWEST <= len(text.split()) <= MOST
    assert text.isprintable()
    assert text == " ".join(text.split())
    assert text[-1] == "."
    assert text[0].isupper() or text[0] == "`"
    assert text.count("`") % 2 == 0
    assert "$" not in text
    assert max(len(sentence.split()) for sentence in SENTENCE.split(text)) <= LONGEST_SENTENCE


@pytest.mark.parametrize("cause", SAID)
def test_an_explanation_shows_a_number_or_a_shape(cause: str) -> None:
    assert re.search(r"\d", SAID[cause])


@pytest.mark.parametrize("cause", SAID)
def test_an_explanation_says_more_than_students_read(cause: str) -> None:
    assert CAUSES[cause].sentence not in SAID[cause]
    assert CAUSES[cause].hint not in SAID[cause]


def test_no_two_begin_alike() -> None:
    openings = [" ".join(text.split()[:2]).lower() for text in SAID.values()]
    assert len(set(openings)) == len(openings)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course whose assignment ``norm`` is the only one beside those of the package."""
    right = places.folder
    monkeypatch.setattr(places, "folder", lambda name: tmp_path / name if name in ("norm", "other") else right(name))
    monkeypatch.setattr(assignments, "NAMES", (*assignments.NAMES, "norm", "other"))
    (tmp_path / "norm").mkdir()
    (tmp_path / "other").mkdir()
    return tmp_path


def test_an_assignment_of_a_course_has_words_of_its_own(course: Path) -> None:
    (course / "norm" / "explanations.toml").write_text(
        'missing-scale = """\nIn our\n  notation."""\nown-cause = "Ours."'
    )
    found = explained("norm")
    assert found["missing-scale"] == "In our notation."
    assert found["own-cause"] == "Ours."
    assert {name for name in SAID if found[name] != SAID[name]} == {"missing-scale"}


def test_what_one_assignment_says_of_a_shared_cause_is_not_said_in_another(course: Path) -> None:
    (course / "other" / "explanations.toml").write_text('missing-scale = "In their words."\ntheirs = "Theirs."')
    assert explained("norm") == SAID | {"theirs": "Theirs."}


def test_without_a_file_the_shared_explanations_are_there(course: Path) -> None:
    assert explained("norm") == SAID
    assert explained("an assignment that is not here") == SAID


@pytest.mark.parametrize(
    "text", [b"missing-scale = ", b"missing-scale = 3", b"[missing-scale]\ntext = 'x'", b'a = "\xff"']
)
def test_a_file_that_is_no_table_of_texts_explains_nothing_and_stops_no_report(course: Path, text: bytes) -> None:
    (course / "norm" / "explanations.toml").write_bytes(text)
    with pytest.raises(ValueError, match=r".+"):
        explanations.read(explanations.file_of("norm"))
    assert explained("norm") == SAID


def importing(name: str) -> set[str]:
    """The grader's files that import a module."""
    found = set()
    for file in (ROOT / "autograder").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            if isinstance(node, ast.ImportFrom):
                names = {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
            if name in names:
                found.add(file.relative_to(ROOT / "autograder").as_posix())
    return found


def test_only_the_class_report_says_them_and_only_who_makes_assignments_knows_of_them() -> None:
    assert importing("autograder.feedback.explanations") == {"report/web/report.py"}
    assert importing("autograder.assignments.explanations") == {
        "feedback/explanations.py",
        "instructor/authoring/texts.py",
        "instructor/release/students_folder.py",
    }
