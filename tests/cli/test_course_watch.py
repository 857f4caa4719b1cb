"""``author build --watch`` and ``author check --watch``: a save builds and checks the assignments that it changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from autograder.cli import fresh_process, watching
from tests.cli.author_course import NAME, made
from tests.cli.conftest import Edit, Edits
from tests.command_helpers import CommandResult, Run

Watched = Callable[..., CommandResult]
OTHER = "sine"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with two assignments."""
    shutil.copytree(made(tmp_path / "course"), tmp_path / "course" / OTHER)
    return tmp_path / "course"


@pytest.fixture
def watched(edits: Edits, run: Run, course: Path) -> Watched:
    """Call a command with ``--watch`` and do edits meanwhile."""

    plan = edits

    def call(*words: str, edits: Iterable[Edit]) -> CommandResult:
        plan(edits)
        return run("author", *words, "--watch", "--course", course)

    return call


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[str, ...]]]:
    """The commands that would run, without running them."""
    found: list[list[tuple[str, ...]]] = []

    def note(commands: Sequence[Sequence[str]]) -> None:
        found.append([tuple(words) for words in commands])

    monkeypatch.setattr(fresh_process, "run_in_turn", note)
    return found


def edited(path: Path, text: str = "\n") -> Edit:
    def edit() -> None:
        path.write_text(path.read_text() + text)

    return edit


def nothing() -> None:
    """No edit."""


def test_only_what_changed_is_built_and_checked(
    watched: Watched, calls: list[list[tuple[str, ...]]], course: Path
) -> None:
    built = course / OTHER / "built" / "students" / "README.md"
    built.parent.mkdir(parents=True)
    built.write_text("made by a build")
    done = watched(
        "check",
        edits=[
            nothing,
            edited(course / OTHER / "checks.py"),
            nothing,
            edited(built),
            lambda: (course / NAME / ".checks.py.swp").write_text("of an editor"),
            edited(course / NAME / "submissions" / "wrong.toml"),
            lambda: shutil.copytree(course / NAME, course / "tangent"),
            lambda: shutil.rmtree(course / "tangent"),
        ],
    )
    assert done.status == 0
    both = [[("author", command, name) for command in ("build", "check")] for name in (NAME, OTHER)]
    new = [("author", command, "tangent") for command in ("build", "check")]
    assert calls == [*both, both[1], both[0], new]
    assert done.out.count(watching.WAITING) == 5


def test_a_build_alone_of_named_assignments(watched: Watched, calls: list[list[tuple[str, ...]]], course: Path) -> None:
    edits = [edited(course / NAME / "solution.py"), edited(course / OTHER / "solution.py")]
    assert watched("build", OTHER, edits=edits).status == 0
    assert calls == [[("author", "build", OTHER)]] * 2
    wrong = watched("build", "cosin", edits=[])
    assert (wrong.status, wrong.out) == (2, "")
    assert "there is no assignment of a course's own 'cosin'" in wrong.err


def test_a_folder_that_cannot_be_used_is_said_and_watched_on(
    watched: Watched, calls: list[list[tuple[str, ...]]], course: Path
) -> None:
    odd = course / "Odd"
    done = watched(
        "build", NAME, edits=[lambda: (course / OTHER).rename(odd), nothing, lambda: odd.rename(course / OTHER)]
    )
    assert done.status == 0
    assert done.err.count("an assignment's name has lower-case letters, digits and _; rename it") == 1


@pytest.mark.thorough
def test_each_save_is_built_and_checked_anew(watched: Watched, course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With real processes: a change of a module shows, although a process imports a module once."""
    monkeypatch.setenv("COLUMNS", "200")
    shutil.rmtree(course / OTHER)
    checks = course / NAME / "checks.py"
    text = checks.read_text()
    edits = [
        lambda: checks.write_text(text.replace("values(COSINE, 30)", "values(COSINE, 31)")),
        lambda: checks.write_text(text + "\nCHECKS +"),
        lambda: checks.write_text(text.replace('"Cosine"', '"Other title"')),
    ]
    said = watched("check", edits=edits)
    rounds = said.out.split(watching.WAITING)
    assert f"{NAME}: nothing is wrong" in rounds[0]
    assert f"written: {course / NAME / 'built' / 'expected.msgpack'}" in rounds[0]
    assert "the points of all checks add up to 101, expected 100" in rounds[1]
    assert f"{checks}, line {text.count(os.linesep) + 2}: SyntaxError" in said.err
    assert f"{NAME}: nothing is wrong" not in rounds[1] + rounds[2]
    assert f"{NAME}: nothing is wrong" in rounds[3]
