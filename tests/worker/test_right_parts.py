"""Right parts in place of a submission's own, while it runs."""

from __future__ import annotations

from typing import Any

import pytest

from autograder import protocol
from autograder.worker.loading import load

RIGHT = b"""
def helper():
    return "right"

def first():
    return helper()

def second():
    return "second of the solution, with " + first()

class Layer:
    def __init__(self, width):
        self.width = width

    def score(self):
        return "right"
"""


def loaded(source: str, *names: str, kind: Any = "script") -> dict[str, Any]:
    right = protocol.RightParts(RIGHT, names, tuple({"first", "second", "Layer"} - set(names)))
    cells = tuple(part.encode() for part in source.split("# %%"))
    module, raised, errors = load(protocol.Load("", "module", kind, "work.py", cells, 5.0, right))
    assert raised is None
    assert not errors
    return vars(module)


@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_a_part_is_replaced_also_where_it_was_kept_under_another_name(kind: str) -> None:
    text = "def first():\n    return 'wrong'\n# %%\nalias = first\n\ndef user():\n    return first(), alias()\n"
    source = text if kind == "notebook" else text.replace("# %%", "")
    assert loaded(source, "first", kind=kind)["user"]() == ("right", "right")


def test_helpers_of_the_solution_and_of_the_submission_do_not_meet() -> None:
    found = loaded(
        "def helper():\n    return 'own'\n\ndef first():\n    return 0\n\ndef user():\n    return helper()", "first"
    )
    assert (found["first"](), found["user"]()) == ("right", "own")


def test_right_parts_use_the_parts_that_stay_the_submissions_own() -> None:
    found = loaded("def first():\n    return 'own'\n\ndef second():\n    return 'wrong'\n", "second")
    assert found["second"]() == "second of the solution, with own"


def test_a_right_part_cannot_use_a_part_that_the_submission_lacks() -> None:
    with pytest.raises(NameError, match="first"):
        loaded("def second():\n    return 'wrong'\n", "second")["second"]()


def test_a_right_class_has_what_the_submission_added_to_its_own() -> None:
    own = """
class Layer:
    def __init__(self, width):
        self.width, self.twice = 0, 2 * width

    def score(self):
        return "wrong"

    def added(self):
        return self.width + self.twice
"""
    layer = loaded(own, "Layer")["Layer"](3)
    assert (layer.score(), layer.width, layer.added()) == ("right", 3, 9)


def test_a_constructor_that_raises_does_not_matter() -> None:
    own = "class Layer:\n    def __init__(self, width):\n        raise ValueError\n"
    assert loaded(own, "Layer")["Layer"](3).score() == "right"


def test_without_right_parts_nothing_is_replaced() -> None:
    module, raised, _ = load(protocol.Load("", "module", "script", "work.py", (b"def first():\n    return 1\n",), 5.0))
    assert raised is None
    assert module.first() == 1
