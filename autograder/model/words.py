"""The contract's words for kinds and statuses, and the names of assertions."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "interface", "shape", "value", "weight_sum", "gradient", "mask", "invariance", "constraint", "timing", "training"
]
Visibility = Literal["public", "hidden"]
CheckStatus = Literal["passed", "failed", "error", "timeout", "skipped", "blocked"]
GradeStatus = Literal["graded", "partial", "import-error", "missing", "unreadable", "infrastructure-error"]

# The functions of these names are in ``judge``.
_OfResults = Literal[
    "shapes", "dtypes", "values", "device", "sums", "zeros", "tokens", "same", "permuted", "python_float"
]
_OfNumbers = Literal["numbers", "placed", "chosen"]
_OfCalls = Literal["gradients", "unchanged", "raises", "untouched", "fits"]
_OfModules = Literal["signature", "parameters", "state", "mode"]
_OfFreeResults = Literal[
    "within", "weighed", "descends", "differs", "agrees", "joined", "holds", "evenly", "undrawn", "python_floats"
]
AssertionName = Literal[_OfResults, _OfNumbers, _OfCalls, _OfModules, _OfFreeResults]
