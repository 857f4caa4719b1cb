"""Submissions with the same rare wrong answers. In small tasks right code is alike, but wrong numbers seldom are.

It is a list for a person to look at, and no evidence: two students may have made the same unusual mistake.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from autograder import model

WRONG = ("failed", "error")
FEWEST = 2  # rare answers that two students must share
RARE = 0.02  # at most this share of the class gives a rare answer, or MOST students
MOST = 3


class Alike(NamedTuple):
    """Two students, how many rare wrong answers they share, and the checks."""

    first: str
    second: str
    checks: tuple[str, ...]


def alike(grades: Iterable[model.Grade]) -> list[Alike]:
    """Return the pairs that share rare wrong answers, those that share most first.

    An answer is the message of a public check, which has the numbers that the code returned. What most have in common,
    such as a named mistake, is not rare. Unwritten code gives no answer.
    """
    answers: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    students = 0
    for grade in grades:
        students += 1
        for check in grade.checks:
            if check.status in WRONG and check.visibility == "public" and check.diagnosis != "not-implemented":
                answers[check.id, check.message].append(grade.student)
    most = max(MOST, int(RARE * students))
    shared: Counter[tuple[str, str]] = Counter()
    checks: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (check_id, _), those in answers.items():
        if 2 <= len(those) <= most:
            for pair in itertools.combinations(sorted(those), 2):
                shared[pair] += 1
                checks[pair].append(check_id)
    ranked = sorted(shared.items(), key=lambda item: (-item[1], item[0]))
    return [Alike(*pair, tuple(checks[pair])) for pair, count in ranked if count >= FEWEST]
