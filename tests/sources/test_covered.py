"""Everything that the course material names is graded or asked somewhere, or is listed here as a gap."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from autograder.assignments import places
from tests.paths import ROOT
from tests.sources import table

# Rows that nothing grades. Each says why, in its field ``nothing``. Close a gap, and take its id
# out of this list.
GAPS: list[str] = []
ROWS = table.rows()
BEYOND = table.toml(table.HERE / "beyond.toml")
ASSIGNMENTS = places.own()


def part_exists(entry: str) -> bool:
    assignment, part, check = table.of(entry)
    if assignment not in ASSIGNMENTS or part not in table.parts(assignment):
        return False
    return not check or table.checks(assignment).get(check) == part


def question_exists(entry: str) -> bool:
    assignment, question, _ = table.of(entry)
    if not re.fullmatch(r"Q\d", question):
        return question == "quiz_answers" and part_exists(entry)
    answers = ROOT / "solutions" / assignment / "answers.md"
    return answers.is_file() and f"**{question}.**" in answers.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", table.files(), ids=lambda path: path.stem)
def test_rows_are_well_formed(path: Path) -> None:
    for name, row in table.listed(path).items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name), name
        assert row.place.strip(), name
        assert re.fullmatch(r"\S.*[.?]", row.what), name
        assert len(row.what.split()) <= 25, name
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250


def test_ids_are_unique() -> None:
    count = Counter(name for path in table.files() for name in table.listed(path))
    assert [name for name, times in count.items() if times > 1] == []


def test_no_row_is_empty() -> None:
    assert [name for name, row in ROWS.items() if not (row.parts or row.asked or row.nothing)] == []
    assert [name for name, row in ROWS.items() if row.nothing and (row.parts or row.asked)] == []


def test_gaps_are_listed() -> None:
    assert sorted(name for name, row in ROWS.items() if row.nothing) == GAPS


@pytest.mark.parametrize("name", ROWS)
def test_what_grades_a_row_exists(name: str) -> None:
    assert [entry for entry in ROWS[name].parts if not part_exists(entry)] == []
    assert [entry for entry in ROWS[name].asked if not question_exists(entry)] == []


def test_every_document_has_rows() -> None:
    assert {row.document for row in ROWS.values()} == set(table.Document.__args__)


@pytest.mark.parametrize("number", range(1, 11))
def test_the_exercises_of_chapter_6_have_rows(number: int) -> None:
    row = ROWS[f"ch6-exercise-{number}"]
    assert (row.document, row.place, row.kind) == ("chapter 6", f"exercise 6.{number}", "exercise")
    assert row.parts


@pytest.mark.parametrize(("prefix", "count"), [("ch1-question-", 12), ("lesson-exercise-", 3), ("s32-check-", 5)])
def test_numbered_questions_and_exercises_have_rows(prefix: str, count: int) -> None:
    assert [f"{prefix}{number}" for number in range(1, count + 1)] == [name for name in ROWS if name.startswith(prefix)]


def test_the_map_of_the_course_names_rows() -> None:
    topics = table.toml(table.HERE / "map.toml")
    assert {name: len(entries) for name, entries in topics.items()} == {
        "core": 26,
        "diagnostics": 11,
        "variations": 12,
        "cost": 7,
        "theory": 7,
        "experiments": 5,
        "misprints": 8,
    }
    named = [(topic, found) for entries in topics.values() for topic, found in entries.items()]
    assert [topic for topic, found in named if not found or set(found) - ROWS.keys()] == []
    assert [topic for topic, found in named if set(found) & set(GAPS)] == []
    misprints = {name for found in topics["misprints"].values() for name in found}
    assert misprints == {name for name, row in ROWS.items() if row.kind == "misprint"}


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_every_part_is_named_or_beyond_the_sources(assignment: str) -> None:
    parts = table.parts(assignment)
    assert parts
    entries = [entry for row in ROWS.values() for entry in (*row.parts, *row.asked)]
    named = {part for name, part, _ in map(table.of, entries) if name == assignment}
    beyond = {part for name, part, _ in map(table.of, BEYOND) if name == assignment}
    assert sorted(set(parts) - named) == sorted(beyond)


def test_parts_beyond_the_sources_have_a_reason() -> None:
    assert [entry for entry, reason in BEYOND.items() if not part_exists(entry) or not reason.strip()] == []


def test_what_is_only_named_has_a_place() -> None:
    passing = table.toml(table.HERE / "named_only.toml")
    assert passing.keys() == set(table.Document.__args__)
    assert [name for entries in passing.values() for name, place in entries.items() if not place.strip()] == []
