"""Public checks of ``diagnostics``: measures of weights, links, rules, gradients by hand, and tests of an answer."""

from __future__ import annotations

from autograder.assignments.diagnostics import effects, measures, rules
from autograder.assignments.diagnostics.programs import NORMS, PATHS
from autograder.assignments.kit.observed import watched

CHECKS = (*measures.CHECKS, *rules.CHECKS, *effects.CHECKS)
CHECKS = watched(CHECKS, "softmax", {"paths-constraint": [PATHS], "norms-constraint": [NORMS]}, traced=0.25)
