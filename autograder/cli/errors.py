"""Errors that a user can correct become ``click.UsageError``, which ``app.run`` prints as one line."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from autograder.assignments import places
from autograder.grading.seed import SeedError
from autograder.grading.suite import NOT_INSTALLED, SuiteError
from autograder.intake import IntakeError
from autograder.intake.roster.csv_file import SheetError
from autograder.runs.cluster import ClusterError
from autograder.runs.journal import JournalError
from autograder.runs.run_folder import OutputError
from autograder.sandbox.availability import SandboxError

RUN_ERRORS = (IntakeError, SuiteError, SeedError, SheetError, JournalError, OutputError, SandboxError, ClusterError)


@contextlib.contextmanager
def usage_errors(*others: type[Exception], extra: str = "") -> Iterator[None]:
    """Turn ``RUN_ERRORS`` and ``others`` into usage errors, and missing packages too.

    ``extra`` names the extras of ``pyproject.toml`` that hold the packages which the block imports.
    """
    expected: tuple[type[Exception], ...] = (*RUN_ERRORS, *others)
    try:
        yield
    except expected as error:
        raise click.UsageError(str(error)) from error
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in places.OURS:  # a student's installation
            raise click.UsageError(NOT_INSTALLED) from error
        if not extra:
            raise
        raise click.UsageError(f"this needs {package}: pip install -e '.[{extra}]'") from error


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn an ``OSError`` into a usage error that names the path."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"can't write to {path}: {reason}; choose another path") from error
