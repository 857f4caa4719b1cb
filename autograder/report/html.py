"""The page that an instructor opens: a table of all students, and below it every check that was not passed."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder import model
from autograder.report.summary import causes, lost, one_line
from autograder.results import write_whole


def write_report(path: Path, grades: list[model.Grade]) -> None:
    """Writes one self-contained page; everything that came from a student is escaped."""
    pages = Environment(
        loader=PackageLoader("autograder", "report"), autoescape=True, undefined=StrictUndefined
    )
    counted = [grade.score for grade in grades if grade.score is not None]
    pages.filters["line"] = one_line
    page = pages.get_template("index.html.jinja").render(
        grades=grades,
        assignment=grades[0].assignment if grades else "",
        mean=sum(counted) / len(counted) if counted else None,
        causes=causes,
        lost=lost,
    )
    write_whole(path, page.encode("utf-8", "replace"))
