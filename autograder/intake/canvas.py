"""A Canvas bulk download: ``lastfirst_LATE_USER_UPLOAD_name-1.py``, all in one folder.

USER is the person, UPLOAD counts up over the whole site, and ``-1`` marks a resubmission.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.intake.detection import Claim, Claims, Item, Listing
from autograder.intake.names import (
    ARCHIVE,
    SOURCES,
    assignment_of,
    expected_name,
    listed,
    note,
    only_note,
    quoted,
    rank,
    several_note,
    stem_of,
    suffix_of,
)

ORDER = 30
_NAME = re.compile(r"(?P<who>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<upload>\d+)_(?P<name>.+)", re.DOTALL)
_TYPED_IN = re.compile(r"(?P<who>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<name>(?:text|link)\.html)", re.DOTALL)
_MARK = re.compile(r"(?P<base>.+)-(?P<count>\d{1,4})", re.DOTALL)
# Files that teachers keep beside submissions, with dates in their names.
_NO_WORK = frozenset({".csv", ".tsv", ".xls", ".xlsx", ".json", ".log", ".yml", ".yaml"})


@dataclass(frozen=True)
class Upload:
    """One file of the download. ``name`` is the student's own, without the mark of a resubmission."""

    item: Item
    who: str
    user: str
    name: str
    count: int
    upload: int

    @property
    def age(self) -> tuple[int, int, bool]:
        """Return a key that grows with time. Of the same time, a script wins over a notebook."""
        return self.count, self.upload, suffix_of(self.name) == ".py"


def claim(listing: Listing) -> Claims:
    """Claim, for each person, the upload that counts."""
    uploads = [found for item in listing.items.values() if (found := _upload(item))]
    any_work = any(suffix_of(found.name) in {*SOURCES, ARCHIVE} for found in uploads)
    if not any_work and listing.forced != "canvas":
        return Claims()  # other files with numbers in their names
    people: defaultdict[tuple[str, str], list[Upload]] = defaultdict(list)
    users: defaultdict[str, set[str]] = defaultdict(set)
    for found in uploads:
        people[found.who, found.user].append(found)
        users[found.who].add(found.user)
    claims = []
    for (who, user), files in people.items():
        best, remark = _best(files, listing.assignment)
        student = who if len(users[who]) == 1 else f"{who}_{user}"
        claims.append(Claim(student, best.item.path if best else None, ORDER, remark))
    return Claims(tuple(claims), frozenset(found.item.name for found in uploads))


def _upload(item: Item) -> Upload | None:
    """Return the item as an upload, if its name fits."""
    match = _NAME.fullmatch(item.name) or _TYPED_IN.fullmatch(item.name)
    if match is None or item.folder or suffix_of(item.name) in _NO_WORK:
        return None
    parts = match.groupdict()
    name, count = parts["name"], 0
    mark = _MARK.fullmatch(stem_of(name))
    if mark is not None:
        name, count = mark["base"] + name[len(stem_of(name)) :], int(mark["count"])
    return Upload(item, parts["who"], parts["user"], name, count, int(parts.get("upload", "0")[:18]))


def _best(files: Sequence[Upload], assignment: str) -> tuple[Upload | None, str]:
    """Return the upload that counts, and a note on how it was found.

    Canvas accepts any file name. A student's only source file counts unless it is named after another assignment.
    """
    newest = sorted(files, key=lambda file: file.age, reverse=True)
    exact = [file for file in newest if rank(file.name, assignment) == "exact"]
    if exact:
        return exact[0], ""
    alike = [file for file in newest if rank(file.name, assignment) == "alike"]
    if len({file.name for file in alike}) == 1:
        return alike[0], only_note(assignment, alike[0].name)
    if alike:
        return None, note(several_note(assignment, sorted({file.name for file in alike})))
    zips = [file for file in newest if suffix_of(file.name) == ARCHIVE]
    if zips:
        return zips[0], ""
    sources = [file for file in newest if suffix_of(file.name) in SOURCES and assignment_of(file.name) is None]
    if len({file.name for file in sources}) == 1:
        return sources[0], f"took {quoted(sources[0].name)}, the only file that could be meant"
    names = listed(sorted({file.name for file in files}))
    return None, note(f"found {names}; expected {expected_name(assignment)}")
