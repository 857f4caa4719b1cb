"""Which submissions a change can touch: only they are run again."""

from autograder import model
from autograder.grading.fingerprints import Fingerprints

NAMED = 5  # checks, in a reason
NOT_RUN = ("missing", "unreadable")


def reason(old: Fingerprints | None, new: Fingerprints, grade: model.Grade) -> str:
    """Return why a submission must be run again to know its grade under ``new``; empty if the grade is known.

    ``old`` is what ``grade`` was given under, or None if the journal does not say.
    """
    if grade.status in NOT_RUN:
        return ""
    if old is None:
        return "the journal does not say what it was graded with"
    changed = [] if grade.status == "import-error" else _changed_checks(old, new, grade)
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    has_words = bool(grade.message) or any(check.message for check in grade.checks)
    table = (
        (grade.status == "infrastructure-error", "it could not be graded before"),
        (old.machine != new.machine, "the grader or its versions have changed"),
        (old.limits != new.limits and not _harmless_limits(old, new, grade), "limits have changed"),
        (bool(changed), f"checks have changed: {', '.join(changed[:NAMED])}{more}"),
        (old.wording != new.wording and has_words, "causes and messages may have changed"),
    )
    return next((text for applies, text in table if applies), "")


def _changed_checks(old: Fingerprints, new: Fingerprints, grade: model.Grade) -> list[str]:
    """Return the ids of checks whose outcome is not known.

    All checks of a partial grade shared one time limit. A check that was charged for others leaves them uncharged.
    """
    changed = [
        id for id, check in new.checks.items() if id not in old.checks or old.checks[id].content != check.content
    ]
    removed = [id for id in old.checks if id not in new.checks]
    charged = {check.consequence_of for check in grade.checks}
    return changed + [id for id in removed if grade.status == "partial" or id in charged]


def _harmless_limits(old: Fingerprints, new: Fingerprints, grade: model.Grade) -> bool:
    """Return whether limits have only become wider and the grade met none: everything passed, nothing was skipped."""
    wider = old.limits.keys() == new.limits.keys() and all(new.limits[name] >= old.limits[name] for name in old.limits)
    return wider and not grade.message and all(check.status == "passed" for check in grade.checks)
