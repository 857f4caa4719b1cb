"""File names: which ones are a submission, and how to show them to people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from autograder.model import TOPICS

SOURCES: dict[str, Literal["script", "notebook"]] = {".py": "script", ".ipynb": "notebook"}  # preferred first
ARCHIVE = ".zip"

# Folders that tools make. No student writes in them, and they hold thousands of files.
TOOL_FOLDERS = frozenset(
    {"__macosx", "__pycache__", "site-packages", "node_modules", "venv", "env", "virtualenv"}
)
VENV_MARK = "pyvenv.cfg"
VENV_PARTS = frozenset({"bin", "lib", "lib64", "include", "scripts", "share"})

NOTE_LENGTH = 400
NAME_LENGTH = 80
NAMES_LISTED = 5

# What browsers, file managers and hasty people hang onto a name. A number is taken whole
# (``(?!\d)``), so that there is one way only to match and none to backtrack into.
_MARK = r"[\s_.\-]*(?:\(\d+\)|\[\d+\]|v?\d+(?!\d)|copy|copie|copia|kopie|final|submission|ipynb|py)"


def suffix_of(name: str) -> str:
    """The ending of ``name`` in lower case with its dot, or ''."""
    _, dot, end = name.rpartition(".")
    return dot + end.lower() if dot else ""


def stem_of(name: str) -> str:
    """``name`` without its last ending."""
    return name.rpartition(".")[0] or name


def exact_names(topic: str) -> tuple[str, ...]:
    """The names that a submission of ``topic`` should have, the preferred one first."""
    return tuple(topic + suffix for suffix in SOURCES)


def expected(topic: str) -> str:
    """The same in words."""
    return " or ".join(exact_names(topic))


def is_hidden(name: str) -> bool:
    """Whether ``name`` belongs to the system rather than to a person."""
    return name.startswith(".")


def is_skipped_folder(name: str) -> bool:
    """Whether a folder of this name is never looked into."""
    return is_hidden(name) or name.casefold() in TOOL_FOLDERS


@lru_cache(maxsize=64)
def _look_alike_pattern(topic: str) -> re.Pattern[str]:
    core = r"[\s_.\-]*".join(map(re.escape, topic.casefold().split("_")))
    return re.compile(rf"(?:copy[\s_\-]+of[\s_\-]+)?{core}(?:{_MARK})*\s*")


def rank(name: str, topic: str) -> Literal["exact", "alike", "other"]:
    """How well ``name`` fits ``topic``: the name asked for, a look-alike of it, or another."""
    if name in exact_names(topic):
        return "exact"
    if suffix_of(name) not in SOURCES or len(name) > 2 * NAME_LENGTH:
        return "other"
    stem = unicodedata.normalize("NFKC", stem_of(name)).casefold()
    return "alike" if _look_alike_pattern(topic).fullmatch(stem) else "other"


def topic_of(name: str) -> str | None:
    """The topic that a file's name speaks of, if any."""
    return next((topic for topic in TOPICS if rank(name, topic) != "other"), None)


def shown(text: str, limit: int = NAME_LENGTH) -> str:
    """``text`` on one line, with escapes for what cannot be printed, cut to ``limit``."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def quoted(name: str) -> str:
    """``name`` for a sentence: bare when it is plain, in quotes when it holds spaces and the like."""
    text = shown(name)
    return text if re.fullmatch(r"[\w./+@-]+", text) else f"'{text}'"


def listed(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    every = list(names)
    text = ", ".join(quoted(name) for name in every[:NAMES_LISTED])
    more = len(every) - NAMES_LISTED
    return f"{text} and {more} more" if more > 0 else text


def only_note(topic: str, name: str) -> str:
    """What to say of a look-alike that was taken."""
    return f"took '{shown(name)}', the only look-alike of {topic}{suffix_of(name)}"


def several_note(topic: str, names: Iterable[str]) -> str:
    """What to say where only the student could tell which look-alike is meant."""
    return f"found several look-alikes of {topic}.py: {listed(names)}; keep one and name it {expected(topic)}"


def note(*sentences: str) -> str:
    """The sentences that are not empty, each once, as one printable line."""
    return shown("; ".join(dict.fromkeys(filter(None, sentences))), NOTE_LENGTH)


def printable_ids(raw: Iterable[str]) -> dict[str, str]:
    """Each raw name with an id that UTF-8 can carry, no two alike.

    Linux names are bytes; those that are not UTF-8 arrive as lone surrogates, which neither
    JSON nor CSV can hold. They become ``\\xff`` spelled out.
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
    except UnicodeEncodeError:  # a surrogate that stands for no byte: from YAML, not from a file system
        return name.encode("utf-8", "backslashreplace").decode("utf-8")
    return data.decode("utf-8", "backslashreplace")
