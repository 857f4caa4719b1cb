"""What ``author suggest`` proposes for our own assignments, from their solutions and references alone."""

from __future__ import annotations

import pytest

from autograder.cli.suggesting import suggested
from autograder.runs import pool

KILLED = 0.9  # more is measured: docs/figures.md


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ["bahdanau", pytest.param("luong", marks=pytest.mark.nightly)])
def test_proposed_checks_catch_mutants(assignment: str) -> None:
    found = suggested(assignment, (), "seed of a test", pool.cores())
    assert not found.missing
    assert found.mutants > 50
    assert found.share >= KILLED, [one.name for one in found.survived]
