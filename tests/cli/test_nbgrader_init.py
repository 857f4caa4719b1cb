"""``attngrade nbgrader init``: which assignments a course gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.assignments import NAMES
from tests.command_helpers import Run


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replaces the making of a course, and holds the assignments that it gets."""
    pytest.importorskip("jupytext")
    from autograder.integrations.nbgrader import course

    names: list[str] = []

    def init(folder: Path, assignments: tuple[str, ...], *_: object) -> list[Path]:
        names.extend(assignments)
        return [folder / name for name in assignments]

    monkeypatch.setattr(course, "init", init)
    return names


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], list(NAMES)),
        (["--assignment", "luong"], ["luong"]),
        (["-a", "luong", "-a", "masking"], ["luong", "masking"]),
        (["--topic", "luong", "-t", "masking"], ["luong", "masking"]),  # the old name
        (["-a", "masking", "-t", "luong"], ["masking", "luong"]),
    ],
)
def test_the_course_gets_what_is_named(
    options: list[str], expected: list[str], chosen: list[str], tmp_path: Path, run: Run
) -> None:
    result = run("nbgrader", "init", tmp_path / "course", *options)
    assert result.status == 0, result.err
    assert chosen == expected
    assert f"nbgrader generate_assignment {expected[0]}" in result.out


def test_the_old_name_is_hidden(run: Run) -> None:
    shown = run("nbgrader", "init", "--help").out
    assert "--assignment" in shown
    assert "topic" not in shown.lower()


@pytest.mark.parametrize("arguments", ["nbgrader init course -a nothing", "check . -t luong", "check . --topic luong"])
def test_wrong_names_are_wrong_calls(arguments: str, chosen: list[str], run: Run) -> None:
    assert run(*arguments.split()).status == 2
    assert chosen == []
