"""The tools that run beside students' own work: pytest in a workflow of GitHub, a notebook, otter.

Each shows what a submission says. No text may become a command of the program around it, and no cell may hang it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from autograder import intake, model
from autograder.integrations import github, jupyter, notebooks, pytest_checks
from autograder.integrations.otter import plugin
from tests.hostile.test_inputs_together import raw

# What GitHub's runner takes for a command: a line that begins with ::, after spaces; and ##[ anywhere in a line.
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
COMMANDS = (
    "::set-output name=result::100",
    "  ::error file=x,line=1::lost",
    "x\n::stop-commands::never",
    "ValueError: ##[set-output name=result;]100",
    "\n \t\n::add-mask::a",
)


def outcome(status: model.CheckStatus, message: str) -> model.Outcome:
    return model.Outcome("c", "Title", "value", "public", status, 0.0, 1.0, message, None, message)


@pytest.mark.parametrize("status", ["failed", "error", "skipped"])
@pytest.mark.parametrize("text", COMMANDS)
def test_no_message_of_an_item_is_a_command(
    text: str, status: model.CheckStatus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = model.Grade("ana", "luong", 0.0, 1.0, "graded", (outcome(status, text),), {}, message=text)
    monkeypatch.setattr(pytest_checks, "_grade", lambda *_: made)
    (tmp_path / "luong.py").write_text("")
    said = reported(tmp_path)
    assert text.split("::")[-1].split("]")[-1] in said
    assert not COMMAND.search(said)


@pytest.mark.parametrize("text", COMMANDS)
def test_no_failure_to_check_is_a_command(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise intake.IntakeError(text)

    made = model.Grade("ana", "luong", 0.0, 1.0, "unreadable", (), {}, message=text)
    monkeypatch.setattr(pytest_checks, "_grade", lambda *_: made)
    (tmp_path / "luong.py").write_text("")
    assert not COMMAND.search(reported(tmp_path))
    monkeypatch.setattr(intake, "open_path", refuse)
    assert not COMMAND.search(reported(tmp_path))


NAMES = ("luong\n::error::x.py", "luong ##[error]x.py", "luong\x1b[2J\u202e.py", "luong(1)\n::error.py")


@pytest.mark.parametrize("name", NAMES)
def test_no_file_name_is_a_command(name: str, tmp_path: Path) -> None:
    """Two look-alikes, and no file of the right name: the message quotes them."""
    for each in (name, f"copy of {name}"):
        (tmp_path / each).write_text("")
    said = reported(tmp_path)
    assert "luong" in said
    assert not COMMAND.search(said)
    assert raw(said) == set()


def reported(folder: Path) -> str:
    with pytest.raises((pytest.fail.Exception, pytest.skip.Exception)) as caught:
        pytest_checks.run_public_check(folder, "luong", "c")
    return str(caught.value)


@pytest.mark.parametrize("address", ["", "https://course.example/attngrade"])
def test_a_workflow_takes_nothing_from_a_push(address: str) -> None:
    """No expression puts what somebody pushed into a shell, and the step writes only a summary page, with no command of
    the submission's between its two lines."""
    text = github.workflow("luong", address)
    assert all(name.startswith(("vars.", "!cancelled()")) for name in re.findall(r"\$\{\{\s*(\S+)", text))
    (job,) = yaml.safe_load(text)["jobs"].values()
    commands = [step.get("run", "") for step in job["steps"]]
    assert not [command for command in commands if "${{" in command]
    assert set(re.findall(r"GITHUB_\w+", "".join(commands))) == {"GITHUB_STEP_SUMMARY"}
    (check,) = [command for command in commands if "attngrade check" in command]
    assert check.index("::stop-commands::$token") < check.index("attngrade check") < check.index('"::$token::"')


# ---------------------------------------------------------------- a notebook

