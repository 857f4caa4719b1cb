"""An assignment of a course's own on a cluster: a worker grades with the same files, or nothing is graded."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from tests.cli.author_course import NAME, attngrade, made

from .conftest import Processes

pytestmark = pytest.mark.thorough  # real Dask processes
WRONG = "key = key / key.norm(dim=-1, keepdim=True)"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course, and beside it two submissions in the folder ``in``."""
    solution = (made(tmp_path / "course") / "solution.py").read_text()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ana.py").write_text(solution)
    (tmp_path / "in" / "bo.py").write_text(solution.replace(WRONG, "key = key * 1"))
    assert attngrade(tmp_path / "course", "author", "build").returncode == 0
    return tmp_path / "course"


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return [row | {"seconds": ""} for row in csv.DictReader(file)]


def test_a_worker_with_the_same_files_gives_the_same_table(processes: Processes, course: Path, tmp_path: Path) -> None:
    """They may lie elsewhere there, and texts for people may differ."""
    shutil.copytree(course, tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / NAME / "handout.md").write_text("# Another handout")
    processes.worker(ATTNGRADE_COURSE=str(tmp_path / "elsewhere"))
    asked = ("grade", tmp_path / "in", "-a", NAME, "--no-timing", "-o")
    done = attngrade(course, *asked, tmp_path / "out", "--scheduler", processes.wait_for(1))
    assert done.returncode == 0, done.stderr
    assert attngrade(course, *asked, tmp_path / "local").returncode == 0
    assert rows(tmp_path / "out") == rows(tmp_path / "local")
    assert next(row["score"] for row in rows(tmp_path / "out")) == "100"
    assert sorted(student for _, student in processes.log) == ["ana", "bo"]


@pytest.mark.parametrize(
    ("changed", "refused"),
    [("reference.py", f"other files of {NAME} there than here"), ("", f"no assignment {NAME} there")],
)
def test_a_worker_with_other_files_is_refused_before_anything_is_written(
    processes: Processes, course: Path, tmp_path: Path, changed: str, refused: str
) -> None:
    shutil.copytree(course, tmp_path / "other")
    if changed:
        with (tmp_path / "other" / NAME / changed).open("a") as file:
            file.write("\n# changed\n")
    processes.worker(ATTNGRADE_COURSE=str(tmp_path / "other") if changed else "")
    words = ("grade", tmp_path / "in", "-a", NAME, "-o", tmp_path / "out", "--scheduler", processes.wait_for(1))
    done = attngrade(course, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert refused in done.stderr
    assert "with the same packages and the same ATTNGRADE_COURSE" in done.stderr
    assert not (tmp_path / "out").exists()
    assert processes.log == []
