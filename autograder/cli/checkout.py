"""Where the files of this installation lie."""

from pathlib import Path

import click

import autograder
from autograder import assignments

PACKAGE = Path(autograder.__file__).parent
ROOT = PACKAGE.parent  # of the checkout


def require_checkout(command: str) -> None:
    """Raise ``click.UsageError`` if the solutions and references are not installed."""
    if not (ROOT / "solutions").is_dir() or not (ROOT / "reference").is_dir():
        raise click.UsageError(f"{command} works in a checkout, where solutions/ and reference/ lie beside autograder/")


def released(assignment: str) -> Path:
    """Return the folder with the files that students get: in the package, or beside it in a checkout.

    Raises ``click.UsageError`` if there is none.
    """
    if (folder := assignments.released(assignment)) is not None:
        return folder
    raise click.UsageError(f"the files of {assignment} are not installed; in a checkout run: attngrade build")
