"""Handouts: their examples are true, their headings are where messages send a student."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from autograder.assignments import NAMES, declared
from autograder.instructor.release.handout import PointsRow, handout, points_rows
from autograder.model import Check
from tests.paths import ROOT

BEFORE = ("What you will be able to do", "Before you start", "The problem")
AFTER = (
    "Shapes",
    "Masks",
    "Worked example",
    "Predict, then run",
    "Common mistakes",
    "Questions",
    "Something that works",
)
LAST = ("Going further", "How it is graded", "AI assistants", "Speed", "Rules")
# Assignments whose handout is complete: it has written questions, and a key to them.
TAUGHT = [name for name in NAMES if (ROOT / "solutions" / name / "answers.md").is_file()]
FIXED = (*BEFORE, *AFTER, *LAST)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def readme(root: Path, assignment: str) -> str:
    return (root / f"assignments/{assignment}/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("assignment", NAMES)
def test_the_examples_hold_for_the_solution(assignment: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(root / "solutions" / assignment))
    monkeypatch.delitem(sys.modules, assignment, raising=False)
    importlib.invalidate_caches()
    examples = "\n\n".join(BLOCK.findall(readme(root, assignment)))
    test = doctest.DocTestParser().get_doctest(examples, {}, assignment, None, 0)
    assert len(test.examples) >= 5
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    sys.modules.pop(assignment, None)
    assert not report, "".join(report)


@pytest.mark.parametrize("assignment", TAUGHT)
def test_the_headings_are_there_in_order(assignment: str, root: Path) -> None:
    headings = [one for one in HEADING.findall(readme(root, assignment)) if not one.startswith("Sitting ")]
    assert [heading for heading in headings if heading in FIXED] == list(FIXED)
    tree = ast.parse((root / f"solutions/{assignment}/{assignment}.py").read_text(encoding="utf-8"))
    given = declared(assignment, "", "GIVEN", ())
    graded = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and node.name not in given
        and "helper" not in str(ast.get_docstring(node))
    ]
    assert [heading for heading in headings if heading not in FIXED] == graded


@pytest.mark.parametrize("assignment", NAMES)
def test_its_title_has_the_number_of_its_place_in_the_course(assignment: str, root: Path) -> None:
    title = f"# Assignment {NAMES.index(assignment) + 1}: "
    script = (root / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    assert readme(root, assignment).startswith(title)
    assert f"# {title}" in script


@pytest.mark.parametrize("assignment", NAMES)
def test_mathematics_and_fences_are_closed(assignment: str, root: Path) -> None:
    text = readme(root, assignment)
    assert text.count("\n```") % 2 == 0
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert prose.count("$$") % 2 == 0
    assert prose.replace("$$", "").count("$") % 2 == 0
    assert "{%" not in prose
    assert f"attngrade check {assignment}.py" in text


def check(id: str, part: str, points: float, visibility: str) -> Check:
    return Check(id, f"title of {id}", "value", points, (), (), visibility, part)  # type: ignore[arg-type]


CHECKS = (
    check("a", "softmax", 10, "public"),
    check("b", "Layer", 5, "public"),
    check("c", "softmax", 2.5, "hidden"),
    check("d", "Layer", 82.5, "hidden"),
)


def test_points_are_summed_by_part() -> None:
    assert points_rows(CHECKS) == [PointsRow("`softmax`", 10, 0, 2.5), PointsRow("`Layer`", 5, 0, 82.5)]
    assert points_rows(()) == []


def test_speed_has_a_column_of_its_own(root: Path) -> None:
    speed = replace(check("e", "Layer", 4, "public"), kind="timing")
    rows = points_rows((*CHECKS, speed))
    assert rows[1] == PointsRow("`Layer`", 5, 4, 82.5)
    text = handout("luong", root, rows)
    assert "| part | public | speed | hidden | together |\n|---|---:|---:|---:|---:|\n" in text
    assert "| `Layer` | 5 | 4 | 82.5 | 91.5 |\n| **together** | **15** | **4** | **85** | **104** |\n" in text
    assert "Speed is measured when your work is graded." in text
    assert "speed" not in handout("luong", root, points_rows(CHECKS)).partition("## How it is graded")[2][:900]


def test_the_table_tells_sums_and_nothing_of_hidden_checks(root: Path) -> None:
    text = handout("luong", root, points_rows(CHECKS))
    assert (
        "| `softmax` | 10 | 2.5 | 12.5 |\n| `Layer` | 5 | 82.5 | 87.5 |\n| **together** | **15** | **85** | **100** |\n"
        in text
    )
    assert "worth 100 points" in text
    assert "title of" not in text
