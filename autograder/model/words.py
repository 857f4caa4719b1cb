"""The words that the contract uses for topics, kinds and statuses."""

from __future__ import annotations

from typing import Literal

TOPICS = ("bahdanau", "luong", "self_attention", "masking", "seq2seq")

Kind = Literal[
    "interface",
    "shape",
    "value",
    "weight_sum",
    "gradient",
    "mask",
    "invariance",
    "constraint",
    "timing",
    "training",
]
Device = Literal["cpu", "cuda"]
Dtype = Literal["float32", "float64"]
Visibility = Literal["public", "hidden"]
CheckStatus = Literal["passed", "failed", "error", "timeout", "skipped"]
GradeStatus = Literal["graded", "partial", "import-error", "missing", "unreadable", "infrastructure-error"]
