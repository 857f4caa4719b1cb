"""A Canvas bulk download: ``lastfirst_LATE_USER_UPLOAD_name-1.py``, all in one folder.

USER is the person, UPLOAD counts up over the whole site, and ``-1`` marks a resubmission.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.intake.claims import Claim, Claims, Item, Scene
from autograder.intake.names import (
    ARCHIVE,
    SOURCES,
    expected,
    listed,
    note,
    only_note,
    quoted,
    rank,
    several_note,
    stem_of,
    suffix_of,
    topic_of,
)

ORDER = 30
_NAME = re.compile(r"(?P<who>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<upload>\d+)_(?P<name>.+)", re.DOTALL)
_TYPED_IN = re.compile(r"(?P<who>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<name>(?:text|link)\.html)", re.DOTALL)
_MARK = re.compile(r"(?P<base>.+)-(?P<count>\d{1,4})", re.DOTALL)
# What teachers keep beside submissions, with dates in its name.
_NO_WORK = frozenset({".csv", ".tsv", ".xls", ".xlsx", ".json", ".log", ".yml", ".yaml"})


@dataclass(frozen=True)
class Upload:
    """One file of the download; ``name`` is the student's, without the mark of a resubmission."""

    item: Item
    who: str
    user: str
    name: str
    count: int
    upload: int

    @property
    def age(self) -> tuple[int, int, bool]:
        """What grows with time; a script goes before a notebook of the same time."""
        return self.count, self.upload, suffix_of(self.name) == ".py"


def claim(scene: Scene) -> Claims:
    """One claim a person, for the upload that counts."""
    uploads = [found for item in scene.items.values() if (found := _upload(item))]
    any_work = any(suffix_of(found.name) in {*SOURCES, ARCHIVE} for found in uploads)
    if not any_work and scene.forced != "canvas":
        return Claims()  # no work at all: these are other files with numbers in their names
    people: defaultdict[tuple[str, str], list[Upload]] = defaultdict(list)
    users: defaultdict[str, set[str]] = defaultdict(set)
    for found in uploads:
        people[found.who, found.user].append(found)
        users[found.who].add(found.user)
    claims = []
    for (who, user), files in people.items():
        best, remark = _best(files, scene.assignment)
        student = who if len(users[who]) == 1 else f"{who}_{user}"
        claims.append(Claim(student, best.item.path if best else None, ORDER, remark))
    return Claims(tuple(claims), frozenset(found.item.name for found in uploads))


def _upload(item: Item) -> Upload | None:
    """The item as an upload, if its name is one."""
    match = _NAME.fullmatch(item.name) or _TYPED_IN.fullmatch(item.name)
    if match is None or item.folder or suffix_of(item.name) in _NO_WORK:
        return None
    parts = match.groupdict()
    name, count = parts["name"], 0
    mark = _MARK.fullmatch(stem_of(name))
    if mark is not None:
        name, count = mark["base"] + name[len(stem_of(name)) :], int(mark["count"])
    return Upload(item, parts["who"], parts["user"], name, count, int(parts.get("upload", "0")[:18]))


def _best(files: Sequence[Upload], topic: str) -> tuple[Upload | None, str]:
    """The upload that counts, and a word on how it was found.

    Canvas lets students call a file what they like; a file that is all they handed in is taken
    whatever its name, unless it is the name of another assignment.
    """
    newest = sorted(files, key=lambda file: file.age, reverse=True)
    exact = [file for file in newest if rank(file.name, topic) == "exact"]
    if exact:
        return exact[0], ""
    alike = [file for file in newest if rank(file.name, topic) == "alike"]
    if len({file.name for file in alike}) == 1:
        return alike[0], only_note(topic, alike[0].name)
    if alike:
        return None, note(several_note(topic, sorted({file.name for file in alike})))
    zips = [file for file in newest if suffix_of(file.name) == ARCHIVE]
    if zips:
        return zips[0], ""
    sources = [file for file in newest if suffix_of(file.name) in SOURCES and topic_of(file.name) is None]
    if len({file.name for file in sources}) == 1:
        return sources[0], f"took {quoted(sources[0].name)}, the only file that could be meant"
    names = listed(sorted({file.name for file in files}))
    return None, note(f"found {names}; expected {expected(topic)}")
