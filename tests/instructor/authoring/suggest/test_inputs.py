"""What an argument may be, the likeliest first."""

from __future__ import annotations

import pytest

from autograder.instructor.authoring.suggest import inputs
from autograder.instructor.authoring.suggest.subjects import Argument

NOTHING_KNOWN = inputs.Known((), {}, {})


@pytest.mark.parametrize("annotation", ["float | Tensor", "Tensor | float"])
def test_what_may_be_a_number_or_an_array_is_a_number_first(annotation: str) -> None:
    lines = inputs.lines(Argument("rate", annotation=annotation), NOTHING_KNOWN)
    assert lines[0] == "0.3"
    assert '"B T"' in lines
    assert "0.3" not in inputs.lines(Argument("rate", annotation="Tensor"), NOTHING_KNOWN)


def test_a_share_is_no_half() -> None:
    """With a half, p and 1 - p are the same."""
    assert "0.5" not in inputs.lines(Argument("p", annotation="float"), NOTHING_KNOWN)
