"""Students by name on the command line: each as the course spells it, or as ``grades.csv`` shows it."""

import difflib
from collections.abc import Collection, Iterable
from functools import partial

import click

from autograder.model.text import spellings, visible

SHOWN = 5  # similar names, in an error

only = partial(click.option, "--only", metavar="STUDENT", multiple=True)


def find(student: str, known: Collection[str], where: str) -> str:
    """Return the student among ``known`` whom a text names. Raises ``click.UsageError`` with similar names."""
    for name in spellings(student):
        if name in known:
            return name
    raise unknown(student, known, f"there is no student {visible(student)} {where}")


def find_all(students: Iterable[str], known: Collection[str], where: str) -> frozenset[str]:
    """Return all of them; see ``find``."""
    return frozenset(find(student, known, where) for student in students)


def unknown(word: str, known: Collection[str], what: str) -> click.UsageError:
    """Return the error ``what``, with the names in ``known`` that are similar to ``word``."""
    near = [name for name in sorted(known) if word and name.lower().startswith(word.lower())]
    near += [name for name in difflib.get_close_matches(word, known, 3, 0.5) if name not in near]
    hint = f"similar: {', '.join(map(visible, near[:SHOWN]))}" if near else f"there are {len(known)} others"
    return click.UsageError(f"{what}; {hint}")
