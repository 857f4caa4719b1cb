"""A Canvas bulk download: all files in one folder, each under its student's name, number and upload.

- ``limaana_LATE_101_5001_attention-1.py`` names the person, says that it is late, and numbers person and upload.
  The rest is the student's own file name.
- ``LATE_anon_x7Gq2_5001_attention.py`` is of an assignment that is graded anonymously.
- ``limaana_101_text.html`` was typed in.

An upload's number counts up over the whole site, and ``-1`` marks a resubmission.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.intake.detection import Claim, Claims, Item, Listing
from autograder.intake.names import ARCHIVE, SOURCES, stem_of, suffix_of
from autograder.model import HandedIn

ORDER = 30
_FORMS = (
    r"(?P<before>LATE_)?anon_(?P<user>[A-Za-z0-9]+)_(?P<upload>\d+)_(?P<name>.+)",
    r"(?P<before>LATE_)?anon_(?P<user>[A-Za-z0-9]+)_(?P<name>(?:text|link)\.html)",
    r"(?P<who>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<upload>\d+)_(?P<name>.+)",
    r"(?P<who>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<name>(?:text|link)\.html)",
)
_NAMES = tuple(re.compile(form, re.DOTALL) for form in _FORMS)
_MARK = re.compile(r"(?P<base>.+)-(?P<count>\d{1,4})", re.DOTALL)
# Files that teachers keep beside submissions, with dates in their names.
_NO_WORK = frozenset({".csv", ".tsv", ".xls", ".xlsx", ".json", ".log", ".yml", ".yaml"})


@dataclass(frozen=True)
class Upload:
    """One file of the download. ``name`` is the student's own, without the mark of a resubmission.

    ``who`` is empty in an anonymous download.
    """

    item: Item
    who: str
    user: str
    name: str
    count: int
    upload: int
    late: bool

    @property
    def age(self) -> tuple[int, int, bool]:
        """Return a key that grows with time. Of the same time, a script wins over a notebook."""
        return self.count, self.upload, suffix_of(self.name) == ".py"


def claim(listing: Listing) -> Claims:
    """Claim the uploads of each person, the newest first. Of several with one name, only the newest counts."""
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
        student = f"anon_{user}" if not who else who if len(users[who]) == 1 else f"{who}_{user}"
        claims += _claims(student, user if who else "", files)
    return Claims(tuple(claims), frozenset(found.item.name for found in uploads))


def _claims(student: str, number: str, files: Sequence[Upload]) -> list[Claim]:
    """Return a claim for each name that a person's files have."""
    newest: dict[str, Upload] = {}
    for file in sorted(files, key=lambda file: file.age, reverse=True):
        newest.setdefault(file.name, file)
    latest = next(iter(newest.values()))
    handed_in = HandedIn(late=latest.late, lms_id=number, lms_upload=str(latest.upload or ""))
    return [
        Claim(student, file.item.path, ORDER + place, name=file.name, handed_in=handed_in)
        for place, file in enumerate(newest.values())
    ]


def _upload(item: Item) -> Upload | None:
    """Return the item as an upload, if its name fits."""
    match = next((found for name in _NAMES if (found := name.fullmatch(item.name))), None)
    if match is None or item.folder or suffix_of(item.name) in _NO_WORK:
        return None
    parts = {key: value for key, value in match.groupdict().items() if value}
    name, count = parts["name"], 0
    mark = _MARK.fullmatch(stem_of(name))
    if mark is not None:
        name, count = mark["base"] + name[len(stem_of(name)) :], int(mark["count"])
    upload = int(parts.get("upload", "0")[:18])
    return Upload(item, parts.get("who", ""), parts["user"], name, count, upload, bool({"late", "before"} & {*parts}))
