"""What a command imports: as little as it needs, and nothing that a student's installation lacks."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from autograder.cli.app import cli

HEAVY = {"torch", "jinja2", "matplotlib", "distributed", "nbgrader", "jupytext"}
PROGRAM = """
import sys
from autograder.cli import app
status = app.run(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(status)
"""
STUDENT = """
import sys
for name in ("reference", "autograder.instructor", "jupytext", "nbgrader", "otter", "distributed"):
    sys.modules[name] = None
"""


def ran(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


def imported(*arguments: str, status: int = 0) -> set[str]:
    """Run a command in a process of its own and return the names of the modules that it imports."""
    done = ran(PROGRAM, *arguments)
    assert done.returncode == status, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", ["list", "check --help", "new --help", "--help"])
def test_no_heavy_package_is_imported(arguments: str) -> None:
    assert not imported(*arguments.split()) & HEAVY


@pytest.mark.parametrize("arguments", ["check nowhere.py", "show nowhere ana"])
def test_nor_for_a_wrong_call(arguments: str) -> None:
    assert not imported(*arguments.split(), status=2) & HEAVY


def test_only_the_called_command_is_imported() -> None:
    modules = imported("list")
    assert "autograder.cli.commands.list" in modules
    assert not {"autograder.cli.commands.grade", "autograder.runs", "autograder.sandbox"} & modules


@pytest.mark.parametrize("arguments", ["--help", "audit --help", "otter --help", "nbgrader init -h", "bench -h"])
def test_a_students_installation_shows_help(arguments: str) -> None:
    done = ran(STUDENT + PROGRAM, *arguments.split())
    assert done.returncode == 0, done.stderr
    assert "Usage: attngrade" in done.stdout


def test_every_module_is_a_command() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help
    assert cli.get_command(context, "nothing") is None
