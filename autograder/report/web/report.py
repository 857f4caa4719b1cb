"""``OUT/report``: the page of the class, and a page for each student in ``students/``."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import msgspec

from autograder import assignments, model
from autograder.feedback import causes
from autograder.feedback.explanations import explained
from autograder.report.web.class_facts import ClassFacts
from autograder.report.web.class_page import Words, class_page
from autograder.report.web.student_page import student_page
from autograder.runs import history, run_facts, student_code
from autograder.runs.alike import Alike
from autograder.runs.history import ReplacedGrade
from autograder.runs.journal import Journal
from autograder.runs.pool import cores
from autograder.runs.results import file_name, whole

STUDENTS = "students"
LARGE_CLASS = 300  # students: for fewer, starting other processes takes longer than it saves
BATCH = 1000  # pages whose code is held in memory at the same time
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

    def page_of(grade: model.Grade) -> Page:
        earlier = history.history(journal, grade.student) if journal else ()
        return Page(pages / _page_name(grade), title, grade, code_of(grade.student), earlier)

    facts = ClassFacts(grades)
    pages = path.parent / STUDENTS
    _write_pages(map(page_of, grades), len(grades))
    made = run_facts.described(journal) if journal else []
    environments = [(f"environment of {count}", text) for text, count in facts.environments.most_common(5) if text]
    words = _words(_assignment(grades))
    _write(path, class_page(facts, title, [*made, *environments], code_of, alike, words))
    written = set(map(_page_name, grades))
    for old in pages.glob("*.html") if pages.is_dir() else ():
        if old.name not in written:  # of somebody who is no longer in the run
            old.unlink()


def _words(assignment: str) -> Callable[[str], Words]:
    said, known = explained(assignment), causes.of(assignment)
    return lambda cause: Words(*known.get(cause, (cause, "")), said.get(cause, ""))


def _page_name(grade: model.Grade) -> str:
    return f"{file_name(grade.student)}.html"


class Page(NamedTuple):
    """What a student's page is made from. ``cells`` are their code, ``earlier`` the grades that were replaced."""

    path: Path
    title: str
    grade: model.Grade
    cells: Sequence[str]
    earlier: Sequence[ReplacedGrade]

    def write(self) -> None:
        """Write the page, unless it is there."""
        mark = _mark(*self[1:])
        if not _has(self.path, mark):
            page = student_page(self.grade, self.title, staff=True, cells=self.cells, earlier=self.earlier)
            _write(self.path, [page, mark])


def _write_pages(pages: Iterator[Page], count: int) -> None:
    """Write the pages of all students: those of a large class on all processors."""
    if count < LARGE_CLASS:
        for page in pages:
            page.write()
        return
    with ProcessPoolExecutor(cores(), get_context("spawn")) as pool:
        while batch := list(islice(pages, BATCH)):
            for _ in pool.map(Page.write, batch, chunksize=20):
                pass


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
