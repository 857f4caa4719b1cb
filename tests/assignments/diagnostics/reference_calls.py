"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

import torch

from reference.diagnostics import effects, functions
from tests.assignments.tensor_helpers import randn, tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    source, target = torch.full((B,), T_s), torch.full((B,), T_t)
    rows = [randn(B, T_t, T_s, seed=1).softmax(-1), source, target]
    layer = [randn(B, T_s).softmax(-1), *tensors((B, T_s, 3), (2, 3), (2,))]
    orders = torch.stack([torch.arange(T_s).roll(n) for n in range(3)])
    return {
        "entropy of rows": (functions.row_entropy, rows[:1]),
        "temperature_curve": (
            functions.temperature_curve,
            [randn(B, T_t, T_s), torch.linspace(0.5, 2.0, 3, dtype=torch.float64)],
        ),
        "sharpness": (functions.sharpness, [rows[0], target]),
        "coverage": (functions.coverage, rows),
        "diagonal_offset": (functions.diagonal_offset, rows),
        "attention_geometry": (lambda x: effects.attention_geometry(x, 0.7), tensors((B, T_s, 3))),
        "gradient_paths": (effects.gradient_paths, tensors((B, T_t, 3), (B, T_s, 3), (B, T_t, 3))),
        "gradient_norms": (
            lambda h, W, g: effects.gradient_norms(h.tanh(), W, g),
            tensors((B, T_s, 3), (3, 3), (B, T_s, 3)),
        ),
        "permutation_test": (effects.permutation_test, [*layer, orders]),
        "ablation_effects": (effects.ablation_effects, layer),
    }
