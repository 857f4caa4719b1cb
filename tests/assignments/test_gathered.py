"""Tables of all assignments together, and a course whose assignment has the name of something in the package."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autograder import assignments
from autograder.assignments import places
from tests.paths import ROOT

COURSE = ROOT / "examples" / "course"
# kmeans has a cause that bottleneck has too, in other words.
WORDS = """
from autograder import assignments
from autograder.feedback import causes
for name in ("kmeans", "bottleneck", "luong"):
    print(causes.of(name)["sum-not-mean"].sentence)
"""


def test_an_assignment_says_its_own_words_of_a_cause_that_another_one_has_too() -> None:
    environment = os.environ | {"ATTNGRADE_COURSE": str(COURSE), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WORDS]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == [
        "The points of a center are added up, but not divided by their number.",
        *["The weights are 1, but they should add up to 1."] * 2,
    ]


def test_what_two_assignments_say_otherwise_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {"one": {"f": 1, "g": 2}, "two": {"f": 1, "g": 3, "h": 4}, "three": {"g": 2}}
    parts = {name: SimpleNamespace(CALLS=table) for name, table in tables.items()}
    monkeypatch.setattr(assignments, "_has", lambda name, part: True)
    monkeypatch.setattr(assignments, "_part", lambda name, part: parts[name])
    assert assignments.gathered("axes", "CALLS", tables) == {"f": 1, "h": 4}
    assert assignments.gathered("axes", "CALLS", ["one"]) == {"f": 1, "g": 2}


@pytest.mark.parametrize(
    ("part", "name"),
    [("causes", "CAUSES"), *(("axes", one) for one in ("CALLS", "MADE_WITH"))]
    + [("signs", one) for one in ("RESULTS", "SCORES", "WINDOWS")],
)
def test_assignments_of_the_package_agree(part: str, name: str) -> None:
    own = [assignments.declared(one, part, name, {}) for one in places.own()]
    assert assignments.gathered(part, name, places.own()).keys() == {key for table in own for key in table}
