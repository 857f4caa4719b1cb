"""One path that a person names on the command line: a student's file, or a folder or zip with several."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from autograder.intake.errors import IntakeError
from autograder.intake.files import read_regular
from autograder.intake.names import (
    ARCHIVE,
    expected,
    printable_ids,
    quoted,
    shown,
    stem_of,
    suffix_of,
    topic_of,
)
from autograder.intake.reading import load, pick
from autograder.intake.tree import Leaf
from autograder.model import TOPICS, Entry, Submission


def open_path(path: Path, assignment: str | None = None) -> list[tuple[str, Submission]]:
    """The submissions at ``path`` with their topics: one for a file, one a topic for a folder or zip.

    A file is taken whatever its name when ``assignment`` is given; otherwise its name tells the
    topic. A file that is broken comes back as "unreadable".

    Raises ``IntakeError`` when there is nothing at ``path``, when a name tells no topic, and when a
    folder or zip holds no file of the topics asked for.
    """
    real = Path(os.path.realpath(path))  # a person may well name a link
    name = Path(os.path.abspath(path)).name
    if not os.path.lexists(real):
        raise IntakeError(f"{shown(str(path), 300)} does not exist: check the spelling of the path")
    student = printable_ids([name if real.is_dir() else stem_of(name)]).popitem()[1]
    if real.is_dir() or suffix_of(name) == ARCHIVE:
        return _topics_in(Entry(student, (real,)), path, (assignment,) if assignment else TOPICS)
    topic = assignment or topic_of(name)
    if topic is None:
        names = ", ".join(TOPICS)
        raise IntakeError(f"{quoted(name)} names no assignment: use --assignment NAME, one of {names}")
    return [(topic, load(student, Leaf((name,), "exact", partial(read_regular, str(real)))))]


def _topics_in(entry: Entry, path: Path, topics: tuple[str, ...]) -> list[tuple[str, Submission]]:
    """The topics of which ``entry`` holds a file, or several that might be meant."""
    looks = {topic: pick(entry, topic) for topic in topics}
    found = [(topic, work) for topic, (work, several) in looks.items() if work.status != "missing" or several]
    closed = len(topics) > 1 and all(work.status == "unreadable" for work, _ in looks.values())
    if found and not closed:
        return found
    place = shown(str(path), 300)
    if closed or len(topics) == 1:
        raise IntakeError(f"nothing to check in {place}: {looks[topics[0]][0].note}")
    names = ", ".join(topics)
    raise IntakeError(f"nothing to check in {place}: expected {expected('ASSIGNMENT')}, one of {names}")
