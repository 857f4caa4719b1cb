"""Everything that travels between the grader and a worker: programs one way, answers the other.

A worker imports this package and torch. It never imports a check, an expected value or a point. Arrays are bytes with a
dtype and a shape, so nothing here needs torch.
"""

from autograder.protocol.answers import (
    Answer,
    Interface,
    Loaded,
    Opaque,
    ParameterInfo,
    Raised,
    Scalar,
    Sequence,
    StepResult,
    Tensor,
    Value,
    by_step,
)
from autograder.protocol.arrays import Array, ArrayDevice, ArrayDtype
from autograder.protocol.programs import (
    Argument,
    Ask,
    Call,
    Device,
    Dtype,
    Inspect,
    Layout,
    Load,
    Make,
    Optimizer,
    Program,
    Ref,
    RightParts,
    SetGrads,
    State,
    Step,
)

__all__ = [
    "Answer",
    "Argument",
    "Array",
    "ArrayDevice",
    "ArrayDtype",
    "Ask",
    "Call",
    "Device",
    "Dtype",
    "Inspect",
    "Interface",
    "Layout",
    "Load",
    "Loaded",
    "Make",
    "Opaque",
    "Optimizer",
    "ParameterInfo",
    "Program",
    "Raised",
    "Ref",
    "RightParts",
    "Scalar",
    "Sequence",
    "SetGrads",
    "State",
    "Step",
    "StepResult",
    "Tensor",
    "Value",
    "by_step",
]
