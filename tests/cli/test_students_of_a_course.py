"""The students' edition of a course: one wheel has its assignments too, and a student's commands know them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.author_course import NAME, attngrade, made

pytestmark = pytest.mark.thorough  # it builds two wheels and installs one

WRONG = "key = key / key.norm(dim=-1, keepdim=True)"
MAGIC = """
import sys
from autograder.integrations.jupyter import Magic
magic, cells = Magic(), ["", open(sys.argv[1]).read()]
magic.run("use cosine", cells)
print(magic.run("cosine_scores", cells))
"""


class Edition(NamedTuple):
    """The course, the folder to host, and the folder in which a student installed the wheel of it."""

    course: Path
    page: Path
    installed: Path


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    base = tmp_path_factory.mktemp("students")
    course, page, installed = base / "course", base / "page", base / "installed"
    made(course)
    early = attngrade(course, "students", page, XDG_CONFIG_HOME=str(base))
    assert (early.returncode, page.exists()) == (2, False)
    assert f"is not up to date; run: attngrade author build {NAME} --course {course}" in early.stderr
    assert attngrade(course, "author", "build").returncode == 0
    done = attngrade(course, "students", page, XDG_CONFIG_HOME=str(base))
    assert done.returncode == 0, done.stderr
    (wheel,) = page.glob("*.whl")
    line = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(installed)]
    subprocess.run([*line, str(wheel)], check=True)
    return Edition(course, page, installed)


def student(edition: Edition, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python as a student who installed the wheel: nothing names the course."""
    environment = {name: value for name, value in os.environ.items() if name != "ATTNGRADE_COURSE"}
    environment |= {"PYTHONPATH": str(edition.installed), "COLUMNS": "200"}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_has_what_students_get_and_nothing_secret(edition: Edition) -> None:
    (wheel,) = edition.page.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        carried = {
            name.partition("/courses/")[2]: archive.read(name) for name in archive.namelist() if "/courses/" in name
        }
    built = {path.relative_to(edition.course).as_posix() for path in (edition.course / NAME / "built").rglob("*.*")}
    assert carried.keys() == built | {f"{NAME}/checks.py", f"{NAME}/hints.toml"}
    solution = (edition.course / NAME / "solution.py").read_text()
    hole = re.findall(r"### BEGIN SOLUTION.*?\n(.*?)### END", solution, re.DOTALL)[0].strip().splitlines()
    assert len(hole) == 3
    assert not [line for line in hole for data in carried.values() if line.strip().encode() in data]
    page = (edition.page / "index.html").read_text()
    assert f"attngrade new {NAME}" in page
    assert f'href="{NAME}/{NAME}.ipynb"' in page
    assert (edition.page / NAME / f"{NAME}.py").is_file()


def test_a_student_lists_gets_and_checks_it(edition: Edition, tmp_path: Path) -> None:
    listed = student(edition, "-m", "autograder", "list", cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert re.search(rf"{NAME} +Cosine +4 \(50 points\)\s", listed.stdout)
    assert student(edition, "-m", "autograder", "new", NAME, cwd=tmp_path).returncode == 0
    work = tmp_path / NAME / f"{NAME}.py"
    assert "raise NotImplementedError" in work.read_text()
    solution = (edition.course / NAME / "solution.py").read_text()
    work.write_text(solution.replace(WRONG, "key = key * 1"))
    wrong = student(edition, "-m", "autograder", "check", NAME, cwd=tmp_path)
    assert wrong.returncode == 1, wrong.stderr
    assert "of 50 points" in wrong.stdout
    work.write_text(solution)
    right = student(edition, "-m", "autograder", "check", NAME, cwd=tmp_path)
    assert right.returncode == 0, right.stdout
    assert "50.00 of 50 points" in right.stdout


def test_hints_pytest_and_the_magic_know_it(edition: Edition, tmp_path: Path) -> None:
    assert student(edition, "-m", "autograder", "new", NAME, cwd=tmp_path).returncode == 0
    (tmp_path / NAME / f"{NAME}.py").write_text((edition.course / NAME / "solution.py").read_text())
    assert (
        "the cosine is 0.8" in student(edition, "-m", "autograder", "hint", "cosine_scores", "3", cwd=tmp_path).stdout
    )
    tests = student(edition, "-m", "pytest", "-q", "-p", "no:cacheprovider", NAME, cwd=tmp_path)
    assert "4 passed" in tests.stdout, tests.stdout
    told = student(edition, "-c", MAGIC, tmp_path / NAME / f"{NAME}.py", cwd=tmp_path)
    assert "cosine_scores: 4 of 4 checks passed." in told.stdout, told.stderr + told.stdout


@pytest.mark.parametrize("words", [("check", "--full", "."), ("grade", ".", "-a", NAME, "-o", "out")])
def test_what_needs_hidden_checks_says_so(edition: Edition, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / f"{NAME}.py").write_text("")
    done = student(edition, "-m", "autograder", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "this installation has no hidden checks and no reference implementations" in done.stderr
