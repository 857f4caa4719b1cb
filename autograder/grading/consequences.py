"""Which failing checks one mistake explains (contract, section 4: one mistake costs once).

In each part, the checks that hold against the reference with the confirmed mistake in it fail for that mistake alone.
The first of them is the one that is charged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from autograder import judge, model, protocol
from autograder.feedback.diagnose import FailedCheck
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.variants import VariantTable, fit
from autograder.grading import evidence
from autograder.grading.suite import CheckSuite
from autograder.judge import source
from autograder.judge.blocked import OF_RESULTS, in_order
from autograder.judge.score import IN_FULL

Causes = dict[str, str | None]  # by check
ROUNDED = "dtype-hardcoded"  # explains results that single precision rounds
# Findings about numbers, which another spelling of a mistake may change a little.
OF_NUMBERS = OF_RESULTS - {"no-gradient", "zero-gradient"} | {
    "wrong-sum",
    "negative-weights",
    "not-zero",
    "not-invariant",
    "not-equivariant",
}


class Consequences:
    """The failing checks of one submission by the mistakes that explain them.

    ``first`` maps a check to the first check of its part that fails for the same mistake. ``mistakes`` holds the known
    mistakes that were confirmed, by part. ``causes`` gains the cause of each check that a confirmed mistake explains.
    """

    def __init__(
        self,
        suite: CheckSuite,
        work: model.Submission,
        answers: Mapping[str, protocol.Answer | None],
        variant_table: VariantTable,
        causes: Causes,
    ) -> None:
        self.suite, self.work, self.answers, self.variant_table = suite, work, answers, variant_table
        self.causes = causes
        self.first: dict[str, str] = {}
        self.mistakes: dict[str, set[str]] = {}
        self.heads: dict[str, str | None] = {}
        self.rounded: set[str] = set()  # parts that are right in single precision
        self._records: dict[str, CaseRecord] = {}

    def explain(self, failing: Mapping[str, FailedCheck]) -> None:
        """Group the failing checks of each part by the mistakes that explain them."""
        for part in self.suite.spec.parts:
            own = {name: one for name, one in failing.items() if one.check.part == part}
            for cause in dict.fromkeys(self.causes.get(name) for name in own):
                if cause is not None and cause not in IN_FULL:
                    self._group(part, cause, own)

            self.heads[part] = next((name for name in own if self._is_charged_with_others(name)), None)
        self._follow_elsewhere(failing)

    def head(self, part: str) -> str | None:
        """Return the check that is charged for a part's first mistake with a confirmed cause."""
        first = self.heads.get(part)
        return self.first.get(first, first) if first else None

    def _is_charged_with_others(self, name: str) -> bool:
        cause = self.causes.get(name)
        return cause is not None and cause not in IN_FULL and name not in self.first

    def _follow_elsewhere(self, failing: Mapping[str, FailedCheck]) -> None:
        """Charge a mistake that several parts share once: in the first of them.

        A part follows only if it fails for nothing else, and answers as a known mistake does: otherwise nothing shows
        that it would be right.
        """
        heads = [(part, self._only_mistake(part, failing)) for part in self.suite.spec.parts if self.mistakes.get(part)]
        parts = [(part, head) for part, head in heads if head]
        for number, (part, head) in enumerate(parts):
            for earlier, first in parts[:number]:
                if self.causes[first] == self.causes[head] and self._is_one_place(earlier, part):
                    self._charge_elsewhere(head, self.first.get(first, first))
                    break

    def _only_mistake(self, part: str, failing: Mapping[str, FailedCheck]) -> str | None:
        """Return the check that is charged for a part's only mistake, if that may follow from another place."""
        heads = [name for name, one in failing.items() if one.check.part == part and name not in self.first]
        return heads[0] if len(heads) == 1 and self.causes.get(heads[0]) not in (None, *IN_FULL) else None

    def _is_one_place(self, earlier: str, part: str) -> bool:
        """Whether two parts share a function that is no part; or, where parts can't be judged with right ones, one uses
        the other."""
        read = source.read(self.work)
        if read.shares(earlier, part, self.suite.spec.parts):
            return True
        return self.suite.play is None and read.uses(part, earlier)

    def _charge_elsewhere(self, head: str, charged: str) -> None:
        for name in [head, *(name for name, first in self.first.items() if first == head)]:
            self.first[name] = charged

    def _group(self, part: str, cause: str, own: Mapping[str, FailedCheck]) -> None:
        """Group the checks of a part that this cause explains, in their order."""
        used: set[str] = set()
        refuted: set[str] = set()
        explained = [name for name, one in own.items() if self._explains(cause, one, used, refuted)]
        self.mistakes.setdefault(part, set()).update(used - refuted)
        findings = [one for name in explained for one in own[name].findings.values()]
        is_shown = (
            bool(used)
            or (cause == ROUNDED and part in self.rounded)
            or evidence.is_computed(cause, findings)
            or evidence.answers_rightly(self.suite, part, own, self.answers)
        )
        for name in explained:
            self.causes[name] = cause
            if name != explained[0] and is_shown:
                self.first[name] = explained[0]

    def _explains(self, cause: str, failed: FailedCheck, used: set[str], refuted: set[str]) -> bool:
        """Whether a failing check fails for this mistake alone. Adds the variants that show it to ``used``,
        and those that a case refutes to ``refuted``.

        Numbers that differ are explained where the diagnosis named the cause: a mistake has more spellings than there
        are variants. Anything else must hold against the reference with the mistake in it.
        """
        name = failed.check.id
        if name in self.first or self.causes.get(name) not in (None, cause):
            return False
        named = self.causes.get(name) == cause
        for case, finding in failed.findings.items():
            variants = list(self._variants(cause, case))
            left = [self._left(failed, case, variant) for variant in variants]
            # Where a mistake can't run, the finding itself is left, and nothing speaks against the mistake.
            shown = zip(variants, left, strict=True)
            refuted.update(variant for variant, other in shown if other not in (None, finding))
            if cause == ROUNDED:
                left.append(self._left_after_rounding(failed, case))
                if left[-1] is None and evidence.is_telling(self.suite, failed.check, case):
                    self.rounded.add(failed.check.part)
            used.update(variant for variant, other in zip(variants, left, strict=False) if other is None)
            unlike = finding.symptom in evidence.EXCEPTIONS and cause not in evidence.RAISING
            if unlike and not self._raises_too(cause, case):
                return False
            if None in left:
                continue
            others = [one for one in left if one] or [finding]
            if not named or not all(one.symptom in OF_NUMBERS or one == finding for one in others):
                return False
        return True

    def _variants(self, cause: str, case: str) -> Iterator[str]:
        """Yield the variants of a cause that answer a case as the submission does."""
        if self.answers.get(case) is None:
            return
        record = self._records.setdefault(case, CaseRecord(self.suite.prepared[case], self.answers[case]))
        for name, shown in self.variant_table.of_case(case).get(cause, {}).items():
            if record.wrong and not record.raised and fit(record, shown) is not None:
                yield name

    def _raises_too(self, cause: str, case: str) -> bool:
        """Whether a known mistake raises in a case, or in a step of it."""
        right = _raised(self.suite.prepared[case])
        known = self.variant_table.of_case(case).get(cause, {})
        mistaken = (self.suite.mistaken(case, name) for name, shown in known.items() if shown)
        return not all(known.values()) or any(one is not None and _raised(one) - right for one in mistaken)

    def _left(self, failed: FailedCheck, case: str, variant: str) -> model.Finding | None:
        """Return what is still wrong in a case against the reference with a mistake in it; None if nothing is."""
        answer, mistaken = self.answers[case], self.suite.mistaken(case, variant)
        if mistaken is None or answer is None:
            return None
        if _raised(mistaken) - _raised(self.suite.prepared[case]):
            return failed.findings[case]  # an answer can't be that of a mistake which has none
        try:
            return judge.first_failure(in_order(failed.check), mistaken, answer, self.work)
        except (AssertionError, IndexError, ValueError):  # the mistake raises, or its results have another form
            return failed.findings[case]

    def _left_after_rounding(self, failed: FailedCheck, case: str) -> model.Finding | None:
        """Return what is still wrong in a case where single precision is enough; None if nothing is."""
        answer, prepared = self.answers.get(case), self.suite.prepared[case]
        if answer is None:
            return next(iter(failed.findings.values()))
        rounded = replace(prepared, program=replace(prepared.program, dtype="float32"))
        others = [one for one in failed.check.assertions if one.name != "dtypes"]
        return judge.first_failure(others, rounded, answer, self.work)


def _raised(prepared: model.Prepared) -> set[str]:
    """Return the steps of a case that must raise."""
    return {one.into for one in prepared.expected_results if one.raised}
