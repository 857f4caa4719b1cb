"""The cause of one wrong call, for parts with several mistakes.

Where no cause explains all that is wrong in a part, a known mistake may still explain the call that a message shows.
Its sentence helps the student, but it decides nothing: the check has no cause, and its points stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder import model, protocol
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.signs import SignMatcher
from autograder.feedback.diagnose.submission_records import SubmissionRecords
from autograder.feedback.diagnose.variants import VariantMatcher, VariantTable


class CallCauses:
    """Name the causes of single cases of one submission."""

    def __init__(
        self,
        prepared: Mapping[str, model.Prepared],
        answers: Mapping[str, protocol.Answer | None],
        variant_table: VariantTable,
    ) -> None:
        """``prepared`` and ``answers`` are by case."""
        self.records = {name: CaseRecord(prepared[name], answer) for name, answer in answers.items()}
        failing = {name for name, record in self.records.items() if record.wrong}
        submission = SubmissionRecords(self.records, failing, lambda program: ())
        self.variants = VariantMatcher(submission, variant_table)
        self.signs = SignMatcher()

    def of(self, case: str) -> str | None:
        """Return the only cause whose known mistake answers a case exactly as the submission does; else None.

        Calls with extreme numbers show no cause: there, different mistakes give the same weights.
        """
        record = self.records.get(case)
        if record is None or record.raised or record.extreme or not record.wrong:
            return None
        found = self.variants.exact(case)
        if len(found) > 1:
            found &= self.signs.causes([record])
        return found.pop() if len(found) == 1 else None
