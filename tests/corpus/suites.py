"""One check suite for each assignment, which the tests of the corpus share."""

from __future__ import annotations

import tomllib
from functools import cache

import pytest
from _pytest.mark import ParameterSet

from autograder import assignments, protocol
from autograder.grading import suite
from tests.paths import ROOT

CORPUS = ROOT / "tests" / "assignments"
SEED = "audit"  # of all tests: a suite is computed once, and kept for the next run
DEAR, DEAREST = 0.3, 5.0  # CPU seconds that one submission may cost


def cost(assignment: str) -> float:
    """Return what grading one submission may cost, in CPU seconds."""
    return float(tomllib.loads((CORPUS / assignment / "bench.toml").read_text(encoding="utf-8"))["cpu_seconds"])


def _by_night(least: float) -> list[ParameterSet]:
    """Return all assignments; those that cost ``least`` or more are for `make nightly` only."""
    return [pytest.param(name, marks=pytest.mark.nightly if cost(name) >= least else ()) for name in assignments.NAMES]


def _first(
    count: int, later: pytest.MarkDecorator = pytest.mark.thorough, least: float = DEAREST
) -> list[ParameterSet]:
    """Return the first assignments as they are, and all others for ``later``. Those that cost ``least`` are nightly."""
    every = _by_night(least)
    return [*every[:count], *(one._replace(marks=one.marks or (later,)) for one in every[count:])]


ALL = _by_night(DEAREST)
NOT_DEAR = _by_night(DEAR)
SOME = _first(2)  # for what takes long
FIRST = _first(1, least=DEAR)  # for what takes a minute and more with dear assignments
# For what takes a minute and more with each, and tests what all assignments share:
ONE_BY_DAY = _first(1, pytest.mark.nightly)
OTHER_SEEDS = ("1",)  # of `make thorough`
MORE_SEEDS = ("5 five", "two", "drei", "cuatro")  # of `make nightly`


@cache
def drawn(assignment: str, seed: str = SEED, device: protocol.Device = "cpu") -> suite.CheckSuite:
    """Return an assignment's check suite without timing."""
    return suite.full(assignment, seed, timing=False, device=device)
