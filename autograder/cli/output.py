"""Output for programs."""

import click
import msgspec

from autograder.model.text import escaped_json


def print_json(value: object) -> None:
    """Print a value of msgspec's types as indented JSON."""
    click.echo(escaped_json(msgspec.json.format(msgspec.json.encode(value), indent=2)).decode())
