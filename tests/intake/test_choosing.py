"""Which of a student's files counts: the one that somebody worked in, whatever its name and wherever it lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autograder.intake import discover, read
from autograder.intake.notebook import code_cells
from autograder.intake.starter import is_starter, names_of
from autograder.model import Entry, Submission
from tests.paths import ROOT

RELEASED = ROOT / "assignments" / "bahdanau"
SCRIPT = (RELEASED / "bahdanau.py").read_text(encoding="utf-8")
NOTEBOOK = (RELEASED / "bahdanau.ipynb").read_text(encoding="utf-8")
WORK = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8")
OTHER = WORK + "\n# of another day\n"


def notebook(*cells: str, tags: Mapping[int, list[str]] | None = None) -> str:
    """Return a notebook of code cells. ``tags`` by the cell's number."""
    given = tags or {}
    made = [
        {"cell_type": "code", "metadata": {"tags": given.get(at, [])}, "outputs": [], "source": text}
        for at, text in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


Plant = Callable[[Mapping[str, str | bytes | Path]], Path]


def taken(plant: Plant, files: Mapping[str, str | bytes]) -> Submission:
    root = plant({f"ana/{name}": text for name, text in files.items()})
    return read(Entry("ana", (root / "ana",)), "bahdanau")


FILES = {
    "a worked notebook beside the starter script": ({"bahdanau.py": SCRIPT, "bahdanau.ipynb": notebook(WORK)}, 1),
    "a worked script beside the starter notebook": ({"bahdanau.ipynb": NOTEBOOK, "bahdanau.py": WORK}, 1),
    "a worked file below the starter script": ({"bahdanau.py": SCRIPT, "src/bahdanau.py": WORK}, 1),
    "a look-alike beside the starter script": ({"bahdanau.py": SCRIPT, "bahdanau (1).py": WORK}, 1),
    "another name beside the starter script": ({"bahdanau.py": SCRIPT, "hw1.py": WORK}, 1),
    "another name beside a renamed starter": ({"starter.py": SCRIPT, "hw1.py": WORK}, 1),
    "another name beside files without code": ({"readme.md": "-", "hw1.ipynb": notebook("import torch", WORK)}, 1),
    "another name beside an empty file": ({"bahdanau.py": "", "hw1.py": WORK}, 1),
    "another name beside a helper": ({"helper.py": "x = 1\n", "hw1.py": WORK}, 1),
    "the exact name before another": ({"hw1.py": OTHER, "bahdanau.py": WORK}, 1),
    "a work with a syntax error beside the starter": ({"bahdanau.py": SCRIPT, "hw1.py": WORK + "\ndef broken(:\n"}, 1),
    "an unreadable notebook counts, not the starter": ({"bahdanau.py": SCRIPT, "bahdanau.ipynb": "{"}, 1),
}


@pytest.mark.parametrize("case", FILES)
def test_the_file_that_somebody_worked_in(plant: Plant, case: str) -> None:
    files, at = FILES[case]
    name, text = list(files.items())[at]
    work = taken(plant, files)
    assert work.path == name or work.status == "unreadable"
    if work.status == "ready" and name.endswith(".py"):
        assert work.cells == (text.encode(),)
    if "bahdanau.py" in files and at and name != "bahdanau.py":
        assert work.status == "unreadable" or "bahdanau.py is still the starter file" in work.note


def test_a_starter_alone_is_graded_as_it_is(plant: Plant) -> None:
    assert taken(plant, {"bahdanau.py": SCRIPT}).path == "bahdanau.py"
    assert taken(plant, {"bahdanau.ipynb": NOTEBOOK, "bahdanau.py": SCRIPT}).path == "bahdanau.py"
    work = taken(plant, {"hw1.py": SCRIPT})
    assert (work.status, work.path) == ("ready", "bahdanau.py")


def test_what_cannot_be_told_apart_is_named_and_not_taken(plant: Plant) -> None:
    work = taken(plant, {"hw1.py": WORK, "hw2.py": OTHER})
    assert work.status == "missing"
    assert work.note.startswith("found hw1.py and hw2.py; expected bahdanau.py")


def test_a_file_of_another_assignment_is_not_taken(plant: Plant) -> None:
    work = taken(plant, {"luong.py": WORK, "luong/solution.py": WORK, "other.py": "def attention(): pass\n"})
    assert work.status == "missing"


def test_a_zip_in_a_folder_is_read_like_a_folder(plant: Plant, pack: Callable[..., bytes]) -> None:
    work = taken(plant, {"bahdanau.py": SCRIPT, "work.zip": pack({"src/bahdanau.py": WORK})})
    assert (work.cells, work.path) == ((WORK.encode(),), "work.zip/src/bahdanau.py")


def test_a_zip_in_a_zip_is_read_too(plant: Plant, pack: Callable[..., bytes]) -> None:
    root = plant({"ana.zip": pack({"hand-in/work.zip": pack({"bahdanau.py": WORK})})})
    (entry,) = discover(root, "bahdanau")
    assert read(entry, "bahdanau").cells == (WORK.encode(),)


def test_a_broken_zip_in_a_folder_makes_nothing_else_unreadable(plant: Plant) -> None:
    assert taken(plant, {"broken.zip": b"PK", "bahdanau.py": WORK}).status == "ready"


def test_a_broken_zip_alone_is_unreadable(plant: Plant) -> None:
    work = taken(plant, {"broken.zip": b"PK"})
    assert work.status == "unreadable"
    assert "broken.zip is not a zip archive that can be opened" in work.note


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: "# Ana Lima\n\n" + text.replace("\ndef ", "\n\n# my part\ndef "),
        lambda text: text + "\n\n# nothing yet\n",
    ],
)
def test_comments_and_layout_make_no_work_of_a_starter(change: Callable[[str], str]) -> None:
    assert is_starter([change(SCRIPT).encode()], "bahdanau")


def test_a_starter_is_known_in_either_type_and_with_skipped_cells() -> None:
    cells = code_cells(NOTEBOOK.encode(), names_of("bahdanau"))
    assert is_starter(cells, "bahdanau")
    assert is_starter([b"\n".join(cells)], "bahdanau")  # the notebook as a script
    assert not is_starter([*cells, b"x = 1"], "bahdanau")
    tagged = notebook(SCRIPT, "show_weights()", tags={1: ["attngrade-skip"]})
    assert is_starter(code_cells(tagged.encode(), names_of("bahdanau")), "bahdanau")


def test_no_starter_of_one_assignment_is_a_starter_of_another() -> None:
    assert not is_starter([SCRIPT.encode()], "luong")


def test_of_a_skipped_cell_only_definitions_of_the_assignment_are_kept() -> None:
    skipped = (
        "print('run me')\n@decorated\ndef stable_softmax(scores, dim=-1):\n    return scores\nplot()\ndef mine(): pass"
    )
    cells = code_cells(
        notebook("x = 1", skipped, "boom(", tags={1: ["attngrade-skip"], 2: ["attngrade-skip"]}).encode(),
        {"stable_softmax"},
    )
    kept = "\n@decorated\ndef stable_softmax(scores, dim=-1):\n    return scores\n\n"
    assert [cell.decode() for cell in cells] == ["x = 1", kept, ""]


def test_other_tags_skip_nothing() -> None:
    assert code_cells(notebook("x = 1", tags={0: ["skip", "hide"]}).encode(), ()) == (b"x = 1",)
