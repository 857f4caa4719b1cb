"""Hidden checks of ``bottleneck``: other sizes, edge cases, and what the public checks leave open."""

from __future__ import annotations

from autograder.assignments.bottleneck.hidden import contexts, information, paths, quiz

CHECKS = (*contexts.CHECKS, *information.CHECKS, *paths.CHECKS, *quiz.CHECKS)
