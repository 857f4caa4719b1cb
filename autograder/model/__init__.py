"""The nouns of the grader: frozen values that the rooms hand to each other.

Nothing here does anything. Programs travel to a worker, answers come back, checks say
what an answer is held to, and a grade is what is left when all of it has been judged.
No room needs torch to speak of these: arrays are bytes with a dtype and a shape.
"""

from autograder.model.answers import (
    Answer,
    Interface,
    Loaded,
    Opaque,
    ParameterInfo,
    Raised,
    Scalar,
    Seen,
    Sequence,
    Tensor,
    Value,
)
from autograder.model.arrays import Array
from autograder.model.checks import Case, Check, Hold, Mistaken, Prepared, Spec, Timed
from autograder.model.grades import Finding, Grade, Outcome
from autograder.model.programs import (
    Argument,
    Ask,
    Call,
    Inspect,
    Layout,
    Load,
    Make,
    Optimizer,
    Program,
    Ref,
    SetGrads,
    State,
    Step,
)
from autograder.model.words import TOPICS, CheckStatus, Device, Dtype, GradeStatus, Kind, Visibility
from autograder.model.work import Entry, Submission

__all__ = [
    "TOPICS",
    "Answer",
    "Argument",
    "Array",
    "Ask",
    "Call",
    "Case",
    "Check",
    "CheckStatus",
    "Device",
    "Dtype",
    "Entry",
    "Finding",
    "Grade",
    "GradeStatus",
    "Hold",
    "Inspect",
    "Interface",
    "Kind",
    "Layout",
    "Load",
    "Loaded",
    "Make",
    "Mistaken",
    "Opaque",
    "Optimizer",
    "Outcome",
    "ParameterInfo",
    "Prepared",
    "Program",
    "Raised",
    "Ref",
    "Scalar",
    "Seen",
    "Sequence",
    "SetGrads",
    "Spec",
    "State",
    "Step",
    "Submission",
    "Tensor",
    "Timed",
    "Value",
    "Visibility",
]
