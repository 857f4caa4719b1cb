"""The grader's data: submissions, checks, grades and decisions, as frozen values without behaviour.

A worker never imports this package. ``protocol`` holds what travels to a worker and back.
"""

from autograder.model.checks import (
    HIDDEN,
    REDRAWN,
    Assertion,
    Case,
    Check,
    Prepared,
    Spec,
    TimedCall,
    VariantAnswer,
    Weights,
)
from autograder.model.courses import CourseError
from autograder.model.feedback import CallAxes, Cause
from autograder.model.grades import SIDE, Finding, Grade, Outcome, WeightPicture
from autograder.model.people import EVERYBODY, Decision, Facts, GradedFile, Identity, StudentView
from autograder.model.pictures import MOST_ROWS, GradientPicture, GradientRow, SizeCost, SpeedPicture
from autograder.model.submissions import Entry, HandedIn, Submission
from autograder.model.words import AssertionName, CheckStatus, GradeStatus, Kind, Visibility

__all__ = [
    "EVERYBODY",
    "HIDDEN",
    "MOST_ROWS",
    "REDRAWN",
    "SIDE",
    "Assertion",
    "AssertionName",
    "CallAxes",
    "Case",
    "Cause",
    "Check",
    "CheckStatus",
    "CourseError",
    "Decision",
    "Entry",
    "Facts",
    "Finding",
    "Grade",
    "GradeStatus",
    "GradedFile",
    "GradientPicture",
    "GradientRow",
    "HandedIn",
    "Identity",
    "Kind",
    "Outcome",
    "Prepared",
    "SizeCost",
    "Spec",
    "SpeedPicture",
    "StudentView",
    "Submission",
    "TimedCall",
    "VariantAnswer",
    "Visibility",
    "WeightPicture",
    "Weights",
]
