"""docs/commands.md lists every command and every option, and none that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from autograder.cli.app import cli
from autograder.feedback.causes import SHARED
from tests.docs.pages import DOCS

SECTION = re.compile(r"^## attngrade ([^\n]+)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FIRST_CELL = re.compile(r"^\| (`-.*?) \|", re.MULTILINE)


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif not command.hidden:
            yield f"{path}{name}", command


def options(command: click.Command) -> set[str]:
    shown = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    return {name for one in shown for name in (*one.opts, *one.secondary_opts)}


COURSE = "--course"  # every command takes it
COMMANDS = dict(commands(cli))
DOCUMENTED = dict(SECTION.findall((DOCS / "commands.md").read_text(encoding="utf-8")))


def test_every_command_has_a_section() -> None:
    assert set(DOCUMENTED) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_its_commands_table(name: str) -> None:
    cells = " ".join(FIRST_CELL.findall(DOCUMENTED[name]))
    assert set(re.findall(r"`(-[\w-]+)`", cells)) | {COURSE} == options(COMMANDS[name])


def test_every_shared_cause_is_listed_with_its_sentence() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \|$", (DOCS / "causes.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == sorted((name, cause.sentence) for name, cause in SHARED.items())


def test_the_option_of_all_commands_has_a_section_of_its_own() -> None:
    assert f"`{COURSE} FOLDER`" in (DOCS / "commands.md").read_text(encoding="utf-8")
