"""Holds one step's answer to one property: the vocabulary in which specs say what is checked.

A hold names a property of ``HOLDS``, a step and options. What is not met comes back as a ``Finding``: facts,
not sentences and not points.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder import model, wire
from autograder.judge.holds import HOLDS
from autograder.judge.view import Unmet, View, nothing_failed_before

__all__ = ["HOLDS", "first_unmet", "judge"]


def first_unmet(
    holds: Iterable[model.Hold],
    prepared: model.Prepared,
    answer: model.Answer,
    cells: tuple[bytes, ...] = (),
) -> model.Finding | None:
    """The first of ``holds`` that ``answer`` does not meet, as a finding; None where it meets all. ``cells``: the
    source, which stands beside what was seen to run."""
    view = View(prepared, answer, cells)
    for hold in holds:
        if hold.within and prepared.id not in hold.within:
            continue
        try:
            if hold.what not in ("device", "untouched"):  # which know what may fail
                nothing_failed_before(view, hold.of, hold.what, hold.options.get("other"))
            HOLDS[hold.what](view, hold.of, **hold.options)
        except Unmet as unmet:
            return unmet.finding
        except wire.WireError as error:
            return model.Finding("unreadable-answer", hold.of, {"why": str(error)}, "error")
    return None


def judge(hold: model.Hold, prepared: model.Prepared, answer: model.Answer) -> model.Finding | None:
    """Whether ``answer`` has one property."""
    return first_unmet((hold,), prepared, answer)
