"""The walks in ``docs/from-zip-to-grades.md``: their commands work, and print what the page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.downloads import DOWNLOADS
from tests.docs.pages import DOCS, commands

PAGE = DOCS / "from-zip-to-grades.md"
WALKS = {
    "Canvas": """\
$ attngrade grade submissions.zip -a bahdanau -o OUT --roster gradebook.csv
$ attngrade export OUT --to canvas --roster gradebook.csv
$ attngrade feedback OUT --to canvas
""",
    "Moodle": """\
$ attngrade grade submissions.zip -a bahdanau -o OUT --roster worksheet.csv --config assignment.toml
$ attngrade export OUT --to moodle --roster worksheet.csv
$ attngrade feedback OUT --to moodle --roster worksheet.csv
""",
    "Gradescope": """\
$ attngrade grade export.zip -a bahdanau -o OUT --roster roster.csv
$ attngrade export OUT --to gradescope --roster roster.csv
""",
}
MOST_COMMANDS = 6
BLOCK = re.compile(
    r"(^<!-- not run: [^\n]* a download of (\w+) -->\n```console\n)(.*?)(^```$)", re.DOTALL | re.MULTILINE
)
PROGRESS = re.compile(r"^\d+ of \d+: .*\n", re.MULTILINE)
TIME = re.compile(r"in [\d.]+ s with \d+ job\(s\)")


def printed(name: str, place: Path, environment: dict[str, str]) -> str:
    """Run a walk's commands in a download, and return them with what they print."""
    DOWNLOADS[name](place)
    text = ""
    for command in WALKS[name].splitlines():
        ran = subprocess.run(
            ["bash", "-c", f"{command.removeprefix('$ ')} 2>&1"],
            **{"cwd": place, "env": environment, "capture_output": True, "text": True, "timeout": 300},
        )
        assert ran.returncode == 0, ran.stdout
        text += f"{command}\n{TIME.sub('in 4.5 s with 2 job(s)', PROGRESS.sub('', ran.stdout))}"
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


def on_the_page() -> dict[str, str]:
    return {match[2]: match[3] for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))}


@pytest.mark.thorough
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_prints_what_the_page_says(name: str, tmp_path: Path, environment: dict[str, str]) -> None:
    assert printed(name, tmp_path, environment) == on_the_page()[name]
    made = sorted(path.name for path in (tmp_path / "OUT" / "exports").iterdir())
    assert (
        made
        == {
            "Canvas": ["canvas-feedback.zip", "canvas.csv"],
            "Moodle": ["moodle-feedback.zip", "moodle.csv"],
            "Gradescope": ["gradescope"],
        }[name]
    )


def test_every_walk_is_short_and_on_the_page() -> None:
    shown = on_the_page()
    assert shown.keys() == WALKS.keys() == DOWNLOADS.keys()
    for name, text in shown.items():
        lines = [line for line in text.splitlines() if line.startswith("$ ")]
        assert commands("\n".join(lines)) == commands(WALKS[name])
        assert len(lines) <= MOST_COMMANDS
