"""Submissions with known verdicts: what the grader itself is held to.

A folder a topic: ``right/*.py`` and ``third_party/*.py``, which must get everything, ``wrong.toml``, in which each
entry is one mistake put into a right submission, with the causes that rightly name it, and ``equivalent.toml``, which
names mutants of the solution that no legal input tells from it, each with the reason.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from autograder.audit.mutants import mutants

T = TypeVar("T")
Sort = Literal["right", "wrong", "mutant", "equivalent"]


class CorpusError(Exception):
    """The corpus is not as it must be; the message says where."""


class Piece(msgspec.Struct, frozen=True):
    """One submission and what it must get. ``causes``: any of them is right; empty: none may be told. None: no
    cause is declared. ``only`` is the dtype of inputs in which alone the mistake shows."""

    name: str
    sort: Sort
    source: str
    causes: tuple[str, ...] | None = None
    status: str = "graded"
    only: str = ""
    diff: str = ""
    reason: str = ""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of ``wrong.toml``: ``replace`` in ``base``, or a whole ``file``."""

    name: str
    cause: list[str]
    base: str = ""
    replace: list[tuple[str, str]] = []
    file: str = ""
    status: str = "graded"
    only: Literal["", "float32", "float64"] = ""


class Equal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of ``equivalent.toml``."""

    mutant: str
    reason: str


def load(folder: Path, solution: Path) -> list[Piece]:
    """A topic's corpus. Raises CorpusError."""
    right = {"solution": _read(solution)}
    right |= {path.stem: _read(path) for path in sorted((folder / "right").glob("*.py"))}
    pieces = [Piece(name, "right", text) for name, text in right.items()]
    pieces += [
        Piece(path.stem, "right", _read(path)) for path in sorted(folder.glob("third_party/torch_*.py"))
    ]
    pieces += [_wrong(entry, right, folder) for entry in _tables(folder / "wrong.toml", "wrong", Entry)]
    pieces += _mutants(right["solution"], folder)
    names = [piece.name for piece in pieces]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise CorpusError(f"{folder}: names that occur twice: {', '.join(sorted(twice))}")
    return pieces


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error


def _tables(path: Path, name: str, kind: type[T]) -> list[T]:
    if not path.exists():
        return []
    try:
        return msgspec.convert(tomllib.loads(_read(path)), dict[str, list[kind]])[name]  # type: ignore[valid-type]
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, KeyError) as error:
        raise CorpusError(f"{path}: {error}") from error


def _wrong(entry: Entry, right: dict[str, str], folder: Path) -> Piece:
    if entry.file:
        text = _read(folder / entry.file)
    elif entry.base in right:
        text = right[entry.base]
    else:
        raise CorpusError(
            f"{folder / 'wrong.toml'}: {entry.name}: there is no right submission {entry.base!r}"
        )
    for old, new in entry.replace:
        if old not in text:
            raise CorpusError(f"{folder / 'wrong.toml'}: {entry.name}: not in {entry.base}: {old!r}")
        text = text.replace(old, new)
    return Piece(entry.name, "wrong", text, tuple(entry.cause), entry.status, entry.only)


def _mutants(solution: str, folder: Path) -> list[Piece]:
    """Mutants of the solution; those that are declared equivalent must get everything."""
    path = folder / "equivalent.toml"
    equal = {one.mutant: one.reason for one in _tables(path, "equivalent", Equal)}
    made = {mutant.name: mutant for mutant in mutants(solution)}
    gone = equal.keys() - made.keys()
    if gone:
        raise CorpusError(f"{path}: no mutant has this name any more: {min(gone)}")
    return [
        Piece(
            name,
            "equivalent" if name in equal else "mutant",
            one.source,
            diff=one.diff,
            reason=equal.get(name, ""),
        )
        for name, one in made.items()
    ]
