"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

from reference.bottleneck import functions
from tests.assignments.tensor_helpers import randn, tensors


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient.

    "dim 0": tables and states have no batch axis.
    """
    rows = randn(B, T_s + 1, seed=1).softmax(-1)
    joint = randn((T_t + 1) * (T_s + 1), seed=2).softmax(-1).view(T_t + 1, T_s + 1)
    channel = randn(T_s + 1, 3, seed=3).softmax(-1)
    states, weight = tensors((T_t + 1, 3), (3, 3))
    return {
        "uniform_context": (lambda x: functions.uniform_context(x)[0], tensors((B, T_s, 3))),
        "entropy_bits": (functions.entropy_bits, [rows]),
        "conditional_entropy, no dim 0": (functions.conditional_entropy, [joint]),
        "mutual_information, no dim 0": (functions.mutual_information, [joint]),
        "processing_chain, no dim 0": (functions.processing_chain, [joint, channel]),
        "decay_along, no dim 0": (lambda h, W: functions.decay_along(h.tanh(), W), [states, weight]),
    }
