"""The outcomes of timing checks."""

from __future__ import annotations

from collections.abc import Sequence

from autograder import model
from autograder.feedback import messages
from autograder.grading.outcomes import Outcomes, outcome
from autograder.grading.timing.checker import CheckTiming, TimingChecker
from autograder.grading.timing.paired import SLOW
from autograder.grading.timing.pictures import speeds
from autograder.grading.timing.reference import NotInstalled
from autograder.judge.blocked import is_blocked
from autograder.sandbox.availability import SandboxError


class TimedOutcomes:
    """Measures one submission, and makes the outcomes of its timing checks."""

    def __init__(self, checker: TimingChecker | None, outcomes: Outcomes, exhausted: bool) -> None:
        """Without a ``checker`` nothing is timed. ``exhausted``: the submission has used up its time."""
        self.checker = checker
        self.outcomes = outcomes
        self.exhausted = exhausted
        self.speeds: list[model.SpeedPicture] = []  # of what was measured
        self.slow: dict[str, str] = {}  # parts that are too slow by themselves: the first check that shows it

    def of(self, check: model.Check) -> model.Outcome:
        """Return the outcome of a timing check. Calls that could not be measured or decided cost no points.

        A part is timed with the right parts that it was judged with. Its confirmed mistakes are no reason not to count.
        """
        if self.checker is None:
            return outcome(check, "skipped", "Speed is measured when the submission is graded.")
        if self.exhausted:
            return outcome(check, "timeout", "Not run: the submission used up its time before this check.")
        mistakes = self.outcomes.consequences.mistakes.get(check.part, set())
        if pointless := self._without_measuring(check, bool(mistakes)):
            return pointless
        try:
            session = self.outcomes.isolation.session_of(check.part)
            timing = self.checker.measure(check, session, sorted(mistakes))
            first = self._slow_elsewhere(check, timing, sorted(mistakes))
        except (SandboxError, NotInstalled) as error:
            return outcome(check, "skipped", f"Speed could not be measured: {error}")
        if timing.finding is not None:
            return self._failed(check, timing, timing.finding, first)
        result = timing.undecided or timing.results[0]
        self.speeds += speeds(check, timing, result)
        text = messages.speed(result.quantity, result.verdict, result.facts)
        return outcome(check, "skipped" if timing.undecided else "passed", text)

    def _without_measuring(self, check: model.Check, is_mistaken: bool) -> model.Outcome | None:
        """Return the outcome of a check whose answers can't be right, as other checks of its part show.

        ``is_mistaken``: a mistake of the part is confirmed, and answers with it in them count as right.
        """
        failing = {name: one for name, one in self.outcomes.isolation.failing.items() if one.check.part == check.part}
        statuses = {name: {found.status for found in one.findings.values()} for name, one in failing.items()}
        if any("timeout" in found for found in statuses.values()):
            text = f"Not run: other calls of {check.part} did not finish in time."
            return self.outcomes.lost(check, "timeout", text, SLOW)
        values = [one.id for one in self.outcomes.suite.spec.checks if one.part == check.part and one.kind == "value"]
        if is_mistaken or not values or not all(name in failing for name in values):
            return None
        if all("error" in statuses[name] for name in values):
            cause = self.outcomes.consequences.causes.get(values[0])
            text = f"Not run: other calls of {check.part} failed."
            return self.outcomes.lost(check, "error", text, cause)
        return self._waiting(check)

    def _slow_elsewhere(self, check: model.Check, timing: CheckTiming, mistakes: Sequence[str]) -> str | None:
        """Return the check of an earlier part that alone makes this call too slow, or None.

        The call is measured once more, in a new worker with right parts in place of the slow ones.
        """
        if not (timing.finding and timing.finding.diagnosis == SLOW and timing.prepared and self.checker):
            return None
        program, isolation = timing.prepared.program, self.outcomes.isolation
        parts, right = self.outcomes.suite.spec.parts, isolation.right_for(check.part)
        before = parts[: parts.index(check.part)] if check.part in parts else ()
        earlier = [part for part in before if part in self.slow and part not in right]
        used = [part for part in earlier if isolation.uses(check.part, part, [program])]
        session = isolation.beside_right(check.part, used)
        if session is None:
            return None
        try:
            again = self.checker.measure(check, session, mistakes)
        finally:
            session.end()
        return None if again.finding else self.slow[used[0]]

    def _waiting(self, check: model.Check) -> model.Outcome:
        first = self.outcomes.consequences.head(check.part)
        cause = self.outcomes.consequences.causes[first] if first else None
        return outcome(check, "blocked", self.outcomes.waiting(check), cause, first)

    def _failed(
        self, check: model.Check, timing: CheckTiming, finding: model.Finding, first: str | None
    ) -> model.Outcome:
        """Return the outcome of a check with a finding; ``first`` is the check of a slow part that makes it slow."""
        self.speeds += speeds(check, timing, next((one for one in timing.results if one.verdict == "over"), None))
        if is_blocked(check, finding):
            return self._waiting(check)
        cause = finding.diagnosis
        cause = cause or self._cause_of_the_same(check.part, finding)
        if cause == SLOW and first is None:
            self.slow.setdefault(check.part, check.id)
        text = messages.message(finding, timing.prepared, True, self.outcomes.known(cause))  # its inputs are secret
        return self.outcomes.lost(check, finding.status, text, cause, first)

    def _cause_of_the_same(self, part: str, finding: model.Finding) -> str | None:
        """Return the cause of a check of the part that raises the same exception on the same line, or None."""
        raised = finding.facts.get("raised")
        if raised is None or raised.line is None:
            return None
        for name, failed in self.outcomes.isolation.failing.items():
            others = [one.facts["raised"] for one in failed.findings.values() if "raised" in one.facts]
            if failed.check.part == part and (raised.type, raised.line) in {(one.type, one.line) for one in others}:
                return self.outcomes.consequences.causes.get(name)
        return None
