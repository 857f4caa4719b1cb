"""Leaves that write grades as other programs read them: one module a format, and this table of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from autograder.export.job import ExportError, Job, Product
from autograder.export.reading import read_run

__all__ = ["FORMATS", "ExportError", "Format", "Job", "Product", "read_run", "write"]


class Format(NamedTuple):
    """Where a format's ``write`` is, what its file or folder is called, and whether it edits a roster."""

    module: str
    name: str
    edits_roster: bool = False


FORMATS = {
    "gradescope": Format("gradescope", "gradescope"),
    "canvas": Format("canvas", "canvas.csv", edits_roster=True),
    "moodle": Format("moodle", "moodle.csv", edits_roster=True),
    "csv": Format("table", "checks.csv"),
    "junit": Format("junit", "junit.xml"),
    "ctrf": Format("ctrf", "ctrf.json"),
    "nbgrader": Format("nbgrader", "nbgrader.csv"),
    "otter": Format("otter", "final_grades.csv"),
}


def write(name: str, job: Job) -> Product:
    """The grades of a job in one of the formats; nothing is written to the disk. Raises ExportError."""
    writer: Callable[[Job], Product] = import_module(f"autograder.export.{FORMATS[name].module}").write
    return writer(job)
