"""A Gradescope export: ``submission_N`` folders, and ``submission_metadata.yml`` with their owners.

    submission_123456:
      :submitters:
      - :name: Ana Lima
        :sid: '3031'
        :email: ana@example.edu
      :created_at: 2024-02-01 10:00:00.000000000 Z

Without the metadata the folders count as ordinary students' folders.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from autograder.intake.detection import Claim, Claims, Item, Listing
from autograder.intake.errors import IntakeError, Unreadable
from autograder.intake.files import MB, read_regular
from autograder.intake.names import shown
from autograder.model import HandedIn

METADATA = "submission_metadata.yml"
MAX_METADATA = 100 * MB
MAX_DEPTH = 50
ORDER = 10
_FOLDER = re.compile(r"submission_\d+")
NEVER = datetime.min.replace(tzinfo=UTC)
_EMPTY = frozenset({"", "~", "null"})
# Builds only strings, lists and mappings, whatever the tags. A sid of 007 stays 007, and nothing is executed.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def claim(listing: Listing) -> Claims:
    """Claim the latest submission of each group member. Raises ``IntakeError`` for unreadable metadata."""
    if METADATA not in listing.items:
        return Claims()
    records = _records(listing.items[METADATA].path)
    folders = {name for name, item in listing.items.items() if item.folder and _FOLDER.fullmatch(name)}
    newest: dict[str, tuple[tuple[bool, datetime, int], Claim]] = {}
    named = {name for name in records if _FOLDER.fullmatch(name)}  # other keys are about the export itself
    for name in sorted({*named, *folders}):
        record = records.get(name, {})
        item = listing.items.get(name)
        rank = (item is not None, _created(record), _number(name))
        for student in _students(name, record):
            if student not in newest or newest[student][0] < rank:
                newest[student] = rank, _claim(student, name, item, record)
    taken = frozenset({METADATA, *folders})
    return Claims(tuple(claim for _, claim in newest.values()), taken)


def _claim(student: str, name: str, item: Item | None, record: dict[str, Any]) -> Claim:
    if item is None:
        return Claim(student, None, ORDER, f"{METADATA} names {shown(name)}, but the export does not hold it")
    created = _created(record)
    at = "" if created == NEVER else created.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Claim(student, item.path, ORDER, handed_in=HandedIn(at))


def _records(path: Path) -> dict[str, dict[str, Any]]:
    """Return the metadata by submission."""
    place = shown(str(path), 300)
    try:
        raw = read_regular(str(path), MAX_METADATA)
        _check_depth(raw)
        data = yaml.load(raw, Loader=_Loader)
    except Unreadable as error:
        raise IntakeError(f"{place} {error}: download the export again") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        raise IntakeError(f"{place} is not YAML that can be read{where}: download the export again") from error
    if data in (None, ""):
        return {}
    if not isinstance(data, dict):
        raise IntakeError(f"{place} does not list submissions by name: download the export again")
    return {name: record if isinstance(record, dict) else {} for name, record in data.items()}


def _check_depth(raw: bytes) -> None:
    """Raise ``YAMLError`` for deeply nested data: building it would crash the process."""
    depth = 0
    for event in yaml.parse(raw, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply")


def _students(name: str, record: dict[str, Any]) -> set[str]:
    """Return who handed it in: each member's sid, or email, or else the submission's name."""
    people = record.get(":submitters")
    people = people if isinstance(people, list) and people else [{}]
    return {_student(person, name) for person in people}


def _student(person: Any, name: str) -> str:
    values = [person.get(key) for key in (":sid", ":email")] if isinstance(person, dict) else []
    texts = (value.strip() for value in values if isinstance(value, str))
    return next((text for text in texts if text not in _EMPTY), name)


def _created(record: dict[str, Any]) -> datetime:
    """Return when it was handed in; the earliest date if the metadata do not say."""
    text = record.get(":created_at")
    try:
        moment = datetime.fromisoformat(re.sub(r"\s+(?=Z|[+-]\d\d:?\d\d$)", "", str(text).strip()))
    except ValueError:
        return NEVER
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(name: str) -> int:
    digits = re.search(r"_(\d{1,18})$", name)
    return int(digits[1]) if digits else -1
