"""What is wrong with an assignment of a course, as far as its files show it without running student code."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from autograder import assignments, model
from autograder.assignments import hints, places
from autograder.assignments.kit.programs import PUBLIC_SEED, InputGenerator
from autograder.instructor.authoring.words import mistakes
from autograder.instructor.release.figure import figure_in
from autograder.instructor.release.handout import handout, points_table
from autograder.instructor.release.leaks import leaks_of
from autograder.instructor.release.source import BEGIN, SourceError, stubbed

WHOLE = 100
CAUSE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)


class Problem(NamedTuple):
    """What is wrong, and where: a file of the assignment's folder, and a line of it or 0."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{where}: {self.text}"


class Files:
    """The files of an assignment, to find the line that a problem is about."""

    def __init__(self, assignment: str) -> None:
        self.assignment = assignment
        self.folder = places.place(assignment).texts

    def text(self, name: str) -> str:
        """Return the text of a file; empty without one."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def at(self, name: str, needle: str, text: str) -> Problem:
        """Return a problem at the first line of a file that holds ``needle``."""
        lines = self.text(name).splitlines()
        return Problem(name, next((at for at, line in enumerate(lines, 1) if needle and needle in line), 0), text)


def found(assignment: str, known: Collection[str]) -> list[Problem]:
    """Return the problems of an assignment, in the order of its files. ``known``: the causes that have words.

    Raises CourseError if the assignment can't be loaded.
    """
    files = Files(assignment)
    if missing := list(_missing(files)):
        return missing
    spec = assignments.load(assignment, hidden=True)
    return [
        *_of_solution(files, spec),
        *_of_reference(files, spec),
        *_of_checks(files, spec),
        *_of_cases(files, spec),
        *_of_mistakes(files, known),
        *_of_handout(files, spec),
        *_of_hints(files, spec),
        *(Problem("built/students", 0, leak) for leak in leaks_of(assignment)),
    ]


def _missing(files: Files) -> Iterator[Problem]:
    for name in ("solution.py", "handout.md", "reference.py", "checks.py"):
        if not (files.folder / name).is_file():
            yield Problem(name, 0, "the file is missing; attngrade author new shows what it holds")


def _of_solution(files: Files, spec: model.Spec) -> Iterator[Problem]:
    text = files.text("solution.py")
    try:
        stubbed(text)
        tree = ast.parse(text)
    except SourceError as error:
        number = re.match(r"line (\d+)", str(error))
        yield Problem("solution.py", int(number[1]) if number else 0, str(error).partition(": ")[2] or str(error))
        return
    except SyntaxError as error:
        yield Problem("solution.py", error.lineno or 0, f"SyntaxError: {error.msg}")
        return
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    lines = text.splitlines()
    for part in spec.parts:
        if part not in defined:
            yield files.at("checks.py", f'"{part}"', f"the part {part} is not defined in solution.py")
    for name, node in defined.items():
        hole = any(BEGIN in line for line in lines[node.lineno - 1 : node.end_lineno])
        if hole and name not in spec.parts:
            yield Problem("solution.py", node.lineno, f"students write {name}, but no check is about it")
        if name in spec.parts and not hole:
            yield Problem("solution.py", node.lineno, f"{name} has no marked hole: {BEGIN}: ... and ### END SOLUTION")
        if name in spec.parts and not ast.get_docstring(node):
            yield Problem("solution.py", node.lineno, f"{name} has no docstring; students get nothing else of it")


def _of_reference(files: Files, spec: model.Spec) -> Iterator[Problem]:
    module = places.imported(places.reference_name(files.assignment))
    for part in spec.parts:
        if not hasattr(module, part):
            yield Problem("reference.py", 0, f"it does not define {part}")


def _of_checks(files: Files, spec: model.Spec) -> Iterator[Problem]:
    module = places.imported(places.module_name(files.assignment))
    if not getattr(module, "TITLE", ""):
        yield Problem("checks.py", 0, 'it has no TITLE = "..."')
    total = sum(check.points for check in spec.checks)
    if abs(total - WHOLE) > 1e-6:
        yield Problem("checks.py", 0, f"the points of all checks add up to {total:g}, expected {WHOLE}")
    for name, count in Counter(check.id for check in spec.checks).items():
        if count > 1:
            yield files.at("checks.py", name, f'{count} checks have the id {name}; give one of them id="..."')
    for name, count in Counter(case.id for check in spec.checks for case in check.cases).items():
        same = {id(case) for check in spec.checks for case in check.cases if case.id == name}
        if count > 1 and len(same) > 1:
            yield files.at("checks.py", name, f"{count} different cases have the name {name}; rename one")
    if not any(check.visibility == "hidden" for check in spec.checks):
        yield Problem("hidden_checks.py", 0, "there is no hidden check, so a table of the public answers passes")
    if not any(check.visibility == "public" for check in spec.checks):
        yield Problem("checks.py", 0, "there is no public check, so students can't check their work")


def _of_cases(files: Files, spec: model.Spec) -> Iterator[Problem]:
    """Yield cases whose program can't be written, and public ones whose inputs never change."""
    for check in spec.checks:
        file = "hidden_checks.py" if check.visibility == "hidden" else "checks.py"
        for case in check.cases:
            try:
                first, other = (
                    case.build(InputGenerator(PUBLIC_SEED, files.assignment, name))
                    for name in (case.id, case.redrawn().id)
                )
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                yield files.at(file, check.id, f"the case {case.id} of {check.id} can't be made: {why}")
                continue
            if first.arrays and first.arrays == other.arrays and first.device == "cpu":
                why = "has the same inputs while grading, so a table of answers passes; use builder.example"
                yield files.at(file, check.id, f"the case {case.id} of {check.id} {why}")


