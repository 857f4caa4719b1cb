"""What is wrong with the texts of an assignment: the solution with its holes, the handout and the hints."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Collection, Iterator

from autograder import model
from autograder.assignments import explanations, hints, places
from autograder.instructor.authoring.problem import Files, Problem
from autograder.instructor.release.figure import figure_in
from autograder.instructor.release.handout import handout, points_table
from autograder.instructor.release.render import skeleton
from autograder.instructor.release.solution_script import Definitions, cells, definitions
from autograder.instructor.release.stubs import BEGIN, END, SourceError, stubbed
from autograder.model.text import suggestion

SOLUTION, HANDOUT, HINTS = "solution.py", "handout.md", "hints.toml"
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)


def unreadable(files: Files, spec: model.Spec, with_handout: bool) -> Iterator[Problem]:
    """Yield what keeps the students' files from being made. The handout needs cases that can be made."""
    text = files.text(SOLUTION)
    try:
        written = definitions(text)
        skeleton(files.assignment, cells(stubbed(text)))
    except SourceError as error:
        yield Problem(SOLUTION, error.line, error.text, blocks=True)
        return
    except SyntaxError as error:
        yield Problem(SOLUTION, error.lineno or 0, f"SyntaxError: {error.msg}", blocks=True)
        return
    for part in spec.parts:
        if part not in written:
            text_of = f"the part {part} is not defined in solution.py; define it there, or rename the part"
            yield files.at("checks.py", f'"{part}"', text_of, blocks=True)
    try:
        figure_in(files.folder)
    except ValueError as error:
        yield files.told("figure.toml", str(error))._replace(blocks=True)
        return
    if not with_handout:
        return
    try:
        _rendered(files)
    except Exception as error:  # Jinja's errors have no common base that is ours to name
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno or 0 for frame in frames if frame.filename.endswith(HANDOUT)]
        line = getattr(error, "lineno", None) or max(lines[-1:], default=0)
        yield Problem(HANDOUT, line, f"{type(error).__name__}: {error}", blocks=True)


def defined(files: Files) -> Definitions:
    """Return the functions and classes of the solution; none if it can't be read."""
    try:
        return definitions(files.text(SOLUTION))
    except SyntaxError:
        return {}


def of_solution(files: Files, spec: model.Spec) -> Iterator[Problem]:
    """Yield parts without a hole or a docstring, and holes in what is no part."""
    text = files.text(SOLUTION)
    lines = text.splitlines()
    for name, node in definitions(text).items():
        hole = any(BEGIN in line for line in lines[node.lineno - 1 : node.end_lineno])
        if hole and name not in spec.parts:
            yield Problem(SOLUTION, node.lineno, f"students write {name}, but no check is about it; add one")
        if name in spec.parts and not hole:
            yield Problem(SOLUTION, node.lineno, f"{name} has no marked hole; write {BEGIN}: ... and {END}")
        if name in spec.parts and not ast.get_docstring(node):
            yield Problem(SOLUTION, node.lineno, f"{name} has no docstring; students get nothing else of it")


def of_handout(files: Files, spec: model.Spec) -> Iterator[Problem]:
    """Yield sections that checks send students to, and that are not there."""
    headings = set(HEADING.findall(_rendered(files)))
    for section in dict.fromkeys(check.section for check in spec.checks):
        if section and section not in headings:
            text = f"there is no section {section!r}, to which the checks send students; write ## {section}"
            yield Problem(HANDOUT, 0, text)


def of_hints(files: Files, spec: model.Spec) -> Iterator[Problem]:
    """Yield what is wrong with the hints."""
    if not (files.folder / HINTS).is_file():
        return
    try:
        given = hints.hints(files.assignment)
    except ValueError as error:
        yield files.told(HINTS, str(error))
        return
    headings = HEADING.findall(files.text(HANDOUT))
    for name, hint in given.items():
        if name.partition(".")[0] not in spec.parts:
            yield files.at(HINTS, name, f"there is no part {name}; the parts are {', '.join(spec.parts)}")
        if hint.read not in headings:
            yield files.at(HINTS, hint.read, f"handout.md has no section {hint.read!r}")


def of_explanations(files: Files, known: Collection[str]) -> Iterator[Problem]:
    """Yield what is wrong with what is said in class. ``known``: the causes that have words."""
    try:
        given = explanations.read(files.folder / explanations.NAME)
    except ValueError as error:
        yield files.told(explanations.NAME, str(error))
        return
    for cause, text in given.items():
        if cause not in known:
            said = f"there is no cause {cause}, so nobody reads this{suggestion(cause, known)}"
            yield files.at(explanations.NAME, cause, said)
        elif not text:
            yield files.at(explanations.NAME, cause, f"the explanation of {cause} is empty; write it, or leave it out")


def _rendered(files: Files) -> str:
    return handout(files.assignment, places.ROOT, points_table(files.assignment))
