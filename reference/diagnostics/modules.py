"""The reference of ``diagnostics`` under the contract's names."""

from reference.diagnostics.effects import (
    ablation_effects,
    attention_geometry,
    gradient_norms,
    gradient_paths,
    permutation_test,
    rank_agreement,
)
from reference.diagnostics.functions import (
    alignment_error_rate,
    alignment_links,
    classify_pattern,
    coverage,
    diagnose_failure,
    diagonal_offset,
    row_entropy,
    sharpness,
    temperature_curve,
)

__all__ = [
    "ablation_effects",
    "alignment_error_rate",
    "alignment_links",
    "attention_geometry",
    "classify_pattern",
    "coverage",
    "diagnose_failure",
    "diagonal_offset",
    "gradient_norms",
    "gradient_paths",
    "permutation_test",
    "rank_agreement",
    "row_entropy",
    "sharpness",
    "temperature_curve",
]
