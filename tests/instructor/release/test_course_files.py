"""What students get of a course's assignment, and how a wheel carries it."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from autograder import model
from autograder.assignments import places
from autograder.instructor.release import course_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an assignment with all files that it may have."""
    made = tmp_path / "norm"
    texts = {
        **dict.fromkeys(("solution.py", "reference.py", "hidden_checks.py", "mistakes.py", "handout.md"), "# secret"),
        "checks.py": "from .shared import sizes\nfrom autograder.author import part\n",
        "shared.py": "import math\nfrom . import tables\n",
        "tables.py": "",
        "unused.py": "",
        "hints.toml": "",
        "explanations.toml": "",
        "built/causes.json": "{}",
        "built/students/README.md": "",
        "built/__pycache__/x.pyc": "",
        "submissions/right/one.py": "# secret",
    }
    for name, text in texts.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    monkeypatch.setattr(places, "folder", lambda assignment: tmp_path / assignment)
    return made


def test_students_get_the_public_checks_with_what_they_import_and_what_a_build_made(folder: Path) -> None:
    files = {"checks.py", "shared.py", "tables.py", "hints.toml", "built/causes.json", "built/students/README.md"}
    assert set(course_files.given("norm")) == files


@pytest.mark.parametrize(
    "line", ["from .reference import norm", "from . import hidden_checks", "from . import solution"]
)
def test_public_checks_that_import_a_secret_are_refused(folder: Path, line: str) -> None:
    (folder / "tables.py").write_text(f"import math\n{line}\n")
    with pytest.raises(model.CourseError, match=r"tables\.py, line 2: it imports \w+\.py, which students must not get"):
        course_files.given("norm")


def test_a_wheel_lists_the_files_that_are_added(tmp_path: Path) -> None:
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a/b.py", "x = 1")
        archive.writestr("a-1.dist-info/RECORD", "a/b.py,sha256=abc,5\na-1.dist-info/RECORD,,\n")
    course_files.carry(wheel, {"a/courses/norm/checks.py": b"y = 2"})
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["a-1.dist-info/RECORD", "a/b.py", "a/courses/norm/checks.py"]
        assert archive.read("a/b.py") == b"x = 1"
        assert archive.read("a/courses/norm/checks.py") == b"y = 2"
        rows = list(csv.reader(io.StringIO(archive.read("a-1.dist-info/RECORD").decode())))
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"y = 2").digest()).decode().rstrip("=")
    assert ["a/courses/norm/checks.py", f"sha256={digest}", "5"] in rows
    assert ["a/b.py", "sha256=abc", "5"] in rows
    assert len(rows) == 3
