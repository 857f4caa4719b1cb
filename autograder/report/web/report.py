"""``OUT/report``: the page of the class, and a page for each student in ``students/``."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from autograder import assignments, model
from autograder.feedback.explanations import explained
from autograder.report.web.class_facts import ClassFacts
from autograder.report.web.class_page import class_page
from autograder.report.web.student_page import student_page
from autograder.runs import history, run_facts, student_code
from autograder.runs.alike import Alike
from autograder.runs.journal import Journal
from autograder.runs.results import file_name, whole

STUDENTS = "students"
SOURCES = (".py", ".jinja", ".css")


def write_report(
    path: Path, grades: Collection[model.Grade], journal: Journal | None = None, alike: Sequence[Alike] = ()
) -> None:
    """Write ``path``, the class, and beside it a page for each student.

    Without ``journal``, the pages have no code, no earlier attempts, and say less of how the marks were made. ``alike``
    are submissions to look at.
    """
    title = _title(grades)

    def code_of(student: str) -> Sequence[str]:
        return student_code.of(journal, student) if journal else ()

    facts = ClassFacts(grades)
    pages = path.parent / STUDENTS
    written = set()
    for grade in grades:
        name = f"{file_name(grade.student)}.html"
        cells = code_of(grade.student)
        earlier = history.history(journal, grade.student) if journal else ()
        mark = _mark(title, grade, cells, earlier)
        if not _has(pages / name, mark):
            page = student_page(grade, title, staff=True, cells=cells, earlier=earlier)
            _write(pages / name, [page, mark])
        written.add(name)
    made = run_facts.described(journal) if journal else []
    environments = [(f"environment of {count}", text) for text, count in facts.environments.most_common(5) if text]
    said = explained(_assignment(grades))
    _write(path, class_page(facts, title, [*made, *environments], code_of, alike, said))
    for old in pages.glob("*.html") if pages.is_dir() else ():
        if old.name not in written:  # of somebody who is no longer in the run
            old.unlink()


def _mark(*facts: object) -> str:
    """Return the end of a page, which tells what it was made from: one decision changes one page of many."""
    digest = hashlib.sha256(_design())
    digest.update(msgspec.json.encode(facts))
    return f"<!-- made from {digest.hexdigest()} -->\n"


def _has(path: Path, mark: str) -> bool:
    """Whether a page ends with a mark."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        file.seek(-len(mark), os.SEEK_END)
        return file.read() == mark.encode()
    return False


@cache
def _design() -> bytes:
    """Return a digest of this package: of its code and of its templates."""
    files = sorted(file for file in Path(__file__).parent.rglob("*") if file.suffix in SOURCES)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).digest()


def _title(grades: Collection[model.Grade]) -> str:
    name = _assignment(grades)
    return assignments.load(name).title if name in assignments.NAMES else name


def _assignment(grades: Collection[model.Grade]) -> str:
    return next((grade.assignment for grade in grades), "")


def _write(path: Path, pieces: Iterable[str]) -> None:
    with whole(path) as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "replace"))
