"""A Moodle download: what each student handed in, by the student's name and the number of the participation.

    Ana Lima_4711_assignsubmission_file/attention.py       with folders; older versions end their names in _
    Ana Lima_4711_assignsubmission_onlinetext/onlinetext.html
    Ana Lima_4711_assignsubmission_file_attention.py       without folders

With hidden names it is "Participant_4711". The grading worksheet has the same numbers.
"""

from __future__ import annotations

import re

from autograder.intake.detection import Claim, Claims, Listing
from autograder.model import HandedIn

ORDER = 15
_NAME = re.compile(
    r"(?P<who>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<name>.*)|\.html)?", re.DOTALL
)
_KINDS = {"file": 0, "onlinetext": 2}  # the order of one student's parts


def claim(listing: Listing) -> Claims:
    """Claim the folders and files of each participation."""
    claims, whose = [], dict[str, str]()
    for item in listing.items.values():
        match = _NAME.fullmatch(item.name)
        if match is None:
            continue
        student = whose.setdefault(match["id"], f"{match['who']}_{match['id']}")
        own = "" if item.folder else match["name"] or item.name
        order = ORDER + _KINDS[match["kind"]] + (not item.folder)
        claims.append(Claim(student, item.path, order, name=own, handed_in=HandedIn(lms_id=match["id"])))
    return Claims(tuple(claims), frozenset(item for item in listing.items if _NAME.fullmatch(item)))
