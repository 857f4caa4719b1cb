"""Assignments of a course's own in otter and on Gradescope: the zip carries them and gives the marks of grade."""

from __future__ import annotations

import copy
import json
import shutil
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.course_class import Example, attngrade, each, rows
from tests.integrations.program_helpers import program
from tests.made_once import Once

from .gradescope_helpers import laid_out, run_autograder

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Gradescope is Linux"),
    pytest.mark.skipif(not find_spec("otter"), reason="otter-grader is not installed: pip install -e '.[otter]'"),
    pytest.mark.thorough,  # real otter
]
Changes = tuple[str, str]


def works(example: Example) -> dict[str, Changes | None]:
    """What each student changes in the solution. None: nothing is written."""
    return {"ana": ("", ""), "bo": (example.right, example.wrong), "uma": None}


@pytest.fixture(scope="module", params=each(by_day="kmeans"))
def example(request: pytest.FixtureRequest) -> Example:
    """Each assignment of the course."""
    found: Example = request.param
    return found


@pytest.fixture(scope="module")
def built(once: Once, example: Example) -> Path:
    """What ``attngrade otter build`` made."""

    def make(folder: Path) -> None:
        (folder / "seed").write_text("a seed that nobody must see")
        attngrade("otter", "build", example.name, "--out", "out", "--no-timing", "--seed-file", "seed", cwd=folder)

    return once(f"otter-of-{example.name}", make) / "out"


def filled(student: dict[str, Any], solution: str, change: Changes) -> dict[str, Any]:
    """The students' notebook with the solution, changed once."""
    import jupytext

    written = [cell.source for cell in jupytext.reads(solution, fmt="py:percent").cells if cell.cell_type == "code"]
    book = copy.deepcopy(student)
    for cell in book["cells"]:
        if "otter_answer_cell" in cell["metadata"].get("tags", []):
            first = "".join(cell["source"]).splitlines()[0]
            cell["source"] = next(source for source in written if source.startswith(first)).replace(*change)
    return book


@pytest.fixture(scope="module")
def handed_in(built: Path, example: Example, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each student, with the notebook that otter made for them."""
    notebook = f"{example.name}.ipynb"
    student = json.loads((built / "dist" / "student" / notebook).read_text())
    folder = tmp_path_factory.mktemp("class") / "in"
    for name, change in works(example).items():
        (folder / name).mkdir(parents=True)
        made = filled(student, example.solution, change) if change else student
        (folder / name / notebook).write_text(json.dumps(made))
    return folder


@pytest.fixture(scope="module")
def plain(built: Path, handed_in: Path, example: Example) -> dict[str, dict[str, str]]:
    """The rows of ``attngrade grade``."""
    words = ["grade", handed_in, "-a", example.name, "-o", "plain", "--no-timing", "--seed-file", built.parent / "seed"]
    attngrade(*words, cwd=handed_in.parent)
    return rows(handed_in.parent / "plain")


def test_the_zip_carries_the_assignment_and_students_get_nothing_secret(built: Path, example: Example) -> None:
    with zipfile.ZipFile(built / "autograder.zip") as archive:
        prefix = f"files/attngrade/autograder/courses/{example.name}/"
        carried = {name.removeprefix(prefix) for name in archive.namelist() if name.startswith(prefix)}
    assert {"checks.py", "hidden_checks.py", "reference.py", "solution.py", "mistakes.py"} <= carried
    assert not [name for name in carried if name.startswith("submissions") or "__pycache__" in name]
    text = (built / "dist" / "student" / f"{example.name}.ipynb").read_text()
    assert not [secret for secret in (example.right, *example.titles) if secret in text]


def test_gradescope_gives_the_marks_of_grade(
    built: Path, handed_in: Path, example: Example, plain: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    root = laid_out(built, tmp_path / "autograder")
    (root / "env").symlink_to(sys.prefix)
    scores = {}
    for student in works(example):
        ran = run_autograder(root, handed_in / student)
        assert ran.results, ran.out
        scores[student] = ran.results.score
        texts = [test.output for test in ran.results.tests]
        assert any(example.mistake in text for text in texts) == (student == "bo")
    assert scores == pytest.approx({student: float(row["score"]) for student, row in plain.items()})
    assert (scores["ana"], scores["uma"]) == (100, 0)
    assert 0 < scores["bo"] < 100


def test_otter_run_gives_the_mark_of_grade(
    built: Path, handed_in: Path, example: Example, plain: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    shutil.copy(handed_in / "bo" / f"{example.name}.ipynb", tmp_path / "bo.ipynb")
    (tmp_path / "out").mkdir()
    words = ("otter", "run", "-a", built / "autograder.zip", "-o", tmp_path / "out", tmp_path / "bo.ipynb")
    done = program(*words, cwd=tmp_path, ATTNGRADE_COURSE="")  # the zip needs nothing but itself
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    score = sum(test.get("score", 0) for test in results["tests"])
    assert score == pytest.approx(float(plain["bo"]["score"]), abs=1e-4)
