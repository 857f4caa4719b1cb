"""Compare a submission's answers with those of known mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from autograder import model
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.submission_records import SubmissionRecords
from autograder.judge import same_answer
from autograder.judge.result_tables import Key
from autograder.protocol import wire

VariantArrays = dict[Key, np.ndarray]
CaseVariants = dict[str, dict[str, VariantArrays]]  # what variants show in a case, by cause and variant
UNDECIDED, MORE, EXACT = 0, 1, 2
UNNAMED = "\0"  # before a variant's id: each known mistake without a cause counts as a cause of its own


class VariantTable:
    """What the known mistakes show, case by case, for all submissions of a run."""

    def __init__(self, variant_answers: Callable[[str], Sequence[model.VariantAnswer]]) -> None:
        self._variant_answers = variant_answers
        self._cases: dict[str, CaseVariants] = {}
        self.whole: set[str] = set()  # variants that any right case refutes

    def of_case(self, case: str) -> CaseVariants:
        """Return what variants show in a case. The first call of a case reads it."""
        if case not in self._cases:
            found: CaseVariants = {}
            for answer in self._variant_answers(case):
                shown = {
                    Key(step, what, name): wire.to_numpy(array)  # type: ignore[arg-type]
                    for step, what, name, array in answer.arrays
                }
                found.setdefault(answer.cause or UNNAMED + answer.variant, {})[answer.variant] = shown
                if answer.whole:
                    self.whole.add(answer.variant)
            self._cases[case] = found
        return self._cases[case]


class VariantMatcher:
    """Compare one submission with the known mistakes. Results are kept, since many checks ask the same."""

    def __init__(self, submission: SubmissionRecords, variant_table: VariantTable) -> None:
        self.submission = submission
        self.records = submission.records
        self.variant_table = variant_table
        self._causes: dict[frozenset[str], set[str]] = {}
        self._fits: dict[tuple[str, str], int | None] = {}
        self._refuted: dict[tuple[str, frozenset[str] | None], bool] = {}

    def causes(self, cases: Iterable[str]) -> set[str]:
        """Return the causes with a variant that answers each of the failing ``cases`` as the submission does.

        A file may hold one mistake twice, so each case may match another variant of the cause. The cause must explain
        all failures of the same functions and classes together. Right cases refute variants that are wrong there.
        """
        cases = frozenset(cases)
        classes = self.submission.classes(cases)
        together = cases | {
            case
            for case, record in self.records.items()
            if record.wrong and not record.extreme and record.classes <= classes
        }
        if together not in self._causes:
            self._causes[together] = self._explaining(together, classes)
        return self._causes[together]

    def exact(self, case: str) -> set[str]:
        """Return the causes with a variant that is wrong in exactly what the submission is wrong in, and alike. Of a
        known mistake without a cause there is its variant's id."""
        classes = self.submission.classes([case])
        of_case = self.variant_table.of_case(case)
        return {cause.lstrip(UNNAMED) for cause in of_case if self._best(cause, case, classes) == EXACT}

    def _explaining(self, cases: frozenset[str], classes: frozenset[str]) -> set[str]:
        """Return the causes that explain all cases. A cause that is wrong in exactly the same results beats one that
        is wrong in more."""
        informative = [
            case
            for case in cases
            if (self.records[case].wrong or self.records[case].raised) and self.records[case].program.device != "meta"
        ]
        informative.sort(key=lambda case: (not self.records[case].wrong, case))
        alive: dict[str, list[int]] = {}
        for number, case in enumerate(informative):
            candidates = list(alive) if number else list(self.variant_table.of_case(case))
            best = {cause: self._best(cause, case, classes) for cause in candidates}
            alive = {cause: [*alive.get(cause, ()), level] for cause, level in best.items() if level is not None}
        shown = {cause: [level for level in levels if level] for cause, levels in alive.items() if any(levels)}
        exact = {cause for cause, levels in shown.items() if min(levels) == EXACT}
        alike = exact or set(shown)
        if len(alike) > 1:
            alike = {cause for cause in alike if self._holds_everywhere(cause, informative)} or alike
        return {cause.partition(UNNAMED)[0] for cause in alike}

    def _holds_everywhere(self, cause: str, cases: Iterable[str]) -> bool:
        """Whether no right case of any function refutes a cause. It decides between causes that answer alike: a wrong
        helper shows in what uses it too, but then the helper itself is wrong as well."""
        variants = {name for case in cases for name in self.variant_table.of_case(case).get(cause, {})}
        return any(not self._refutes(name, None) for name in variants)

    def _best(self, cause: str, case: str, classes: frozenset[str]) -> int | None:
        """Return how well the best of a cause's variants fits a case; None where none does. A variant that is absent
        from a case is right there, so it cannot explain a failure."""
        variants = self.variant_table.of_case(case).get(cause, {})
        levels = [self._fit(case, name, shown) for name, shown in variants.items() if not self._refutes(name, classes)]
        return max((level for level in levels if level is not None), default=None)

    def _fit(self, case: str, name: str, shown: VariantArrays) -> int | None:
        if (case, name) not in self._fits:
            self._fits[case, name] = fit(self.records[case], shown)
        return self._fits[case, name]

    def _refutes(self, name: str, classes: frozenset[str] | None) -> bool:
        """Whether the submission is right in a case where the variant is wrong. Only cases of the same functions and
        classes count, unless ``classes`` is None or the variant is in ``VariantTable.whole``. Of the other cases, those
        that were answered with right parts show nothing."""
        if (name, classes) not in self._refuted:
            limit = None if name in self.variant_table.whole else classes
            self._refuted[name, classes] = any(
                record.right and self._counts(case, record, limit) and self._shows(name, case)
                for case, record in self.records.items()
            )
        return self._refuted[name, classes]

    def _counts(self, case: str, record: CaseRecord, classes: frozenset[str] | None) -> bool:
        return case not in self.submission.helped if classes is None else record.classes <= classes

    def _shows(self, name: str, case: str) -> bool:
        """Whether a variant is clearly wrong in a case, or raises there."""
        record = self.records[case]
        shown = next((one[name] for one in self.variant_table.of_case(case).values() if name in one), None)
        return shown is not None and (
            not shown or any(_clearly_wrong(record, key, array) for key, array in shown.items())
        )


