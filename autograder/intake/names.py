"""File names: which belong to a submission, and how to show them to people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from autograder.assignments import NAMES

SOURCES: dict[str, Literal["script", "notebook"]] = {".py": "script", ".ipynb": "notebook"}  # preferred first
ARCHIVE = ".zip"

# Folders that tools make. Students do not write in them, and they hold thousands of files.
TOOL_FOLDERS = frozenset({"__macosx", "__pycache__", "site-packages", "node_modules", "venv", "env", "virtualenv"})
VENV_MARK = "pyvenv.cfg"
VENV_PARTS = frozenset({"bin", "lib", "lib64", "include", "scripts", "share"})

Rank = Literal["exact", "alike", "other"]  # how a file's name fits an assignment

NOTE_LENGTH = 400
NAME_LENGTH = 80
NAMES_LISTED = 5

# What browsers, file managers and hasty people append to a name. A number is matched whole (``(?!\d)``), so the
# pattern matches in one way only and never backtracks.
_MARK = r"[\s_.\-]*(?:\(\d+\)|\[\d+\]|v?\d+(?!\d)|copy|copie|copia|kopie|final|submission|ipynb|py)"


def suffix_of(name: str) -> str:
    """Return the ending of ``name`` in lower case with its dot, or ''."""
    _, dot, end = name.rpartition(".")
    return dot + end.lower() if dot else ""


def stem_of(name: str) -> str:
    """Return ``name`` without its last ending."""
    return name.rpartition(".")[0] or name


def exact_names(assignment: str) -> tuple[str, ...]:
    """Return the names that a submission should have, the preferred one first."""
    return tuple(assignment + suffix for suffix in SOURCES)


def expected_name(assignment: str) -> str:
    """Return the same in words."""
    return " or ".join(exact_names(assignment))


def is_hidden(name: str) -> bool:
    """Return whether ``name`` belongs to the system and not to a person."""
    return name.startswith(".")


def is_hidden_work(name: str) -> bool:
    """Return whether a hidden file may be a person's all the same. macOS makes those that begin with ``._``."""
    return is_hidden(name) and not name.startswith("._") and suffix_of(name) in {*SOURCES, ARCHIVE}


def is_skipped_folder(name: str) -> bool:
    """Return whether a folder of this name is skipped."""
    return is_hidden(name) or name.casefold() in TOOL_FOLDERS


@lru_cache(maxsize=64)
def _look_alike_pattern(assignment: str) -> re.Pattern[str]:
    core = r"[\s_.\-]*".join(map(re.escape, assignment.casefold().split("_")))
    return re.compile(rf"(?:copy[\s_\-]+of[\s_\-]+)?{core}(?:{_MARK})*\s*")


def rank(name: str, assignment: str) -> Rank:
    """Return how well ``name`` fits: the exact name, a look-alike of it, or another."""
    if name in exact_names(assignment):
        return "exact"
    if suffix_of(name) not in SOURCES or len(name) > 2 * NAME_LENGTH:
        return "other"
    stem = unicodedata.normalize("NFKC", stem_of(name)).casefold()
    return "alike" if _look_alike_pattern(assignment).fullmatch(stem) else "other"


def assignment_of(name: str) -> str | None:
    """Return the assignment that a file's name fits, if any."""
    return next((assignment for assignment in NAMES if rank(name, assignment) != "other"), None)


def shown(text: str, limit: int = NAME_LENGTH) -> str:
    """Return ``text`` on one line, with escapes for unprintable characters, cut to ``limit``."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def quoted(name: str) -> str:
    """Return ``name`` for a sentence: in quotes if it holds spaces and the like."""
    text = shown(name)
    return text if re.fullmatch(r"[\w./+@-]+", text) else f"'{text}'"


def listed(names: Iterable[str]) -> str:
    """Return the first few names, and how many more there are: "a", "a and b", "a, b and 7 more"."""
    every = list(names)
    shown_names = [quoted(name) for name in every[:NAMES_LISTED]]
    more = len(every) - NAMES_LISTED
    *first, last = [*shown_names, f"{more} more"] if more > 0 else shown_names
    return " and ".join(filter(None, (", ".join(first), last)))


def only_note(assignment: str, name: str) -> str:
    """Return the note on a look-alike that is taken."""
    return f"took '{shown(name)}', the only look-alike of {assignment}{suffix_of(name)}"


def defining_note(assignment: str, name: str) -> str:
    """Return the note on a file of another name that is taken."""
    return f"took '{shown(name)}', the only file that defines a name of {assignment}"


def several_note(assignment: str, names: Iterable[str]) -> str:
    """Return the note on several files, of which only the student knows the right one."""
    return f"found {listed(names)}; expected {expected_name(assignment)}; keep one, and name it so"


def note(*sentences: str) -> str:
    """Return the sentences that are not empty, each once, as one printable line."""
    return shown("; ".join(dict.fromkeys(filter(None, sentences))), NOTE_LENGTH)


def printable_ids(raw: Iterable[str]) -> dict[str, str]:
    """Return a unique id in valid UTF-8 for each raw name.

    Linux names are bytes. Names that are not UTF-8 arrive with lone surrogates, which neither JSON nor CSV can hold.
    They become ``\\xff`` spelled out.
    """
    ids: dict[str, str] = {}
    names = sorted(set(raw))
    used = {name for name in names if _safe(name) == name}
    for name in names:
        safe = base = _safe(name)
        count = 1
        while safe != name and safe in used:
            count += 1
            safe = f"{base}~{count}"
        used.add(safe)
        ids[name] = safe
    return ids


def _safe(name: str) -> str:
    try:
        data = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate without a byte: from YAML, not from a file system
        return name.encode("utf-8", "backslashreplace").decode("utf-8")
    return data.decode("utf-8", "backslashreplace")
