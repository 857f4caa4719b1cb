"""One check suite for each assignment, which the tests of the corpus share."""

from __future__ import annotations

from functools import cache

import pytest

from autograder import assignments
from autograder.grading import suite
from tests.paths import ROOT

CORPUS = ROOT / "tests" / "assignments"
SEED = "audit"  # of all tests: a suite is computed once, and kept for the next run
# For what takes long: two assignments each day, the others in `make thorough`.
SOME = [*assignments.NAMES[:2], *(pytest.param(name, marks=pytest.mark.thorough) for name in assignments.NAMES[2:])]
# For what takes a minute and more with each: the last and dearest assignment in `make nightly` only.
LAST_BY_NIGHT = [*assignments.NAMES[:-1], pytest.param(assignments.NAMES[-1], marks=pytest.mark.nightly)]
FIRST = [assignments.NAMES[0], *(pytest.param(name, marks=pytest.mark.thorough) for name in assignments.NAMES[1:])]
OTHER_SEEDS = ("1", "5 five")  # of `make thorough`
MORE_SEEDS = ("two", "drei", "cuatro")  # of `make nightly`


@cache
def drawn(assignment: str, seed: str = SEED) -> suite.CheckSuite:
    """Return an assignment's check suite without timing."""
    return suite.full(assignment, seed, timing=False)
