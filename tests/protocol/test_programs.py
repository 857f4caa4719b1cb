"""What a program says about itself."""

from __future__ import annotations

import pytest

from autograder import protocol
from tests.small_suite_helpers import call, program

MAKE = protocol.Make("attention", "Attention", [3])
LOOK = protocol.Inspect("seen", "Attention.forward")
OBSERVED = call("attention", "x", watch="attention")


@pytest.mark.parametrize(
    ("steps", "recorded", "whole"),
    [
        ([call("f", "x")], set(), False),
        ([call("f", "x", trace=True)], {"f"}, True),
        ([protocol.Inspect("seen", "f"), call("f", "x", watch="softmax")], {"f"}, True),
        ([MAKE, OBSERVED], {"attention", "Attention"}, True),
        ([LOOK, MAKE, OBSERVED], {"attention", "Attention"}, True),
        ([MAKE, call("attention.score", "x", watch="attention")], {"attention", "Attention"}, True),
        ([MAKE, OBSERVED, call("attention", "x", into="again")], {"attention", "Attention"}, False),
        ([MAKE, call("f", "x", watch="softmax")], {"f"}, False),
        ([MAKE, OBSERVED, protocol.State("state", "attention")], {"attention", "Attention"}, False),
    ],
)
def test_what_is_recorded(steps: list[protocol.Step], recorded: set[str], whole: bool) -> None:
    asked = program(*steps)
    assert (asked.recorded, asked.is_recorded) == (recorded, whole)
