"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

from reference.seq2seq.functions import gru_cell
from tests.assignments.tensor_helpers import tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    return {"gru_cell": (gru_cell, tensors((B, 2), (B, 3), (9, 2), (9, 3), (9,), (9,)))}
