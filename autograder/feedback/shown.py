"""What a student sees of a grade. Staff see the grade itself.

The title of a hidden check says what the check asks, and so does its id. Students get a number in place of both,
unless the course shows them the titles. ``model.StudentView`` says what else a course shows.
"""

from __future__ import annotations

from msgspec.structs import replace

from autograder import assignments, model
from autograder.model import tokens

TITLE = "Hidden check {}"
ID = "hidden-{}"
USUAL = model.StudentView()


def checks(grade: model.Grade, view: model.StudentView = USUAL) -> dict[str, model.Outcome]:
    """Return the checks of a grade as its student sees them, in the grade's order. The keys are the checks' own ids.

    Of a hidden check, title and id are replaced, also where another check names the id; unless ``hidden_titles``.
    """
    return _checks(grade, view, _numbers(grade, view))


def as_seen(grade: model.Grade, view: model.StudentView = USUAL) -> model.Grade:
    """Return the grade as its student sees it: the checks, and decisions about them.

    Who decided is for staff, and so is why, unless the course shows the ``reasons``. So is the state of the token,
    except that it is missing or can't be read.
    """
    numbers = _numbers(grade, view)
    decisions = tuple(
        replace(
            one,
            target=TITLE.format(numbers[one.target]) if one.target in numbers else one.target,
            by="",
            reason=one.reason if view.reasons else "",
        )
        for one in grade.decisions
    )
    checks = tuple(_checks(grade, view, numbers).values())
    token = grade.token if grade.token in tokens.SAID else ""
    return replace(grade, checks=checks, decisions=decisions, speeds=_speeds(grade), token=token)


def _speeds(grade: model.Grade) -> tuple[model.SpeedPicture, ...]:
    """Return the figures that messages of public checks say. Timed inputs are secret, so students see no more."""
    public = {check.id for check in grade.checks if check.visibility == "public" and check.message}
    return tuple(replace(one, costs=()) for one in grade.speeds if one.said and one.check in public)


def _checks(grade: model.Grade, view: model.StudentView, numbers: dict[str, int]) -> dict[str, model.Outcome]:
    return {check.id: _numbered(_without(check, view), numbers) for check in grade.checks}


def _without(check: model.Outcome, view: model.StudentView) -> model.Outcome:
    """Return a check without what the course does not show of it."""
    if check.visibility == "hidden" and view.hidden == "points":
        return replace(check, message="", diagnosis=None, hint="")
    return check if view.hints else replace(check, hint="")


def _numbers(grade: model.Grade, view: model.StudentView) -> dict[str, int]:
    """Return the numbers of the hidden checks by id: their places among the hidden checks of the assignment.

    So a check has the same number for all students. Checks that this installation does not have come last. Where the
    course shows the titles, no check has a number.
    """
    if view.hidden_titles:
        return {}
    known = assignments.load(grade.assignment).checks if grade.assignment in assignments.NAMES else ()
    hidden = dict.fromkeys(check.id for check in known if check.visibility == "hidden")
    hidden |= dict.fromkeys(check.id for check in grade.checks if check.visibility == "hidden")
    return {name: number for number, name in enumerate(hidden, start=1)}


def _numbered(check: model.Outcome, numbers: dict[str, int]) -> model.Outcome:
    """Return a hidden check with a number in place of title and id, and where another check was charged, its number."""
    if check.consequence_of in numbers:
        check = replace(check, consequence_of=ID.format(numbers[check.consequence_of]))
    if check.visibility == "public" or check.id not in numbers:
        return check
    number = numbers[check.id]
    return replace(check, title=TITLE.format(number), id=ID.format(number))
