"""``list`` and ``new``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

import autograder
from autograder import model, specs

WORKFLOWS = {"classroom": "classroom", "plain": "pytest"}  # kind -> name of the file


def list_topics(as_json: bool) -> int:
    """Prints what there is to do, and how much is checked."""
    rows = [_row(topic) for topic in model.TOPICS]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return 0
    from rich.table import Table

    from autograder.report import terminal

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("topic", "title", "public checks", "hidden checks"):
        table.add_column(heading, justify="right" if "checks" in heading else "left")
    for row in rows:
        hidden = row["hidden_checks"]
        counts = f"{row['public_checks']} ({row['public_points']:g} points)", f"{hidden}" if hidden else "-"
        table.add_row(str(row["topic"]), str(row["title"]), *counts)
    terminal.console().print(table)
    return 0


def _row(topic: str) -> dict[str, object]:
    spec = specs.load(topic)
    public = [check for check in spec.checks if check.visibility == "public"]
    return {
        "topic": topic,
        "title": spec.title,
        "public_checks": len(public),
        "public_points": sum(check.points for check in public),
        "hidden_checks": len(spec.checks) - len(public),
    }


def new(topic: str, directory: Path, workflows: Sequence[str] = ()) -> int:
    """Copies the released files, and writes the ``workflows`` asked for; never over one that is there."""
    source = released(topic)
    files = {file.name: file.read_bytes() for file in sorted(source.iterdir()) if file.is_file()}
    files |= {f".github/workflows/{WORKFLOWS[name]}.yml": _workflow(name, topic) for name in workflows}
    there = [name for name in files if (directory / name).exists()]
    if there:
        raise click.UsageError(f"{directory} already has {', '.join(there)}; name another folder")
    try:
        for name, data in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_bytes(data)
    except OSError as error:
        raise click.UsageError(f"can't write to {directory}: {error.strerror}") from error
    click.echo(f"{directory}: {', '.join(files)}")
    click.echo(
        f"Read README.md, then fill in {topic}.py or {topic}.ipynb and delete the other: where both are handed"
    )
    click.echo(f"in, the .py counts. Check as often as you like: attngrade check {directory}")
    return 0


def _workflow(name: str, topic: str) -> bytes:
    from autograder.integrations import github

    writers = {"classroom": github.classroom, "plain": github.plain}
    return writers[name](topic).encode()


def released(topic: str) -> Path:
    """Where an assignment's files lie: in the package once installed, beside it in a checkout."""
    package = Path(autograder.__file__).parent
    for folder in (package / "assignments" / topic, package.parent / "assignments" / topic):
        if folder.is_dir():
            return folder
    raise click.UsageError(f"the files of {topic} are not installed; in a checkout run: attngrade build")
