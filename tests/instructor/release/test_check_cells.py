"""The cells of a notebook that check it: where they stand, that grading skips them, and that they leave torch alone."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from packaging.requirements import Requirement

from autograder import assignments
from autograder.assignments import NAMES
from autograder.instructor.release import check_cells, solution_notebook
from autograder.intake import starter
from autograder.intake.notebook import SKIP_TAG, code_cells
from autograder.integrations import notebooks

Cell = dict[str, Any]


def code(root: Path, assignment: str) -> list[Cell]:
    """The code cells of the released notebook."""
    text = (root / "assignments" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return [cell | {"source": "".join(cell["source"])} for cell in cells]


def is_skipped(cell: Cell) -> bool:
    return SKIP_TAG in cell["metadata"].get("tags", ())


@pytest.mark.parametrize("assignment", NAMES)
def test_the_first_code_cell_sets_up_and_loads_the_magic(assignment: str, root: Path) -> None:
    first = code(root, assignment)[0]
    assert is_skipped(first)
    lines = [line.strip() for line in first["source"].splitlines()]
    assert lines.index("%load_ext autograder.integrations.jupyter") < lines.index(f"%attngrade use {assignment}")


@pytest.mark.parametrize("assignment", NAMES)
def test_the_cell_of_each_part_is_followed_by_its_check(assignment: str, root: Path) -> None:
    cells = code(root, assignment)
    checked = []
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if is_skipped(cell):
            continue
        names = [getattr(node, "name", "") for node in ast.parse(cell["source"]).body]
        parts = [name for name in names if name in assignments.load(assignment).parts]
        if parts:
            assert after is not None
            assert is_skipped(after)
            assert after["source"].splitlines() == [f"%attngrade {part}" for part in parts]
            checked += parts
    assert sorted(checked) == sorted(assignments.load(assignment).parts)


@pytest.mark.parametrize("assignment", NAMES)
def test_what_grading_skips_the_magic_skips_too(assignment: str, root: Path) -> None:
    for cell in code(root, assignment):
        own = notebooks.own_cells(["", cell["source"]], starter.names_of(assignment))
        assert is_skipped(cell) == (own == ()), cell["source"]


@pytest.mark.parametrize("assignment", NAMES)
def test_grading_does_not_run_them_and_a_starter_file_stays_one_with_or_without_them(
    assignment: str, root: Path
) -> None:
    raw = (root / "assignments" / assignment / f"{assignment}.ipynb").read_bytes()
    book = json.loads(raw)
    graded = code_cells(raw, starter.names_of(assignment))
    assert not any(re.search(rb"attngrade\b", cell) or b"find_spec" in cell for cell in graded)
    assert starter.is_starter(graded, assignment)
    book["cells"] = [cell for cell in book["cells"] if not is_skipped(cell)]
    assert starter.is_starter(code_cells(json.dumps(book).encode()), assignment)
    solved = solution_notebook(assignment, root).encode()
    assert not starter.is_starter(code_cells(solved, starter.names_of(assignment)), assignment)


def installing(setup: str, monkeypatch: pytest.MonkeyPatch, found: bool, address: str) -> tuple[list[str], list[str]]:
    """The lines that a setup cell gives to pip, with their variables, and the other magics it runs."""
    pip: list[str] = []
    others: list[str] = []

    def magic(line: str) -> None:
        expanded = re.sub(r"\{(\w+)\}", lambda match: str(space[match[1]]), line)
        (pip if line.startswith("pip ") else others).append(expanded)

    lines = re.sub(r"^( *)%(.*)$", r"\1MAGIC(r'''\2''')", setup, flags=re.MULTILINE)
    space: dict[str, Any] = {"MAGIC": magic}
    monkeypatch.setattr("importlib.util.find_spec", lambda _: SimpleNamespace() if found or pip else None)
    exec(lines.replace('ADDRESS = ""', f"ADDRESS = {address!r}"), space)  # noqa: S102 -- our own cell
    return pip, others


WHEEL = "https://course.example/attngrade-0.1.0-py3-none-any.whl"
LOADED = ["load_ext autograder.integrations.jupyter", "attngrade use luong"]


def test_where_attngrade_is_missing_it_is_installed_and_torch_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    [line], others = installing(check_cells.setup("luong"), monkeypatch, False, WHEEL)
    command, wheel, torch = re.fullmatch(r'pip (install --quiet) "(.+)" "(.+)"', line).groups()  # type: ignore[union-attr]
    assert (command, wheel) == ("install --quiet", WHEEL)
    pinned = Requirement(torch)
    assert pinned.name == "torch"
    installed = metadata.version("torch")
    assert pinned.specifier.contains(installed, prereleases=True)
    assert not pinned.specifier.contains("99.0")  # no other version satisfies pip
    assert not pinned.specifier.contains("1.0")
    assert others == LOADED


def test_nothing_that_it_needs_has_an_upper_limit_so_nothing_is_downgraded(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in project["dependencies"]:
        assert {one.operator for one in Requirement(text).specifier} <= {">="}, text


def test_where_it_is_there_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installing(check_cells.setup("luong"), monkeypatch, True, WHEEL) == ([], LOADED)


def test_without_an_address_it_says_so_and_installs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert installing(check_cells.setup("luong"), monkeypatch, False, "") == ([], [])
    assert "attngrade is not installed here. Your course gives you its address" in capsys.readouterr().out
