"""A student's code as one file, for people: a debugger steps through it, and two can be compared."""

from __future__ import annotations

from typing import NamedTuple

from autograder import model


class OneFile(NamedTuple):
    """The text of the file, and the lines at which a notebook's cells start; none for a script."""

    text: str
    cells: tuple[int, ...] = ()


def one_file(submission: model.Submission) -> OneFile:
    """Return a submission as one file: a script as it is, a notebook's code cells one after another."""
    if submission.kind == "script":
        return OneFile("".join(submission.texts))
    parts, starts, line = [], [], 1
    for number, text in enumerate(submission.texts, 1):
        parts.append(f"# %% code cell {number}\n{text}\n")
        starts.append(line + 1)
        line += parts[-1].count("\n")
    return OneFile("".join(parts), tuple(starts))