def _of_mistakes(files: Files, known: Collection[str]) -> Iterator[Problem]:
    reference = vars(places.imported(places.reference_name(files.assignment)))
    for one in mistakes(files.assignment):
        cause = one.variant.cause
        for name in one.variant.names:
            if name not in reference:
                yield files.at("mistakes.py", name, f"the mistake {cause} exchanges {name}, which reference.py lacks")
        if not CAUSE.fullmatch(cause):
            yield files.at("mistakes.py", cause, f"{cause!r} is no id; expected words with hyphens: missing-scale")
        elif not one.sentence and cause not in known:
            yield files.at("mistakes.py", cause, f"the cause {cause} has no sentence and no hint")
        if one.share is not None and not 0 <= one.share <= 1:
            yield files.at("mistakes.py", cause, f"the share of {cause} is {one.share:g}; expected 0 to 1")
    for name, count in Counter(one.variant.id for one in mistakes(files.assignment)).items():
        if count > 1:
            yield files.at("mistakes.py", name, f'{count} mistakes are called {name}; tell them apart with how="..."')


def _of_handout(files: Files, spec: model.Spec) -> Iterator[Problem]:
    try:
        figure_in(files.folder)
    except ValueError as error:
        yield Problem("figure.toml", 0, str(error))
        return
    try:
        text = handout(files.assignment, places.ROOT, points_table(files.assignment))
    except Exception as error:  # Jinja's errors have no common base that is ours to name
        yield Problem("handout.md", getattr(error, "lineno", 0) or 0, f"{type(error).__name__}: {error}")
        return
    headings = set(HEADING.findall(text))
    for section in dict.fromkeys(check.section for check in spec.checks):
        if section and section not in headings:
            yield Problem("handout.md", 0, f"there is no section {section!r}, to which the checks send students")


def _of_hints(files: Files, spec: model.Spec) -> Iterator[Problem]:
    if not (files.folder / "hints.toml").is_file():
        return
    try:
        given = hints.hints(files.assignment)
    except ValueError as error:
        yield Problem("hints.toml", 0, str(error))
        return
    headings = HEADING.findall(files.text("handout.md"))
    for name, hint in given.items():
        if name.partition(".")[0] not in spec.parts:
            yield files.at("hints.toml", name, f"there is no part {name}")
        if hint.read not in headings:
            yield files.at("hints.toml", hint.read, f"handout.md has no section {hint.read!r}")
