"""``doctor``: which layers of the confinement work on this machine for this user. Each is really tried."""

import contextlib
import getpass
import os
import platform
import sys

import click
from rich import box

from autograder import protocol
from autograder.cli import options
from autograder.cli.output import print_json
from autograder.grading import gpu
from autograder.grading.suite import empty_suite
from autograder.report import summary, terminal
from autograder.sandbox import availability
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.layers import FLOOR, LAYERS
from autograder.sandbox.limits import Limits


@click.command()
@options.device(default="cpu")
@options.json
def doctor_command(device: protocol.Device, as_json: bool) -> int:
    """Try every layer of the confinement, and say what is missing.

    It tries them as the current user. With --device cuda, it also tries the device in a confined worker. The exit
    status is 1 if attngrade grade refuses to run here."""
    missing = availability.missing(device)
    closed = missing.keys().isdisjoint(FLOOR)
    trouble = _trouble_of_device() if device == "cuda" and closed else ""
    if as_json:
        print_json(
            [
                layer._asdict() | {"holds": layer.name not in missing, "why": missing.get(layer.name, "")}
                for layer in LAYERS
            ]
        )
    else:
        _print(missing)
    if trouble:
        click.echo(f"--device cuda: {trouble}", err=True)
    elif device == "cuda" and closed and not as_json:
        click.echo("The CUDA device works in a confined worker.")
    return 0 if closed and not trouble else 1


def _trouble_of_device() -> str:
    """Return why confined workers can't use the CUDA device, or ""."""
    try:
        with contextlib.closing(ForkServer(Limits(), device="cuda")) as server:
            return gpu.GPU(empty_suite("doctor"), server).trouble
    except SandboxError as error:
        return str(error)


def _print(missing: dict[str, str]) -> None:
    console = terminal.console()
    console.print(f"{platform.platform()}, Python {platform.python_version()} ({sys.prefix}), {_user()}\n")
    table = summary.table("layer", "", "stops")
    table.box = box.SIMPLE_HEAD
    for layer in LAYERS:
        absent = "[red]missing[/]" if layer.floor else "[yellow]not here[/]"
        table.add_row(layer.name, absent if layer.name in missing else "[green]works[/]", layer.stops)
    console.print(table)
    for layer in LAYERS:
        if layer.name in missing:
            console.print(f"{layer.name}: {missing[layer.name]}\n  {layer.advice}\n", markup=False, highlight=False)
    if not missing:
        verdict = "Submissions are confined here by all layers."
    elif missing.keys().isdisjoint(FLOOR):
        verdict = "Submissions are confined here. The missing layers would make the confinement stronger."
    else:
        verdict = "attngrade grade refuses to run here without --unconfined; check works."
    console.print(verdict, soft_wrap=True)


def _user() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a user ID without a name
        name = "?"
    return f"as {name}" + (f" ({os.getuid()})" if hasattr(os, "getuid") else "")
