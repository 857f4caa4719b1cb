"""``author check`` and ``author build``: every slip of an author gets a clear error, with file and line."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.author_course import NAME, attngrade, made
from tests.instructor.authoring.slips import AT_ONCE, BLOCKING, HARMLESS, Slip
from tests.made_once import Once

MORE = ("from autograder.author import ", "from autograder.author import Input, case, expect, value, ")


def course_of(course: Path, slips: Mapping[str, Slip]) -> None:
    """Make a course with an assignment for each slip, named like it."""
    for name, slip in slips.items():
        folder = made(course)
        checks = folder / "checks.py"
        checks.write_text(checks.read_text().replace(*MORE, 1))
        path = folder / slip.file
        text = path.read_text()
        assert slip.old in text, f"{slip.file} has no {slip.old!r}"
        path.write_text(text.replace(slip.old, slip.new, 1))
        folder.rename(course / name.replace("-", "_"))


def said_of(name: str, output: str) -> list[str]:
    """The lines that are about an assignment, without its name."""
    prefix = f"{name.replace('-', '_')}/"
    return [line.removeprefix(prefix) for line in output.splitlines() if line.startswith(prefix)]


def is_about(line: str, slip: Slip, folder: Path) -> bool:
    """Whether a line names the file, the line and the words of a slip."""
    place, _, text = line.partition(": ")
    file, _, number = place.partition(", line ")
    rows = (folder / slip.file).read_text().splitlines()
    right_line = not slip.line or (number.isdigit() and slip.line in rows[int(number) - 1])
    return slip.words in text and file.startswith(slip.where or slip.file) and right_line


@pytest.fixture(scope="module")
def blocked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A course of slips that block, and what ``author check`` and ``author build`` say of it."""
    course = tmp_path_factory.mktemp("blocked") / "course"
    course_of(course, BLOCKING)
    check, build = attngrade(course, "author", "check"), attngrade(course, "author", "build")
    assert (check.returncode, check.stderr) == (1, "")
    assert (build.returncode, build.stdout) == (1, "")
    return course, check.stdout, build.stderr


def make_harmless(folder: Path) -> None:
    """Make a course of slips that do not block, and keep what ``author check`` says of it."""
    course_of(folder / "course", HARMLESS)
    done = attngrade(folder / "course", "author", "check")
    assert (done.returncode, done.stderr) == (1, "")
    (folder / "said").write_text(done.stdout)


@pytest.fixture(scope="module")
def harmless(once: Once) -> tuple[Path, str]:
    """The course of slips that do not block, and what ``author check`` says of it."""
    folder = once("harmless-slips", make_harmless)
    return folder / "course", (folder / "said").read_text()


@pytest.mark.parametrize("name", BLOCKING)
def test_a_slip_that_blocks_is_the_only_thing_that_is_said(name: str, blocked: tuple[Path, str, str]) -> None:
    course, check, build = blocked
    (line,) = said_of(name, check)
    assert is_about(line, BLOCKING[name], course / name.replace("-", "_")), line
    assert said_of(name, build) == [line]
    assert not (course / name.replace("-", "_") / "built").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("name", HARMLESS)
def test_a_slip_that_blocks_nothing_is_named(name: str, harmless: tuple[Path, str]) -> None:
    course, said = harmless
    lines = said_of(name, said)
    assert any(is_about(line, HARMLESS[name], course / name.replace("-", "_")) for line in lines), lines


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["points", "too-many-points", "share", "hint-part", "wrong-cause"])
def test_a_slip_that_costs_nothing_is_all_that_is_said_although_everything_is_graded(
    name: str, harmless: tuple[Path, str]
) -> None:
    assert len(said_of(name, harmless[1])) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("name", AT_ONCE)
def test_a_slip_in_the_declarations_is_one_line(name: str, tmp_path: Path) -> None:
    slip, course = AT_ONCE[name], tmp_path / "course"
    course_of(course, {"cosine": slip})
    done = attngrade(course, "author", "check")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert slip.words in line
    number = int(line.partition(f"{course / NAME / slip.file}, line ")[2].partition(":")[0])
    assert slip.line in (course / NAME / slip.file).read_text().splitlines()[number - 1]


def test_a_name_that_is_spelled_wrongly_has_a_suggestion(tmp_path: Path) -> None:
    course_of(tmp_path / "course", {"cosine": AT_ONCE["unknown-keyword"]})
    done = attngrade(tmp_path / "course", "list")
    assert (done.returncode, done.stdout) == (2, "")
    assert "values takes no size; did you mean sizes? It takes: call, points, draws, id, title, sizes" in done.stderr


def test_twenty_slips_and_more_are_tried() -> None:
    assert len(BLOCKING | HARMLESS | AT_ONCE) > 60


@pytest.mark.thorough
def test_nothing_is_wrong_with_the_first_files(tmp_path: Path) -> None:
    course = tmp_path / "course"
    made(course)
    built = attngrade(course, "author", "build")
    assert built.returncode == 0, built.stderr
    done = attngrade(course, "author", "check")
    assert (done.returncode, done.stdout) == (0, f"{NAME}: nothing is wrong\n"), done.stdout + done.stderr
    again = attngrade(course, "author", "build")
    assert again.stdout == f"{NAME}: everything is up to date\n"


@pytest.mark.thorough
def test_a_leak_is_named(tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    assert attngrade(folder.parent, "author", "build").returncode == 0
    readme = folder / "built" / "students" / "README.md"
    readme.write_text(readme.read_text() + "\n`query = query / query.norm(dim=-1, keepdim=True)`\n")
    done = attngrade(folder.parent, "author", "check")
    assert done.returncode == 1
    assert "holds a line of the solution of cosine" in done.stdout


@pytest.mark.parametrize("missing", ["solution.py", "handout.md", "reference.py"])
def test_a_missing_file_is_named(missing: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    (folder / missing).unlink()
    done = attngrade(folder.parent, "author", "check")
    assert done.returncode == 1, done.stderr
    assert f"{NAME}/{missing}: the file is missing" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["submissions/wrong.toml", "submissions/equivalent.toml", "mistakes.py"])
def test_an_empty_file_is_no_error(path: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    (folder / path).write_text("" if path.endswith("toml") else "MISTAKES = ()\n")
    (folder / "submissions" / "wrong.toml").write_text("")
    done = attngrade(folder.parent, "author", "audit", "--json")
    assert '"wrong": 0' in done.stdout, done.stderr
    assert done.stderr == ""


def test_wrong_calls(tmp_path: Path) -> None:
    nowhere = attngrade(tmp_path / "nowhere", "list")
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "is no folder" in nowhere.stderr
    (tmp_path / "empty").mkdir()
    nothing = attngrade(tmp_path / "empty", "author", "check")
    assert nothing.returncode == 2
    assert "there is no assignment of a course's own here" in nothing.stderr
    folder = made(tmp_path / "course")
    other = attngrade(folder.parent, "author", "check", "cosin")
    assert "did you mean cosine" in other.stderr
    shutil.copytree(folder, folder.parent / "bahdanau")
    clash = attngrade(folder.parent, "list")
    assert clash.returncode == 2
    assert "there is another assignment bahdanau" in clash.stderr
