"""From findings to outcomes: status, message, cause, and the check that was charged for the mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from autograder import model
from autograder.feedback import causes, messages, templates
from autograder.feedback.diagnose import FailedCheck
from autograder.grading.consequences import Consequences
from autograder.grading.isolation import Isolation
from autograder.grading.suite import CheckSuite
from autograder.judge.blocked import OWN, is_blocked

InCall = Callable[[str], str | None]  # from a case to the cause of its wrong call
LOST = ("failed", "error", "timeout")
# cause -> the findings that show it. The check may fail in other cases for other reasons.
SHOWS = {"wrong-parameters": ("wrong-parameters", "not-a-module", "missing-name")}
OF_VALUES = ("wrong-values", "wrong-sum", "not-zero", "wrong-shape")  # findings that the values of one call explain


class _Reported(NamedTuple):
    """What a failing check reports: its status, its message, and the cause of the call that is shown."""

    status: model.CheckStatus
    text: str
    in_call: str | None = None


def no_cause(case: str) -> str | None:
    """Name no cause of a case: causes are not asked for, or could not be found."""
    return None


def outcome(
    check: model.Check,
    status: model.CheckStatus,
    message: str = "",
    diagnosis: str | None = None,
    consequence_of: str | None = None,
    known: model.Cause | None = None,
) -> model.Outcome:
    """Return the line of a check, before its points are known. ``known``: the cause that its hint is about."""
    return model.Outcome(
        id=check.id,
        title=check.title,
        kind=check.kind,
        visibility=check.visibility,
        status=status,
        points=0.0,
        max_points=float(check.points),  # a float, also in results that were read from JSON
        message=message,
        diagnosis=diagnosis,
        hint=messages.hint(known, check.section) if status in LOST else "",
        part=check.part,
        consequence_of=consequence_of,
    )


class Outcomes:
    """Makes the outcomes of one submission's checks."""

    def __init__(
        self,
        suite: CheckSuite,
        found: Mapping[str, FailedCheck],
        isolation: Isolation,
        consequences: Consequences,
        in_call: InCall,
    ) -> None:
        """``found``: the failing checks as they were found with the submission's own parts alone. ``in_call`` returns
        the cause of one case's wrong call, or None."""
        self.suite = suite
        self.found = found
        self.isolation = isolation
        self.consequences = consequences
        self.in_call = in_call
        self.causes = causes.of(suite.spec.assignment)

    def of(self, check: model.Check) -> model.Outcome:
        """Return the outcome of a check that is not timed."""
        if check.id not in self.found:
            return outcome(check, "passed")
        first, cause = self.charged(check), self.cause(check)
        reported = self._reported(check, cause)
        if reported is None:
            return outcome(check, "blocked", self.waiting(check), cause, first)
        return self.lost(check, reported.status, reported.text, cause, first, reported.in_call)

    def lost(
        self,
        check: model.Check,
        status: model.CheckStatus,
        text: str,
        cause: str | None,
        first: str | None = None,
        in_call: str | None = None,
    ) -> model.Outcome:
        """Return the outcome of a failing check, with the hint of its cause, or else of the cause in one call."""
        return outcome(check, status, text, cause, first, self.known(cause or in_call))

    def known(self, cause: str | None) -> model.Cause | None:
        """Return a cause in words; None if it has none."""
        return self.causes.get(cause or "")

    def charged(self, check: model.Check) -> str | None:
        """Return the check that was charged for the mistake that makes this one fail; None if it is this one."""
        part = self.isolation.follows.get(check.id)
        if part is None:
            return self.consequences.first.get(check.id)
        head = self._first_wrong(part)
        return self.consequences.first.get(head, head) if head else None

    def cause(self, check: model.Check) -> str | None:
        """Return the cause of a failing check: of one that follows from another part's mistake, that mistake's."""
        part = self.isolation.follows.get(check.id)
        head = self._first_wrong(part) if part else check.id
        return self.consequences.causes.get(head) if head else None

    def waiting(self, check: model.Check) -> str:
        """Return the message of a blocked check. It names a check that says more, unless that is hidden."""
        part = self.isolation.follows.get(check.id, check.part)
        for other in self.suite.spec.checks:
            failed = self.isolation.failing.get(other.id)
            if failed and other.part == part and other.visibility == "public" and not _waits(failed):
                return messages.blocked(check.kind, part, other.title)
        return messages.blocked(check.kind, part, "")

    def _explained(self, check: model.Check) -> bool:
        """Whether a blocked check can wait: another one says what is wrong, or none that could was asked for."""
        of_part = [one for one in self.suite.spec.checks if one.part == check.part]
        told = any(one.id in self.found and not _waits(self.found[one.id]) for one in of_part)
        return told or check.id in self.isolation.follows or all(one.kind in OWN for one in of_part)

    def _first_wrong(self, part: str) -> str | None:
        """Return the first check of a part that fails for a reason of its own."""
        return next(
            (one.id for one in self.suite.spec.checks if one.part == part and one.id in self.isolation.failing), None
        )

    def _reported(self, check: model.Check, cause: str | None) -> _Reported | None:
        """Return what a failing check reports; None if it is blocked."""
        again = check.id in self.isolation.failing and check.id in self.isolation.asked
        failed = self.isolation.failing[check.id] if again else self.found[check.id]
        case, finding = _first(failed, cause)
        if is_blocked(check, finding) and self._explained(check):
            return None
        if check.visibility == "public" and case in self.suite.secret:
            return _Reported(finding.status, templates.REDRAWN)
        closed = check.visibility == "hidden" or again  # a worker with right parts knows secrets
        in_call = None if closed or cause or finding.symptom not in OF_VALUES else self.in_call(case)
        text = messages.message(finding, self.suite.prepared[case], closed, self.known(cause), self.known(in_call))
        return _Reported(finding.status, text, in_call)


def _first(failed: FailedCheck, cause: str | None = None) -> tuple[str, model.Finding]:
    """Return the finding to report, with its case: the first about what the check's title says, or the first that shows
    the cause where only some do."""
    found = list(failed.findings.items())
    own = [one for one in found if not is_blocked(failed.check, one[1])] or found
    return next((one for one in own if one[1].symptom in SHOWS.get(cause or "", ())), own[0])


def _waits(failed: FailedCheck) -> bool:
    return is_blocked(failed.check, _first(failed)[1])
