"""Submissions with known verdicts, by which the audit measures the grader.

Each assignment has a folder. The files in ``right/`` are overlays of the solution (see ``overlay``). They and the files
in ``third_party/`` must get all points. An entry of ``wrong.toml`` puts one mistake into a right submission and lists
the causes that rightly name it. ``realistic/`` holds whole submissions, right and wrong, that were written apart from
the checks. ``equivalent.toml`` lists mutants of the solution that behave like it for every legal input, each with the
reason.
"""

import itertools
import re
import tomllib
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from autograder import assignments
from autograder.instructor.audit.mutants import mutants
from autograder.instructor.audit.overlay import OverlayError, composed

T = TypeVar("T")
Sort = Literal["right", "wrong", "mutant", "equivalent"]


class CorpusError(Exception):
    """The corpus has an error; the message says where."""


class Sample(msgspec.Struct, frozen=True):
    """One submission and its expected verdict.

    ``causes`` has an entry for each mistake with a cause: any of its ids is right. If it is empty, the grader must name
    none; None declares nothing. ``base`` is the right submission into which one mistake was put. The mistake shows
    only for inputs of the dtype ``only``, where that is given.
    """

    name: str
    sort: Sort
    source: str
    causes: tuple[tuple[str, ...], ...] | None = None
    base: str = ""
    notebook: bool = False
    status: str = "graded"
    only: str = ""
    diff: str = ""
    reason: str = ""

    @property
    def right_causes(self) -> set[str]:
        """All causes that rightly name one of the mistakes."""
        return set(itertools.chain(*self.causes or ()))


class WrongEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of ``wrong.toml``: replacements in a right submission, or a whole file.

    ``missed`` marks an entry for which the grader is known to name another cause, or none; ``unfair`` one that is known
    to cost more than it may.
    """

    name: str
    cause: list[str]
    base: str = ""
    replace: list[tuple[str, str]] = []
    file: str = ""
    status: str = "graded"
    missed: bool = False
    unfair: bool = False
    only: Literal["", "float32", "float64"] = ""


class Mistake(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mistake of a realistic submission: the part that holds it, and the ids that rightly name it."""

    part: str
    what: str
    cause: list[str] = []


class RealisticEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of ``realistic/index.toml``: a script or notebook beside it. Right ones have no mistakes."""

    file: str
    style: str
    mistakes: list[Mistake] = []
    missed: bool = False

    @property
    def name(self) -> str:
        """The name in the audit's lists."""
        return f"realistic/{self.file}"


class EquivalentEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of ``equivalent.toml``."""

    mutant: str
    reason: str


def load(folder: Path, solution: Path) -> list[Sample]:
    """Return the corpus of an assignment. Raises CorpusError."""
    right = right_ones(folder, solution)
    samples = [Sample(name, "right", text) for name, text in right.items()]
    samples += [Sample(path.stem, "right", _read(path)) for path in sorted(folder.glob("third_party/torch_*.py"))]
    samples += [_wrong(entry, right, folder) for entry in _tables(folder / "wrong.toml", "wrong", WrongEntry)]
    realistic = folder / "realistic"
    samples += [
        _realistic(entry, realistic) for entry in _tables(realistic / "index.toml", "submission", RealisticEntry)
    ]
    samples += mutants_of(right["solution"], folder)
    names = [sample.name for sample in samples]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise CorpusError(f"{folder}: names that occur twice: {', '.join(sorted(twice))}")
    return samples


def right_ones(folder: Path, solution: Path) -> dict[str, str]:
    """Return the solution and the right submissions of a folder, by name. Raises CorpusError."""
    files = {path.stem: _read(path) for path in sorted((folder / "right").glob("*.py"))}
    files = {"solution": _read(solution), **files}
    texts = {}
    for name in files:
        try:
            texts[name] = composed(name, files)
        except (OverlayError, SyntaxError) as error:
            path = solution if name == "solution" else folder / "right" / f"{name}.py"
            raise CorpusError(f"{path}: {error}") from error
    return texts


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error


def _tables(path: Path, name: str, kind: type[T]) -> list[T]:
    if not path.exists():
        return []
    try:
        tables = msgspec.convert(tomllib.loads(_read(path)), dict[str, list[kind]])  # type: ignore[valid-type]
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise CorpusError(f"{path}: {error}") from error
    if odd := sorted(tables.keys() - {name}):
        raise CorpusError(f"{path}: {odd[0]}: there is no such table; write [[{name}]]")
    return tables.get(name, [])


def _wrong(entry: WrongEntry, right: dict[str, str], folder: Path) -> Sample:
    if entry.file:
        text = _read(folder / entry.file)
    elif entry.base in right:
        text = right[entry.base]
    else:
        raise CorpusError(f"{folder / 'wrong.toml'}: {entry.name}: there is no right submission {entry.base!r}")
    for old, new in entry.replace:
        if old not in text:
            raise CorpusError(f"{folder / 'wrong.toml'}: {entry.name}: not in {entry.base}: {old!r}")
        text = text.replace(old, new)
    causes = (tuple(entry.cause),) if entry.cause else ()
    return Sample(entry.name, "wrong", text, causes, right.get(entry.base, ""), status=entry.status, only=entry.only)


def _realistic(entry: RealisticEntry, folder: Path) -> Sample:
    causes = tuple(tuple(mistake.cause) for mistake in entry.mistakes if mistake.cause)
    sort: Sort = "wrong" if entry.mistakes else "right"
    return Sample(
        entry.name,
        sort,
        _read(folder / entry.file),
        causes if entry.mistakes else None,
        notebook=entry.file.endswith(".ipynb"),
    )


def mutants_of(solution: str, folder: Path) -> list[Sample]:
    """Return the mutants of a solution. Those that the folder declares equivalent must get everything.

    Raises CorpusError.
    """
    path = folder / "equivalent.toml"
    equal = {one.mutant: one.reason for one in _tables(path, "equivalent", EquivalentEntry)}
    assignment = folder.name
    given = assignments.declared(assignment, "", "GIVEN", ()) if assignment in assignments.NAMES else ()
    made = {one.name: one for one in mutants(solution) if re.split(r"[.:]", one.name)[0] not in given}
    gone = equal.keys() - made.keys()
    if gone:
        raise CorpusError(f"{path}: no mutant has this name any more: {min(gone)}")
    return [
        Sample(name, "equivalent" if name in equal else "mutant", one.source, diff=one.diff, reason=equal.get(name, ""))
        for name, one in made.items()
    ]
