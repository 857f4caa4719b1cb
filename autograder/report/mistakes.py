"""Which checks of a grade fail for the same reason, and what to mend or to write first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from autograder import model
from autograder.course.marks import UNWRITTEN

LOST = ("failed", "error", "timeout")
FOLLOWS = "follows"  # shown in place of the status of a check that fails because another does, or may
NOT_RUN = "Not run: "  # begins the message of a call that others make pointless
# In the message about an interface with which calls do what they like.
MISFIT = re.compile(
    r" must take the arguments | must be an nn\.Module| must be a class| raised \w+: cannot assign module"
)
ABOUT_GRADIENT = re.compile(r"No gradient|The (gradient|backward pass) ")  # begins the message of a wrong gradient
ABOUT_VALUES = re.compile(r" wrong values| is wrong\.| not exactly 0| wrong sums")  # in the message of wrong results
# Kinds of public checks without a cause, the plainest first -> kinds of checks that hardly hold beside them.
FOLLOWERS = {
    **dict.fromkeys(("value", "shape", "mask"), ("value", "invariance", "mask", "gradient")),
    "gradient": ("mask", "gradient"),
}
# In the title of the check that a cause is about: there students understand it best, even if the check is hidden.
TITLES = {"stateful": re.compile(r"no state|No state|keeps nothing|no later call")}
STUB = re.compile(r"(?P<name>\S+) is not written yet: it raises NotImplementedError\.(?: See (?P<line>line \d+)\.)?")
OF_CONSTRUCTOR = re.compile(r"[A-Z]\w* raised ")  # begins the message of a class that can't be made
UNDEFINED = " is not defined"  # in the message about a missing name
LENGTHS = re.compile(r"\([\d, ]*\)")  # of a shape
RAISED = re.compile(r" raised (\w+)")


class Mistake(NamedTuple):
    """Checks that fail for the same reason: the one that says it best, and the others."""

    check: model.Outcome
    others: tuple[model.Outcome, ...]

    @property
    def lost(self) -> float:
        """The points that the mistake costs."""
        return round(sum(one.max_points - one.points for one in (self.check, *self.others)), 6)

    @property
    def given(self) -> float:
        """The points of failed checks that are given back, because the mistake is charged elsewhere."""
        return round(sum(one.points for one in (self.check, *self.others) if one.status in LOST), 6)

    @property
    def guessed(self) -> tuple[model.Outcome, ...]:
        """Those of the others of which nothing shows that they fail for the same reason."""
        return tuple(one for one in self.others if _is_nameless(one) and _is_guess(one, self.check))


class Part(NamedTuple):
    """A part with its checks."""

    name: str
    checks: tuple[model.Outcome, ...]

    @property
    def points(self) -> float:
        """The points of the checks that count."""
        return round(sum(one.points for one in self.checks), 6)

    @property
    def max_points(self) -> float:
        """The most points that these can have."""
        return round(sum(one.max_points for one in self.checks if one.status != "skipped"), 6)


def lost(grade: model.Grade) -> list[model.Outcome]:
    """Return the checks that cost points."""
    return [check for check in grade.checks if check.status in LOST]


def parts(checks: Iterable[model.Outcome]) -> list[Part]:
    """Return the parts, in the order in which they stand on each other, which is that of their first checks."""
    by_part: dict[str, list[model.Outcome]] = {}
    for check in checks:
        by_part.setdefault(check.part, []).append(check)
    return [Part(name, tuple(those)) for name, those in by_part.items()]


def mistakes(grade: model.Grade) -> list[Mistake]:
    """Return the mistakes of a grade, what to mend first comes first: speed comes after what is wrong.

    Checks that were charged together are one mistake, and so are those of a part with the same cause, or without one
    and with the same message. Where a public check fails without a cause, wrong results without one in unusual calls,
    or in gradients, are taken for the same mistake (see FOLLOWERS). A check that only waits until others are right is
    never a mistake of its own, unless nothing else of its part fails.
    """
    failed = [check for part in parts(grade.checks) for check in part.checks if check.status in (*LOST, "blocked")]
    groups: dict[object, list[model.Outcome]] = {}
    for check in failed:
        groups.setdefault(_reason(check, failed), []).append(check)
    plain = {one.part for one in grade.checks if one.kind == "value" and one.status == "passed"}
    found = sorted((_mistake(group, plain) for group in groups.values()), key=lambda one: one.check.kind == "timing")
    telling = {one.check.part for one in found if one.check.status != "blocked"}
    return [one for one in found if one.check.status != "blocked" or one.check.part not in telling]


def leaders(grade: model.Grade) -> dict[str, model.Outcome]:
    """Return, by the id of each check that fails because another does, that other check.

    The message of a hidden check without a cause says too little to tell, unless usual calls give wrong values too.
    """
    followers = ((one, found.check) for found in mistakes(grade) for one in found.others if one.status in LOST)
    return {
        one.id: leader
        for one, leader in followers
        if one.visibility == "public" or not _is_nameless(one) or _is_usual(leader)
    }


def _is_nameless(check: model.Outcome) -> bool:
    """Whether a check fails and nothing says why. One whose message is withheld says nothing at all."""
    return check.status == "failed" and not (check.diagnosis or check.consequence_of) and check.message != ""


def _is_usual(check: model.Outcome) -> bool:
    """Whether a check that everybody sees fails, and no cause is known."""
    return check.visibility == "public" and check.kind in FOLLOWERS and _is_nameless(check)


def _is_guess(check: model.Outcome, leader: model.Outcome) -> bool:
    return check.visibility == "hidden" or _said(check) != _said(leader)


def _said(check: model.Outcome) -> str:
    return LENGTHS.sub("", check.message.partition(" Called: ")[0])


def shown_status(check: model.Outcome, led: Collection[str]) -> str:
    """Return what a table shows of a check: its status, or FOLLOWS if its id is in ``led`` (see ``leaders``)."""
    return FOLLOWS if check.id in led else check.status


def _reason(check: model.Outcome, failed: Sequence[model.Outcome]) -> object:
    """Return what checks that fail for the same reason have in common."""
    if charged := next((other for other in failed if other.id == check.consequence_of), None):
        telling = [other for other in failed if other.part == charged.part and other.status in LOST]
        same = [other for other in telling if other.diagnosis == charged.diagnosis]
        check = next(iter(same or telling), charged) if charged.status == "blocked" else charged
    if check.kind == "timing" and check.message.startswith(NOT_RUN):
        alike = [other for other in failed if other.part == check.part and other.status == check.status]
        check = min(alike, key=lambda other: (other.kind == "timing", other.kind != "value"))
    if check.status == "timeout":
        shown = [other for other in failed if other.part == check.part and other.visibility == "public"]
        wrong = next(filter(_is_nameless, shown), None)  # by a loop that ends too late, or never
        if check.visibility == "public" or not wrong:
            return check.part, "timeout"
        check = wrong
    misfits = any(other.part == check.part and MISFIT.search(other.message) for other in failed)
    if misfits and (check.status == "error" or MISFIT.search(check.message)):
        return check.part, "interface"
    if check.diagnosis:
        return check.part, check.diagnosis
    if check.status == "error" and (raised := RAISED.search(check.message)):
        return check.part, raised[1]
    return check.part, _said(_leader(_leader(check, failed), failed))


def _leader(check: model.Outcome, failed: Sequence[model.Outcome]) -> model.Outcome:
    """Return the check that one without a cause follows: one that says the same, or else the plainest; or itself."""
    if not _is_nameless(check) or (check.kind == "value" and _is_usual(check)):
        return check
    usual = [
        other
        for other in failed
        if other.part == check.part
        and _is_usual(other)
        and (check.kind in FOLLOWERS[other.kind] or _said(other).startswith(_said(check)))
    ]
    first = _said(check).partition(". ")[0]
    same = [other for other in usual if _said(other).startswith(first)]
    about_values = usual if ABOUT_VALUES.search(check.message) else []
    found = about_values if same in ([], [check]) else same
    return min(found, key=lambda other: [*FOLLOWERS].index(other.kind), default=check)


def _mistake(group: Sequence[model.Outcome], plain: Collection[str]) -> Mistake:
    """Return the checks of one mistake. Students understand it best from a public check that does not only wait.

    In the parts ``plain``, usual calls come back, so a call that does not is about what its title says.
    """
    own = next((one.part for one in group if one.consequence_of is None), group[0].part)
    best = min(group, key=lambda one: (one.part != own, one.status == "blocked", *_telling(one, plain)))
    return Mistake(best, tuple(one for one in group if one is not best))


def _telling(check: model.Outcome, plain: Collection[str]) -> tuple[bool, bool, bool, bool, int]:
    """Return a key that is smaller, the better a check tells its mistake."""
    has_no_answer = check.message.startswith(NOT_RUN) or (check.kind == "timing" and check.status == "error")
    title = TITLES.get(check.diagnosis or "")
    untitled = title is not None and not title.search(check.title)
    return has_no_answer, untitled, check.visibility == "hidden", check.kind != _told_by(check), _strays(check, plain)


def _told_by(check: model.Outcome) -> model.Kind:
    """Return the kind of check whose title says what this one reports."""
    undefined = check.diagnosis == UNWRITTEN and UNDEFINED in check.message
    unmade = OF_CONSTRUCTOR.match(check.message)
    if undefined or unmade or check.diagnosis == "wrong-parameters" or MISFIT.search(check.message):
        return "interface"
    return "gradient" if ABOUT_GRADIENT.match(check.message) else check.kind


def _strays(check: model.Outcome, plain: Collection[str]) -> int:
    """Return how far the title of a check is from what it reports, if that is a call that does not come back."""
    if check.status not in ("error", "timeout") or MISFIT.search(check.message):
        return 0
    nearest = ("mask", "invariance", "value") if check.part in plain else ("value", "mask", "invariance")
    return nearest.index(check.kind) if check.kind in nearest else len(nearest)


def unwritten(grade: model.Grade) -> list[model.Outcome]:
    """Return the checks that need code which is missing."""
    return [check for check in grade.checks if check.diagnosis == UNWRITTEN]


def written(grade: model.Grade) -> list[Mistake]:
    """Return the mistakes in code that is there. What to mend first comes first."""
    return [one for one in mistakes(grade) if one.check.diagnosis != UNWRITTEN]


def next_to_write(grade: model.Grade, where: str) -> str:
    """Return what to write next; "" if all is written. ``where`` names the student's file."""
    check = next((one for one in unwritten(grade) if one.status in LOST), None)
    if check is None:
        return ""
    if stub := STUB.match(check.message):
        found = [STUB.match(one.message) for one in unwritten(grade) if one.part == check.part]
        same = [one["name"] for one in found if one and one["line"] == stub["line"]]
        name = min(same, key=lambda name: name.endswith(".forward"))  # which may only call what is not written
        return f"{name} in {where}: replace `raise NotImplementedError` with your code."
    name, undefined, more = check.message.partition(" Cause: ")[0].partition(UNDEFINED)
    if undefined:
        return f"{name} in {where}: it{undefined}{more}"
    return f"{check.part} in {where}: it is unfinished, or returns nothing."


def unwritten_first(grade: model.Grade) -> bool:
    """Whether unwritten code comes before all mistakes: a later part may use it, or the mistakes are only of speed."""
    order = [part.name for part in parts(grade.checks)]
    missing, wrong = unwritten(grade), written(grade)
    if not missing or not wrong:
        return bool(missing)
    first = wrong[0].check
    return first.kind == "timing" or order.index(missing[0].part) < order.index(first.part)
