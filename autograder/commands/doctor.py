"""``doctor``: which layers of the confinement hold here, tried for real as the user at hand."""

from __future__ import annotations

import getpass
import os
import platform
import sys

import click
import msgspec

from autograder.sandbox import standing
from autograder.sandbox.layers import FLOOR, LAYERS, Layer


def doctor(as_json: bool) -> int:
    """0 where submissions can be graded confined, 1 where a layer of the floor is missing."""
    missing = standing.missing()
    if as_json:
        told = [
            layer._asdict() | {"holds": layer.name not in missing, "why": missing.get(layer.name, "")}
            for layer in LAYERS
        ]
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        _tell(missing)
    return 0 if missing.keys().isdisjoint(FLOOR) else 1


def _tell(missing: dict[str, str]) -> None:
    from rich import box
    from rich.table import Table

    from autograder.report import terminal

    console = terminal.console()
    console.print(f"{platform.platform()}, Python {platform.python_version()} ({sys.prefix}), {_user()}\n")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("layer", "", "stops"):
        table.add_column(column)
    for layer in LAYERS:
        holds = "[green]holds[/]" if layer.name not in missing else _gone(layer)
        table.add_row(layer.name, holds, layer.stops)
    console.print(table)
    for layer in LAYERS:
        if layer.name in missing:
            console.print(
                f"{layer.name}: {missing[layer.name]}\n  {layer.advice}\n", markup=False, highlight=False
            )
    console.print(_verdict(missing), soft_wrap=True)


def _user() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a number that nobody has given a name
        name = "?"
    return f"as {name}" + (f" ({os.getuid()})" if hasattr(os, "getuid") else "")


def _gone(layer: Layer) -> str:
    return "[red]missing[/]" if layer.floor else "[yellow]not here[/]"


def _verdict(missing: dict[str, str]) -> str:
    if not missing.keys().isdisjoint(FLOOR):
        return "attngrade grade refuses to run here without --unconfined; check works."
    if missing:
        return "Submissions are confined here; what is not here would make it thicker."
    return "Submissions are confined here by every layer there is."
