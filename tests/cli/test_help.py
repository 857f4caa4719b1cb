"""``attngrade --help`` and completion in the shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import click
import pytest

from autograder.cli import app
from tests.command_helpers import Run
from tests.paths import ROOT


def sections(text: str) -> dict[str, list[str]]:
    """The headings of a help text, and the words with which the lines below them begin."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if heading := re.fullmatch(r"(\w[\w ]+):", line):
            found[heading[1]] = []
        elif found and (entry := re.match(r"  (\S+)", line)):
            found[list(found)[-1]].append(entry[1])
    return found


def test_every_command_stands_in_one_section(run: Run) -> None:
    shown = sections(run("--help").out)
    assert shown["For students"] == ["list", "new", "check", "hint", "show-weights", "bench"]
    assert shown["For authors"] == ["author", "build", "audit"]
    listed = [name for heading in app.SECTIONS for name in shown[heading]]
    assert sorted(listed) == app.cli.list_commands(click.Context(app.cli))
    assert "nbgrader" in shown["For instructors and teaching assistants"]  # is named nowhere


@pytest.mark.parametrize("width", ["80", "120"])
def test_no_line_of_the_help_is_cut(run: Run, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    groups = [[], *([name] for name in app.cli.list_commands(click.Context(app.cli)) if is_group(name))]
    assert len(groups) > 2
    assert [
        line
        for words in groups
        for line in run(*words, "--help").out.splitlines()
        if re.fullmatch(r"  \S.*\w\.\.\.", line)
    ] == []


def is_group(name: str) -> bool:
    return isinstance(app.cli.get_command(click.Context(app.cli), name), click.Group)


def test_groups_within_have_one_section(run: Run) -> None:
    assert set(sections(run("otter", "--help").out)["Commands"]) == {"autograde", "build", "prepare"} - {
        name for name in ("autograde", "prepare") if hidden("otter", name)
    }


def hidden(group: str, name: str) -> bool:
    found = app.cli.get_command(click.Context(app.cli), group)
    assert isinstance(found, click.Group)
    command = found.get_command(click.Context(found), name)
    assert command is not None
    return command.hidden


@pytest.mark.parametrize(("words", "expected"), [("attngrade gr", "grade"), ("attngrade new lu", "luong")])
def test_the_shell_completes_commands_and_assignments(words: str, expected: str) -> None:
    asked = {"_ATTNGRADE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    env = os.environ | asked | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "autograder"], env=env, capture_output=True, text=True)
    assert done.stdout.splitlines() == [f"plain,{expected}"]


def commands(group: click.Group, *path: str) -> list[tuple[str, ...]]:
    """The words of all commands, groups included."""
    found: list[tuple[str, ...]] = [path]
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        found += commands(command, *path, name) if isinstance(command, click.Group) else [(*path, name)]
    return found


@pytest.mark.parametrize("words", commands(app.cli), ids=" ".join)
def test_every_help_shows_the_option_for_a_course(run: Run, words: tuple[str, ...]) -> None:
    shown = run(*words, "--help")
    assert shown.status == 0
    assert shown.out.count("--course FOLDER") == 1
