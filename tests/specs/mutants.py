"""Wrong submissions made from right ones: one mistake each."""

from __future__ import annotations

from typing import NamedTuple

from autograder import model


class Mutant(NamedTuple):
    """One mistake: ``old``, which must occur, becomes ``new`` wherever it does, or the whole file becomes
    ``source``. ``also`` holds further replacements that the same mistake needs."""

    id: str
    old: str = ""
    new: str = ""
    source: str = ""
    also: tuple[tuple[str, str], ...] = ()

    def applied(self, solution: str) -> str:
        """The wrong submission's text."""
        if self.source:
            return self.source
        for old, new in ((self.old, self.new), *self.also):
            assert old, f"{self.id}: nothing to replace"
            assert old in solution, f"{self.id}: not in the solution: {old}"
            solution = solution.replace(old, new)
        return solution


def submission(text: str, topic: str) -> model.Submission:
    """A submission with this text."""
    return model.Submission("ana", "ready", "script", f"{topic}.py", (text.encode(),))


def failures(grade: model.Grade) -> str:
    """Why a grade is not full, for the message of a failing test."""
    failed = [c for c in grade.checks if c.status not in ("passed", "skipped")]
    lines = [f"{c.id}: {c.status}: {c.message}" for c in failed]
    return "\n".join([f"{grade.status} {grade.score} {grade.message}", *lines])
