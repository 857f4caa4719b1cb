"""Public checks of ``bottleneck``: contexts and costs, information in bits, the path of the gradient, own numbers."""

from __future__ import annotations

from autograder.assignments.bottleneck import contexts, information

CHECKS = (*contexts.CONTEXT_CHECKS, *information.CHECKS, *contexts.CHANNEL_CHECKS, *contexts.PATH_CHECKS)