def _clearly_wrong(record: CaseRecord, key: Key, shown: np.ndarray) -> bool:
    """Whether a variant's array differs from the expected one, or shows that there are too many results or too few. A
    gradient with NaN does not count: equivalent code may give none."""
    if key.what == "structure":
        return True
    undecided = key.what == "gradient" and not np.isfinite(shown).all()
    return not undecided and same_answer.differs(shown, record.expected[key], record.dtype, key.what)


def fit(record: CaseRecord, shown: VariantArrays) -> int | None:
    """How well the submission's answer is the variant's: EXACT, MORE (the variant is wrong in more results), or
    UNDECIDED where this case can't tell. None: it does not fit, or the submission is right in another call of the same
    function, where the variant is wrong."""
    if record.raised or not shown:
        return UNDECIDED  # a mistake may raise in one spelling and give wrong numbers in another
    if not all(key in shown and _same(record.actual[key], shown[key], record.dtype, key.what) for key in record.wrong):
        return None
    more = [key for key in shown if key.what == "value" and key not in record.all_wrong]
    if not more:
        return EXACT
    right = [key for key in more if key in record.actual]  # others were not to be read
    wrong = {(record.target(key.step), key.name) for key in record.wrong if key.what == "value"}
    refuted = any(
        (record.target(key.step), key.name) in wrong and _clearly_wrong(record, key, shown[key]) for key in right
    )
    return None if refuted else MORE


def _same(actual: np.ndarray, shown: np.ndarray, dtype: str, what: str) -> bool:
    if actual.size and actual.shape == shown.shape and actual.dtype.kind == "f":
        one, other = float(actual.flat[0]), float(shown.flat[0])
        floor = same_answer.FLOOR.get((what, dtype), 0.0)
        if abs(one - other) > 0.1 * (abs(one) + abs(other)) + 0.1 * float(np.abs(shown).max()) + floor:
            return False  # most variants differ in the first entry already
    return same_answer.same(actual, shown, dtype, what)
