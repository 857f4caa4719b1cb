"""The report for instructors: a table of all students, and below it the parts and the mistakes of each.

In a large class the mistakes are on further pages, so that a browser need not hold all of them.
"""

import itertools
import statistics
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from autograder import model
from autograder.course.decisions import words
from autograder.course.marks import reckoning
from autograder.model.text import harmless
from autograder.report import summary
from autograder.runs.results import whole

ON_ONE_PAGE = 200  # students


def write_report(path: Path, grades: Collection[model.Grade]) -> None:
    """Write a self-contained page, and ``students-1.html`` and so on beside it for more than ``ON_ONE_PAGE`` students.

    Everything that comes from a student is escaped. ``grades`` is read several times and never held as a whole.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, because few commands need it

    pages = Environment(
        loader=PackageLoader("autograder", "report"), autoescape=True, undefined=StrictUndefined, finalize=_shown
    )
    scores = [grade.final for grade in grades if grade.final is not None]
    pages.globals.update(
        also=summary.also,
        causes=summary.causes,
        mistakes=summary.mistakes,
        parts=summary.parts,
        points=summary.number,
        reckoning=reckoning,
        words=words,
        score=summary.score,
        assignment=next((grade.assignment for grade in grades), ""),
        students=len(grades),
        mean=statistics.fmean(scores) if scores else None,
        size=ON_ONE_PAGE if len(grades) > ON_ONE_PAGE else 0,
    )

    def write(name: str, template: str, **facts: object) -> None:
        with whole(path.with_name(name), durable=True) as file:
            pages.get_template(template).stream(facts).dump(file, "utf-8", "replace")

    written = set()
    if len(grades) > ON_ONE_PAGE:
        for number, part in enumerate(_parts(grades), start=1):
            name = f"students-{number}.html"
            write(name, "students.html.jinja", grades=part, page=number)
            written.add(name)
    write(path.name, "index.html.jinja", grades=grades)
    for old in path.parent.glob("students-*.html"):
        if old.name not in written:  # from an earlier run with more students
            old.unlink()


def _shown(value: object) -> object:
    """Return what a page shows of a value. ``Markup`` is not of type ``str``: it has been through here."""
    return harmless(value) if type(value) is str else value


def _parts(grades: Iterable[model.Grade]) -> Iterator[list[model.Grade]]:
    source = iter(grades)
    while part := list(itertools.islice(source, ON_ONE_PAGE)):
        yield part
