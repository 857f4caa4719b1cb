"""Sentences that say how a wrong result comes from the right one (``judge.relations``)."""

from __future__ import annotations

from autograder.judge.relations import Relation

SIDES = {"above": "above the diagonal", "below": "below the diagonal", "on": "on the diagonal"}
NTH = ("first", "second", "third", "fourth", "fifth")

SENTENCES = {
    "nan": "Every number is NaN.",
    "moved": "The numbers are right, but in other places.",
    "early": "Along its {axis} axis, each number stands one place too early.",
    "late": "Along its {axis} axis, each number stands one place too late.",
    "same": "Along its {axis} axis, all entries are the expected ones at index {what}.",
    "surplus": "Without its {what} along the {axis} axis, it is right.",
    "missing": "It is right, but it lacks its {what} along the {axis} axis.",
    "rows": "Each row is the expected one times a number of its own.",
    "is": "It is the {what} of the expected result.",
    "lacks": "Its {what} is the expected result.",
    "plus": "It is the expected result plus `{what}`.",
    "minus": "It is the expected result minus `{what}`.",
    "by": "It is the expected result times `{what}`.",
    "rounded": "The expected numbers are rounded to {what} decimals.",
    "zero": "All numbers {what} are 0.",
    "instead": "Each wrong entry is {what}.",
    "must be 0": "Only entries that must be 0 are wrong.",
    "side": "Only entries {what} are wrong.",
    "index": "Only entries whose {axis} index is {what} are wrong.",
    "row": "Only row {what} is wrong.",
    "column": "Only column {what} is wrong.",
}


def sentence(relation: Relation, single: bool) -> str:
    """Return a sentence. ``single``: the result is one number."""
    how, what, axis = relation
    if how == "times":
        return _times(float(what), *(("That", "number") if single else ("Every number", "one")))
    return SENTENCES[how].format(what=SIDES.get(str(what), what), axis=NTH[axis])


def _times(times: float, subject: str, noun: str) -> str:
    if times == -1:
        return f"{subject} has the wrong sign."
    return f"{subject} is {f'{times:.6g} times' if abs(times) > 1 else f'{_part(times)} of'} the expected {noun}."


def _part(times: float) -> str:
    """Return a number below 1, as one over a whole number where it is that."""
    whole = round(1 / times)
    return f"{'-' * (whole < 0)}1/{abs(whole)}" if times == 1 / whole else f"{times:.6g}"
