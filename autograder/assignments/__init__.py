"""The assignments: one folder each, found by their folders.

    T/__init__          ORDER, TITLE and PARTS: the points of each function and class. A part may use those before it.
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
    T/expected.msgpack  shipped values of the public checks, made by ``attngrade build``
    T/hidden/mistakes   the known mistakes

A student's installation has no ``hidden``. ``kit`` holds what all of them are written with.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from importlib import resources
from pathlib import Path
from typing import Any

from autograder import model

KIT = "kit"


def _names() -> tuple[str, ...]:
    names = [folder.name for folder in pkgutil.iter_modules(__path__) if folder.ispkg and folder.name != KIT]
    return tuple(sorted(names, key=lambda name: (int(_part(name).ORDER), name)))


def _part(assignment: str, part: str = "") -> Any:
    return importlib.import_module(".".join(filter(None, (__name__, assignment, part))))


def _has(assignment: str, part: str) -> bool:
    return importlib.util.find_spec(f"{__name__}.{assignment}.{part}") is not None


NAMES = _names()


def load(assignment: str, hidden: bool | None = None) -> model.Spec:
    """Return an assignment's checks. ``hidden``: with the hidden ones. None: with those that are installed.

    Raises KeyError for an unknown assignment, and ModuleNotFoundError for hidden checks that are not installed.
    """
    if assignment not in NAMES:
        raise KeyError(assignment)
    checks = tuple(_part(assignment, "checks").CHECKS)
    if hidden or (hidden is None and _has(assignment, "hidden")):
        checks += tuple(_part(assignment, "hidden.checks").CHECKS)
    shares = declared(assignment, "causes", "SHARES", {})
    return model.Spec(assignment, _part(assignment).TITLE, checks, _parts(assignment, checks), shares)


def _parts(assignment: str, checks: tuple[model.Check, ...]) -> tuple[str, ...]:
    """Return the parts in the order in which they stand on each other: as declared, else as the checks have them."""
    declared = getattr(_part(assignment), "PARTS", {})
    return tuple(dict.fromkeys([*declared, *(check.part for check in checks)]))


def declared(assignment: str, part: str, name: str, default: Any) -> Any:
    """Return ``name`` of an assignment's module ``part``, or the default where there is no such module or name."""
    return getattr(_part(assignment, part), name, default) if _has(assignment, part) else default


def gathered(part: str, name: str) -> dict[str, Any]:
    """Return the merged tables ``name`` of all assignments' modules ``part``."""
    return {key: value for one in NAMES for key, value in declared(one, part, name, {}).items()}


def released(assignment: str) -> Path | None:
    """Return the folder with the files that students get: in the package, or beside it in a checkout.

    None if there is neither.
    """
    package = Path(__file__).parents[1]
    folders = (package / "handouts" / assignment, package.parent / "assignments" / assignment)
    return next((folder for folder in folders if folder.is_dir()), None)


def mechanism(assignment: str) -> bytes | None:
    """Return the text of ``T/mechanism``, or None if the assignment has none."""
    path = resources.files(__name__).joinpath(assignment, "mechanism.py")
    return path.read_bytes() if path.is_file() else None


def shipped(assignment: str) -> bytes:
    """Return the expected values of the public checks. Raises FileNotFoundError."""
    return resources.files(__name__).joinpath(assignment, "expected.msgpack").read_bytes()
