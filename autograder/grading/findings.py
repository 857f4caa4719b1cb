"""What was found in a submission's answers, judged as they come."""

from __future__ import annotations

from collections import defaultdict

from autograder import judge, model, protocol
from autograder.feedback.diagnose import FailedCheck
from autograder.grading.responses import NoAnswer
from autograder.grading.suite import CheckSuite
from autograder.judge import blocked


class Findings:
    """Judges one submission's replies, and holds the first finding of every check in every case."""

    def __init__(self, suite: CheckSuite, work: model.Submission) -> None:
        """``work`` is the submission, whose source the judge may read."""
        self.suite = suite
        self.work = work
        self._found: dict[str, dict[str, model.Finding]] = defaultdict(dict)  # check -> case -> finding
        self.close: set[tuple[str, str]] = set()  # (check, case) that would pass if a guard explained the difference

    def judge(self, case_id: str, reply: protocol.Answer | NoAnswer) -> None:
        """Hold the reply against all checks that look at the case."""
        prepared = self.suite.prepared[case_id]
        for check in self.suite.checks_of[case_id]:
            if isinstance(reply, NoAnswer):
                step = next((call.into for call in prepared.program.calls), "")
                finding: model.Finding | None = model.Finding(reply.symptom, step, reply.facts, reply.status)
            else:
                finding = self._first_failure(check, prepared, reply)
            if finding is not None:
                self._found[check.id][case_id] = finding

    def _first_failure(
        self, check: model.Check, prepared: model.Prepared, reply: protocol.Answer
    ) -> model.Finding | None:
        assertions = blocked.in_order(check)
        finding = judge.first_failure(assertions, prepared, reply, self.work)
        if finding is None or finding.status != "failed":
            return finding
        if judge.first_failure(assertions, prepared, reply, self.work, guarded=True):
            return finding
        if prepared.program.dtype == "float32":  # as exact as it can be known
            return None
        self.close.add((check.id, prepared.id))
        return finding

    def forgive(self, check: str, case: str) -> None:
        """Let a check pass in a case."""
        del self._found[check][case]

    def cases(self, check: str) -> set[str]:
        """Return all cases in which a check fails."""
        return set(self._found[check])

    def failed(self) -> dict[str, FailedCheck]:
        """Return the checks that fail, by id, each with the findings that are reported.

        Redrawn cases are reported only if all shown cases pass.
        """
        return {
            check.id: FailedCheck(check, self._of(check, check.cases) or self._of(check, check.redrawn))
            for check in self.suite.spec.checks
            if self._found[check.id]
        }

    def _of(self, check: model.Check, cases: tuple[model.Case, ...]) -> dict[str, model.Finding]:
        found = self._found[check.id]
        return {case.id: found[case.id] for case in cases if case.id in found}
