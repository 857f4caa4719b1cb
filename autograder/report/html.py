"""The page that an instructor opens: a table of all students, and below it every check that was not passed.

Of a large class what is below the table goes to pages of their own, so that a browser need not hold all of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder import model
from autograder.report.summary import causes, lost, one_line
from autograder.results import whole

ON_ONE_PAGE = 200  # students; of more, each page tells of so many


def write_report(path: Path, grades: Collection[model.Grade]) -> None:
    """Writes one self-contained page, and for more than ``ON_ONE_PAGE`` students ``students-1.html`` and so on beside
    it. Everything that came from a student is escaped. ``grades`` are gone through several times and not kept."""
    pages = Environment(
        loader=PackageLoader("autograder", "report"), autoescape=True, undefined=StrictUndefined
    )
    pages.filters["line"] = one_line
    pages.globals.update(causes=causes, lost=lost)
    first = next(iter(grades), None)
    told = {
        "assignment": first.assignment if first else "",
        "students": len(grades),
        "mean": _mean(grades),
        "size": ON_ONE_PAGE if len(grades) > ON_ONE_PAGE else 0,
    }
    made = {path.name}
    if told["size"]:
        for number, some in enumerate(_pages(grades), start=1):
            name = f"students-{number}.html"
            made.add(name)
            _write(
                path.with_name(name), pages, "students.html.jinja", told | {"grades": some, "page": number}
            )
    _write(path, pages, "index.html.jinja", told | {"grades": grades})
    for old in path.parent.glob("students-*.html"):
        if old.name not in made:  # of an earlier run with more students
            old.unlink()


def _write(path: Path, pages: Environment, template: str, told: dict[str, Any]) -> None:
    with whole(path, durable=True) as file:
        pages.get_template(template).stream(told).dump(file, "utf-8", "replace")


def _pages(grades: Iterable[model.Grade]) -> Iterator[list[model.Grade]]:
    source = iter(grades)
    while some := list(itertools.islice(source, ON_ONE_PAGE)):
        yield some


def _mean(grades: Iterable[model.Grade]) -> float | None:
    """Of the scores that there are."""
    count, total = 0, 0.0
    for grade in grades:
        if grade.score is not None:
            count, total = count + 1, total + grade.score
    return total / count if count else None
