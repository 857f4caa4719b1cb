"""Where assignments lie: those of this package, and a course's own.

A course's own assignment is one folder. It lies in one of three places:

- below a folder that ``--course`` or ``ATTNGRADE_COURSE`` names;
- below ``autograder/courses``, in an edition that carries a course;
- in an installed package that has an entry point in the group ``attngrade.assignments``.

Its files are:

    T/solution.py         the solution script, with marked holes
    T/handout.md          the handout, and beside it figure.toml, experiment.py, answers.md if there are any
    T/reference.py        the same functions and classes, written for being right and easy to read
    T/checks.py           TITLE, PARTS, CHECKS: the public checks
    T/hidden_checks.py    CHECKS: the hidden ones
    T/mistakes.py         MISTAKES: the known mistakes
    T/explanations.toml   what to say in class about each cause, if somebody has written it
    T/submissions/        right and wrong ones, by which ``attngrade author audit`` measures the checks
    T/built/              what ``attngrade author build`` makes: the students' files, shipped values, causes

A student's installation has only ``checks.py`` with the modules that it imports, ``hints.toml`` and ``built``.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import re
import sys
import traceback
import types
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from autograder.model.courses import COURSE_VARIABLE, CourseError
from autograder.model.text import suggestion

GROUP = "attngrade.assignments"
COURSE = "attngrade_course"  # the package whose modules are the files of a course's assignments
PACKAGE = Path(__file__).parent
OURS = ("autograder", "reference", COURSE)  # packages; one whose module is not found is a student's
CARRIED = PACKAGE.resolve().parent / "courses"  # in the students' edition of a course and in an autograder.zip
ROOT = PACKAGE.parents[1]  # of a checkout
KIT = "kit"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
SECRET = ("solution.py", "reference.py", "hidden_checks.py", "mistakes.py")
FLAT = {"hidden": "hidden_checks", "hidden.checks": "hidden_checks", "hidden.mistakes": "mistakes"}


class Place(NamedTuple):
    """The files of one assignment, as their authors have them. ``corpus`` holds submissions with known verdicts."""

    texts: Path
    solution: Path
    students: Path
    corpus: Path


def own() -> tuple[str, ...]:
    """Return the names of the assignments of this package."""
    return tuple(one.name for one in pkgutil.iter_modules([str(PACKAGE)]) if one.ispkg and one.name != KIT)


@cache
def of_courses() -> dict[str, Path]:
    """Return the folders of courses' assignments, by name, as they are at the first call. Raises CourseError."""
    found = found_in_courses()
    if found and COURSE not in sys.modules:
        package = types.ModuleType(COURSE, "The files of a course's own assignments.")
        package.__path__ = [str(path.parent) for path in found.values()]
        sys.modules[COURSE] = package
    return found


def found_in_courses() -> dict[str, Path]:
    """Return the folders of courses' assignments, by name, as they are now. Raises CourseError."""
    found: dict[str, Path] = {}
    for folder in dict.fromkeys(path.resolve() for path in _folders()):
        for path in sorted(folder.iterdir()):
            if not (path / "checks.py").is_file():
                continue
            if not NAME.fullmatch(path.name):
                raise CourseError(f"{path}: an assignment's name has lower-case letters, digits and _; rename it")
            if path.name in found and found[path.name].parent == CARRIED:
                continue  # the same course, installed as a package too
            if path.name in found or path.name in own():
                raise CourseError(f"{path}: there is another assignment {path.name}; rename one of them")
            found[path.name] = path
    return found


def _folders() -> Iterator[Path]:
    """Yield the folders that may hold assignments. Raises CourseError for one that is named and not there."""
    for text in filter(None, os.environ.get(COURSE_VARIABLE, "").split(os.pathsep)):
        if not Path(text).is_dir():
            raise CourseError(
                f"{text} is no folder; --course and {COURSE_VARIABLE} name the folder that holds assignments"
            )
        if (Path(text) / "checks.py").is_file():
            raise CourseError(f"{text} is an assignment itself; name the folder that holds it")
        yield Path(text)
    if CARRIED.is_dir():
        yield CARRIED
    yield from _installed()


@cache
def _installed() -> tuple[Path, ...]:
    """Return the folders of installed packages that hold assignments. A watching command asks again and again."""
    specs = [importlib.util.find_spec(entry.value) for entry in metadata.entry_points(group=GROUP)]
    return tuple(Path(at) for spec in specs if spec for at in spec.submodule_search_locations or ())


def module_name(assignment: str, piece: str = "") -> str:
    """Return the name of the module that holds a piece of an assignment, such as ``hidden.checks``."""
    if assignment in of_courses():
        return f"{COURSE}.{assignment}.{FLAT.get(piece, 'checks')}"
    return ".".join(filter(None, ("autograder.assignments", assignment, piece)))


def imported(name: str) -> types.ModuleType:
    """Return a module. Raises CourseError, with file and line, for a file of a course that does not run."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        if not name.startswith(f"{COURSE}.") or (isinstance(error, ModuleNotFoundError) and error.name == name):
            raise
        raise blamed(error) from error


def blamed(error: Exception, words: str = "") -> CourseError:
    """Return an error in a file of a course, with the file and the line that raised it. ``words`` say what to do."""
    if isinstance(error, CourseError):
        return error
    if isinstance(error, SyntaxError):
        return CourseError(f"SyntaxError: {error.msg}", Path(error.filename or ""), error.lineno or 0)
    own = type(error).__module__.startswith("autograder.")  # its message says all
    said = f"{'' if own else f'{type(error).__name__}: '}{error}{_meant(error)}"
    text = f"{said}; {words}" if words else said
    folders = tuple(f"{folder}{os.sep}" for folder in of_courses().values())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folders)]
    return CourseError(text, Path(frames[-1].filename), frames[-1].lineno or 0) if frames else CourseError(text)


def _meant(error: Exception) -> str:
    """Return ``; did you mean values?`` for a name that is not defined; empty if none is near."""
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    names = [*frame.tb_frame.f_globals] if frame and isinstance(error, NameError) else []
    return suggestion(str(getattr(error, "name", "")), names)


def reference_name(assignment: str) -> str:
    """Return the name of the module that holds the reference."""
    if assignment in of_courses():
        return f"{COURSE}.{assignment}.reference"
    return f"reference.{assignment}.modules"


def place(assignment: str, root: Path = ROOT) -> Place:
    """Return where an assignment's files are; those of the package lie in the checkout ``root``."""
    if (own := of_courses().get(assignment)) is not None:
        return Place(own, own / "solution.py", built(assignment, "students"), own / "submissions")
    texts = root / "solutions" / assignment
    students = root / "assignments" / assignment
    return Place(texts, texts / f"{assignment}.py", students, root / "tests" / "assignments" / assignment)


def folder(assignment: str) -> Path:
    """Return the folder with an assignment's checks."""
    return of_courses().get(assignment, PACKAGE / assignment)


def built(assignment: str, name: str) -> Path:
    """Return the path of a file that a build makes and the package carries."""
    return folder(assignment) / ("built" if assignment in of_courses() else "") / name
