"""The assignments: one folder each, found by their folders.

    T/__init__          ORDER, TITLE and PARTS: the points of each function and class. A part may use those before it.
                        TOKEN: whether each student's file has a token (see ``model.tokens``)
    T/checks            CHECKS: the public checks; T/hidden/checks: the hidden ones
    T/programs          what the cases of the checks call; T/hidden/programs likewise
    T/speed             TIMED calls; MECHANISM: the call that ``attngrade bench`` plots, if there is one
    T/mechanism         the same call at its cheapest, to compare with where there are no references; never imported
    T/axes              CALLS and MADE_WITH: names of axes
    T/causes            CAUSES: sentences and hints; SHARES: the most that a mistake costs in its part, if not a half
    T/signs             what shared diagnosis must know of functions, if there is anything:
                        RESULTS: what a function returns, if that is neither scores, weights nor sums of values
                        SCORES: how a function gets its scores: from the input "scores", or "scaled-dot"
                        WINDOWS: a function that hides positions without a mask. The value is its input of positions.
    T/words             what pictures of weights must know, if there is anything:
                        WORDS: words at rows and columns, by case, instead of positions
                        RETURN_WEIGHTS: functions whose only result is weights
    T/hints.toml        hints in steps for each part (see ``hints``)
    T/explanations.toml what to say in class about each cause, for staff (see ``explanations``)
    T/quiz.toml         a quiz, and T/hidden/quiz_key.toml its key, if there is one (see ``quizzes``)
    T/expected.msgpack  shipped values of the public checks, made by ``attngrade build``
    T/hidden/mistakes   the known mistakes

A student's installation has no ``hidden`` and no ``explanations.toml``. ``kit`` holds what all of them are written
with. A course's own assignments lie elsewhere, in one folder each (see ``places``), and are loaded in the same way.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import itertools
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from autograder import model
from autograder.assignments import declarations, places

__all__ = ["NAMES", "declared", "gathered", "impossible", "load", "loaded", "mechanism", "released", "shipped"]

CAUSES = "causes.json"  # of a course's assignment, made by a build
LAST = 1000  # ORDER of an assignment that declares none


def _names() -> tuple[str, ...]:
    names = (*places.own(), *places.of_courses())
    return tuple(sorted(names, key=lambda name: (int(getattr(_part(name), "ORDER", LAST)), name)))


def _part(assignment: str, part: str = "") -> Any:
    if part == "causes" and assignment in places.of_courses():
        return _causes(assignment)
    return places.imported(places.module_name(assignment, part))


def _causes(assignment: str) -> SimpleNamespace:
    """Return the causes of a course's assignment, which a build takes from its mistakes."""
    path = places.built(assignment, CAUSES)
    table = msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
    causes = {name: model.Cause(one["sentence"], one["hint"]) for name, one in table.items()}
    shares = {name: one["share"] for name, one in table.items() if "share" in one}
    return SimpleNamespace(CAUSES=causes, SHARES=shares)


def _has(assignment: str, part: str) -> bool:
    try:
        return importlib.util.find_spec(places.module_name(assignment, part)) is not None
    except ModuleNotFoundError:  # of a package above it: a student's installation has no ``hidden``
        return False


NAMES = _names()
_LOADED: dict[tuple[str, bool], model.Spec] = {}  # by name, and whether with hidden checks


def load(assignment: str, hidden: bool | None = None) -> model.Spec:
    """Return an assignment's checks. ``hidden``: with the hidden ones. None: with those that are installed.

    Raises KeyError for an unknown assignment, and ModuleNotFoundError for hidden checks that are not installed.
    A course's assignment may have none, but where its reference is missing they are not installed.
    """
    if assignment not in NAMES:
        raise KeyError(assignment)
    of_course = assignment in places.of_courses()
    if of_course and hidden and not (places.folder(assignment) / "reference.py").is_file():
        name = places.reference_name(assignment)
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    checks = _checks(assignment, "checks", of_course)
    with_hidden = (hidden and not of_course) or (hidden is not False and _has(assignment, "hidden.checks"))
    if with_hidden:
        more = _checks(assignment, "hidden.checks", of_course)
        checks += tuple(map(model.Check.as_hidden, more)) if of_course else more
    module, known = _part(assignment), tuple(dict.fromkeys(check.part for check in checks))
    title = declarations.title(module) if of_course else module.TITLE
    if of_course and with_hidden:
        declarations.check_parts(module, known)
    parts = tuple(dict.fromkeys([*getattr(module, "PARTS", ()), *known]))
    shares = declared(assignment, "causes", "SHARES", {})
    _LOADED[assignment, with_hidden] = spec = model.Spec(assignment, title, checks, parts, shares)
    return spec


def loaded() -> tuple[model.Spec, ...]:
    """Return what this process has loaded. Loading an assignment takes up to a second."""
    return tuple(_LOADED.values())


def _checks(assignment: str, part: str, of_course: bool) -> tuple[model.Check, ...]:
    module = _part(assignment, part)
    return declarations.checks(module) if of_course else tuple(module.CHECKS)


def declared(assignment: str, part: str, name: str, default: Any) -> Any:
    """Return ``name`` of an assignment's module ``part``, or the default where there is no such module or name."""
    return getattr(_part(assignment, part), name, default) if _has(assignment, part) else default


def gathered(part: str, name: str, names: Iterable[str] = NAMES) -> dict[str, Any]:
    """Return the merged tables ``name`` of assignments' modules ``part``: of all, or of ``names``.

    Where two disagree about an entry, it is left out, so that no assignment says what holds for another one.
    """
    tables = [_table(assignment, part, name) for assignment in names]
    found = dict(itertools.chain.from_iterable(table.items() for table in tables))
    return {key: value for key, value in found.items() if all(table.get(key, value) == value for table in tables)}


def _table(assignment: str, part: str, name: str) -> dict[str, Any]:
    if part != "causes" and assignment in places.of_courses() and _has(assignment, part):
        return declarations.table(_part(assignment, part), name)
    return dict(declared(assignment, part, name, {}))


def released(assignment: str) -> Path | None:
    """Return the folder with the files that students get: in the package, or beside it in a checkout.

    None if there is neither.
    """
    package = Path(__file__).parents[1]
    folders = (package / "handouts" / assignment, places.place(assignment).students)
    return next((folder for folder in folders if folder.is_dir()), None)


@functools.cache
def impossible(assignment: str) -> frozenset[str]:
    """Return the causes that failing cases of an assignment can't show, whatever they have in common.

    Where a course's handout speaks of no softmax, large numbers make nothing else fail than they do anywhere.
    """
    if assignment not in places.of_courses():
        return frozenset()
    texts = (places.folder(assignment) / "handout.md", places.place(assignment).students / "README.md")
    read = [path.read_text(encoding="utf-8").lower() for path in texts if path.is_file()]
    return frozenset({"softmax-unstable"}) if read and not any("softmax" in text for text in read) else frozenset()


def mechanism(assignment: str) -> bytes | None:
    """Return the text of ``T/mechanism``, or None if the assignment has none."""
    path = places.built(assignment, "mechanism.py")
    return path.read_bytes() if path.is_file() else None


def shipped(assignment: str) -> bytes:
    """Return the expected values of the public checks. Raises FileNotFoundError."""
    return places.built(assignment, "expected.msgpack").read_bytes()
