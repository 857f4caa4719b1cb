"""Hidden checks of ``diagnostics``: other sizes, padding, limits of rules, and what the public checks leave open."""

from __future__ import annotations

from autograder.assignments.diagnostics.hidden import effects, measures, rules
from autograder.assignments.diagnostics.programs import NORMS, PATHS
from autograder.assignments.kit.observed import watched

CHECKS = (*measures.CHECKS, *rules.CHECKS, *effects.CHECKS)
CHECKS = watched(
    CHECKS, "softmax", {"paths-constraint-hidden": [PATHS], "norms-constraint-hidden": [NORMS]}, traced=0.25
)
