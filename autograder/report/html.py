"""The report for instructors: a table of all students, and below it the parts and the mistakes of each.

In a large class the mistakes are on further pages, so that a browser need not hold all of them.
"""

import itertools
import statistics
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from autograder import model
from autograder.report.templates import environment
from autograder.runs.results import whole

ON_ONE_PAGE = 200  # students


def write_report(path: Path, grades: Collection[model.Grade]) -> None:
    """Write a self-contained page, and ``students-1.html`` and so on beside it for more than ``ON_ONE_PAGE`` students.

    ``grades`` is read several times and never held as a whole.
    """
    scores = [grade.final for grade in grades if grade.final is not None]
    of_all = {
        "assignment": next((grade.assignment for grade in grades), ""),
        "students": len(grades),
        "mean": statistics.fmean(scores) if scores else None,
        "size": ON_ONE_PAGE if len(grades) > ON_ONE_PAGE else 0,
    }

    def write(name: str, template: str, **facts: object) -> None:
        with whole(path.with_name(name), durable=True) as file:
            environment().get_template(template).stream(of_all | facts).dump(file, "utf-8", "replace")

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


def _parts(grades: Iterable[model.Grade]) -> Iterator[list[model.Grade]]:
    source = iter(grades)
    while part := list(itertools.islice(source, ON_ONE_PAGE)):
        yield part
