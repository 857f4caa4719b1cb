"""Writes grades in the formats of other programs: one module for each format, and the table of formats."""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from autograder.integrations.export.job import ExportError, Job, Product
from autograder.integrations.export.reading import read_run

__all__ = ["FORMATS", "ExportError", "Format", "Job", "Product", "read_run", "write"]


class Format(NamedTuple):
    """The module with a format's ``write``, the name of its file or folder, and what sets the format apart."""

    module: str
    name: str
    edits_roster: bool = False
    for_students: bool = False  # whether students read what it says about their checks


FORMATS = {
    "gradescope": Format("gradescope_files", "gradescope", for_students=True),
    "canvas": Format("canvas", "canvas.csv", edits_roster=True),
    "moodle": Format("moodle", "moodle.csv", edits_roster=True, for_students=True),
    "csv": Format("table", "checks.csv"),
    "junit": Format("junit", "junit.xml"),
    "ctrf": Format("ctrf", "ctrf.json"),
    "nbgrader": Format("nbgrader", "nbgrader.csv"),
    "otter": Format("otter", "final_grades.csv"),
}


def write(name: str, job: Job) -> Product:
    """Return the grades of a job in a format, without writing to disk. Raises ExportError."""
    writer: Callable[[Job], Product] = import_module(f"autograder.integrations.export.{FORMATS[name].module}").write
    return writer(job)
