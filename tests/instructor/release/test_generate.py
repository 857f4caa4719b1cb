"""``assignments/`` is made from ``solutions/``, always in step and always the same."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from autograder.assignments import NAMES
from autograder.instructor.release import build, build_all, students_folder
from autograder.instructor.release.solution_script import cells
from autograder.instructor.release.stubs import SourceError, lines, stubbed


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_the_released_assignments_are_in_step(root: Path) -> None:
    assert build_all(root, check=True) == []


@pytest.mark.parametrize("assignment", NAMES)
def test_building_twice_gives_the_same_bytes(assignment: str, checkout: Path) -> None:
    folder = checkout / "assignments" / assignment
    for path in folder.iterdir():
        path.unlink()
    assert len(build(assignment, checkout)) == len(students_folder.student_files(assignment))
    first = files(folder)
    for path in folder.iterdir():
        path.unlink()
    build(assignment, checkout)
    assert files(folder) == first
    assert build(assignment, checkout) == []


def test_an_edited_assignment_is_out_of_step_and_check_writes_nothing(checkout: Path) -> None:
    build_all(checkout)
    path = checkout / "assignments/luong/luong.py"
    path.write_text(path.read_text() + "# edited by hand\n")
    (checkout / "assignments/masking/README.md").unlink()
    stale = ["assignments/luong/luong.py", "assignments/masking/README.md"]
    assert build_all(checkout, check=True) == stale
    assert path.read_text().endswith("# edited by hand\n")
    assert build_all(checkout) == stale
    assert build_all(checkout, check=True) == []


def test_an_edited_solution_puts_its_assignment_out_of_step(checkout: Path) -> None:
    build_all(checkout)
    source = checkout / "solutions/luong/luong.py"
    source.write_text(source.read_text().replace("Try it", "Try this"))
    assert build_all(checkout, check=True) == ["assignments/luong/luong.py", "assignments/luong/luong.ipynb"]


def test_the_inside_of_a_region_does_not_reach_students(checkout: Path) -> None:
    build_all(checkout)
    source = checkout / "solutions/luong/luong.py"
    source.write_text(source.read_text().replace("sigma = half_width / 2", "width = half_width / 2"))
    assert build_all(checkout, check=True) == []


def test_a_region_becomes_its_task_and_a_raise() -> None:
    script = "def f(x):\n    ### BEGIN SOLUTION: add one\n    return x + 1\n    ### END SOLUTION\n"
    assert stubbed(script) == "def f(x):\n    # Your code here: add one.\n    raise NotImplementedError\n"


@pytest.mark.parametrize(
    "script",
    [
        "def f():\n    ### BEGIN SOLUTION: a\n    pass\n",
        "def f():\n    pass\n    ### END SOLUTION\n",
        "def f():\n    ### BEGIN SOLUTION: a\n    ### BEGIN SOLUTION: b\n    ### END SOLUTION\n",
        "def f():\n    ### BEGIN SOLUTION\n    pass\n    ### END SOLUTION\n",
        "### BEGIN SOLUTION: not in a function\nx = 1\n### END SOLUTION\n",
    ],
)
def test_regions_that_make_no_sense_are_errors(script: str) -> None:
    with pytest.raises(SourceError):
        stubbed(script)


@pytest.mark.parametrize("assignment", NAMES)
def test_a_source_teaches_before_it_asks(assignment: str, root: Path) -> None:
    script = (root / f"solutions/{assignment}/{assignment}.py").read_text()
    parts = cells(script)
    assert parts[0].kind == "markdown"
    assert parts[0].source.startswith("# Assignment ")
    assert any(line.role == "solution" for line in lines(script))
    for before, cell in pairwise(parts):
        if cell.kind == "markdown":
            sitting = "Sitting " in before.source + cell.source  # its heading stands before and after other prose
            assert before.kind == "code" or sitting, f"two pieces of prose in a row: {cell.source[:40]}"
