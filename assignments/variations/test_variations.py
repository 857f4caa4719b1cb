"""The public checks of this assignment, one test each: run ``pytest`` in this folder."""

import pathlib

import pytest
from autograder.integrations.pytest_checks import public_checks, run_public_check

ASSIGNMENT = "variations"
HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("check_id", public_checks(ASSIGNMENT))
def test_public_check(check_id, request):
    run_public_check(HERE, ASSIGNMENT, check_id, request.node)