CALLS = (
    "grader.a()" * 3000 + "x",
    "grader.a()\n" * 3000 + "x",
    "grader.a(" + ")" * 50_000 + "x",
    "grader.a(" + ") " * 20_000 + "x",
    "grader.a()" + " " * 50_000 + "x",
    "# \n" * 20_000 + "x",
)


@pytest.mark.parametrize("cell", CALLS, ids=range(len(CALLS)))
def test_a_cell_is_looked_at_once(cell: str) -> None:
    """Steps that double with every call would never end."""
    assert notebooks.code_cells([cell]) == (cell,)


@pytest.mark.parametrize(
    "cell", ["grader.check('q1')", "# x\n\ngrader.check('a')\n grader.check_all() \n", "grader.check('a'); grader.b()"]
)
def test_a_cell_that_only_calls_the_tool_is_none_of_the_works(cell: str) -> None:
    assert notebooks.code_cells([cell, "x = 1"]) == ("x = 1",)


@pytest.mark.parametrize(
    "line",
    ["bahdanau \x1b[2J\u202e", "../../etc/passwd x", "bahdanau.hidden x", "\0 \0", "luong {0.__class__} %s $(id) `id`"],
)
def test_no_line_of_the_magic_steers(line: str) -> None:
    with pytest.raises(jupyter.Misused) as caught:
        jupyter.check(line, ["x = 1"])
    (said,) = caught.value._render_traceback_()
    assert raw(said) == set()


def test_a_report_in_a_notebook_neither_steers_nor_runs() -> None:
    """One worker for all that cells may try while they run."""
    cells = [
        "x = '\0'",
        "x = '\ud800'",
        "(" * 50_000,
        "raise SystemExit('\\x1b[2J\\u202e<b>')",
        "%%html\n<script>",
        "!id",
    ]
    with pytest.raises(jupyter.NotPassed) as caught:
        jupyter.check("bahdanau softmax-values", cells)
    lines = caught.value._render_traceback_()
    assert raw("\n".join(lines)) == set()
    assert max(map(len, lines)) < 100


# ---------------------------------------------------------------- otter


def nested(place: Path) -> None:
    """Deeper than Python's own way to remove a tree can go."""
    before = os.getcwd()
    os.chdir(place)
    for _ in range(2000):
        os.mkdir("a")
        os.chdir("a")
    os.chdir(before)


def closed(place: Path) -> None:
    (place / "closed" / "inner").mkdir(parents=True)
    (place / "closed").chmod(0o500)


def moved(place: Path) -> None:
    (place / "luong.ipynb").unlink()
    (place / "luong.ipynb").symlink_to("../precious")


SUBMISSIONS: dict[str, Callable[[Path], object]] = {
    "nested": nested,
    "closed": closed,
    "fifo": lambda place: os.mkfifo(place / "f.ipynb"),
    "link-to-all": lambda place: (place / "all").symlink_to("/"),
    "notebook-is-a-link": moved,
    "no-utf-8": lambda place: (place / os.fsdecode(b"\xff.py")).touch(),
    "option": lambda place: (place / "-rf").mkdir(),
    "log": lambda place: (place / ".OTTER_LOG").write_bytes(b"cposix\nsystem\n(S'id'\ntR."),
    "module": lambda place: (place / "otter").mkdir(),
}


@pytest.mark.skipif(os.name != "posix", reason="otter grades in containers")
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_nothing_of_a_submission_is_left_for_otter(name: str, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    place = tmp_path / "submission"
    place.mkdir()
    (place / "luong.ipynb").write_text("mine")
    SUBMISSIONS[name](place)
    plugin._remove_otter_files(tmp_path, place)
    plugin._empty(place / "luong.ipynb")
    assert [path.name for path in place.iterdir()] == ["luong.ipynb"]
    assert (place / "luong.ipynb").read_text() == json.dumps(plugin.NOTHING)
    assert not (place / "luong.ipynb").is_symlink()
    assert (tmp_path / "precious").read_text() == "precious"
