"""The hidden checks: other sizes and numbers, and the corner cases. Students see only their status and cause."""

from autograder.author import alone, devices, gradients, ones, part, permutation, stateless, strides, values

from .checks import COSINE

CHECKS = part(
    "cosine_scores",
    values(COSINE, 17, sizes=[{"d": 2}, {"T_k": 13}]),
    gradients(COSINE, 8),
    ones(COSINE, 5),
    permutation(COSINE, 5, "T_k"),
    alone(COSINE, 5),
    strides(COSINE, 4),
    stateless(COSINE, 3),
    devices(COSINE, 3),
)
