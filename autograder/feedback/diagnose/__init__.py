"""Causes of failed checks (contract, section 5)."""

from autograder.feedback.diagnose.cause_ranking import FailedCheck, causes
from autograder.feedback.diagnose.one_call import CallCauses
from autograder.feedback.diagnose.variants import VariantTable

__all__ = ["CallCauses", "FailedCheck", "VariantTable", "causes"]
