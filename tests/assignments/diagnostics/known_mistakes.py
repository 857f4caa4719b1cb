"""What tests of known mistakes (tests/instructor/oracle) must know of this assignment."""

from typing import Any

from autograder.assignments.diagnostics.causes import CAUSES
from autograder.assignments.diagnostics.hidden.mistakes import (
    answers,
    entropies,
    failures,
    gradients,
    measures,
    offsets,
    patterns,
    similarities,
)

# Causes that it can have, beside those of any assignment, and those of any assignment that it can't have.
OWN = {*CAUSES, "temperature-multiplies", "wrong-log-base", "nan-at-zero-weight"}
NOT_IN = {"missing-scale", "missing-tanh", "wrong-activation", "context-from-projections", "wrong-parameters"}
# What variants are made of, with no part replaced: answers as the references do.
STAND_INS: dict[str, Any] = {
    **entropies.curve(),
    **measures.sharpness(),
    **measures.coverage(),
    **offsets.offset(),
    **patterns.pattern(),
    **failures.failure(),
    **similarities.geometry(),
    **gradients.paths(),
    **gradients.norms(),
    **answers.permutation(),
    **answers.ablation(),
}
