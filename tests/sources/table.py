"""The table of the sources: what the course material names, and what grades it.

``covered/*.toml`` holds a row for everything that a document explains: mechanisms, formulas, diagnostics, failure
modes, variants, costs, worked examples, exercises, experiments, questions and misprints. What is only named stands in
``named_only.toml``, parts without a row in ``beyond.toml``, and the map of the course in ``map.toml``.

A figure of a published result has no row of its own: it belongs to the mechanism that it is about.
"""

from __future__ import annotations

import functools
import importlib
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from autograder import assignments

HERE = Path(__file__).parent
Document = Literal["chapter 6", "slides of unit 5", "chapter 1", "lesson", "section 3.2"]
Kind = Literal["mechanism", "formula", "diagnostic", "failure-mode", "variant", "cost"]
Task = Literal["example", "exercise", "experiment", "question", "misprint"]


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a document names.

    Attributes:
        document: the document.
        place: section, exercise or slide.
        kind: what it is.
        what: one sentence on it.
        parts: what grades it: ``assignment/part``, or ``assignment/part/check`` where a part is wide.
        asked: where it is asked in words: ``assignment/Q1`` of a handout, or ``assignment/part`` of a quiz.
        nothing: why nothing grades it, where nothing does.
    """

    document: Document
    place: str
    kind: Kind | Task
    what: str
    parts: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    nothing: str = ""


def toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def files() -> list[Path]:
    return sorted((HERE / "covered").glob("*.toml"))


def listed(path: Path) -> dict[str, Row]:
    """Return the rows of one file by id. Raises msgspec.ValidationError for a row that is not well-formed."""
    table = toml(path)
    document = table.pop("document")
    return {name: msgspec.convert({"document": document, **row}, Row) for name, row in table.items()}


@functools.cache
def rows() -> dict[str, Row]:
    return {name: row for path in files() for name, row in listed(path).items()}


@functools.cache
def parts(assignment: str) -> tuple[str, ...]:
    """Return the parts of an assignment."""
    return tuple(importlib.import_module(f"autograder.assignments.{assignment}").PARTS)


@functools.cache
def checks(assignment: str) -> dict[str, str]:
    """Return the part of each check of an assignment."""
    return {check.id: check.part for check in assignments.load(assignment).checks}


def of(entry: str) -> tuple[str, str, str]:
    """Return assignment, part and check of an entry of ``parts`` or ``asked``. The check may be empty."""
    assignment, part, *check = entry.split("/")
    return assignment, part, "/".join(check)
