"""Stand-ins take the place of given code for one program, and free results are compared by nobody."""

from __future__ import annotations

from msgspec.structs import replace

from autograder import protocol
from autograder.worker.loading import load, standing_in
from tests.small_suite_helpers import call, converse, program

WORK = "LIMIT = 3\ndef given(x):\n    return x + LIMIT\ndef f(x):\n    return given(x)\n"
STAND_INS = "import math as _math\n_twice = 2\ndef given(x):\n    return x * _twice\n"


def test_a_function_uses_the_stand_in_while_its_program_runs() -> None:
    asked = program(call("f", 5))
    assert converse(WORK, asked)["out"].value == protocol.Scalar(8)
    assert converse(WORK, replace(asked, stand_ins=STAND_INS))["out"].value == protocol.Scalar(10)


def test_everything_is_as_before_afterwards_and_the_end_is_called() -> None:
    namespace = {"given": 1, "kept": 2}
    calls: list[str] = []
    with standing_in("calls = []\ndef _end():\n    calls.append('ended')\n", heard := {"calls": calls}):
        calls = heard["calls"]
    assert calls == ["ended"]
    with standing_in("given = 5\nnew = 6\n_private = 7\n", namespace):
        assert (namespace["given"], namespace["new"]) == (5, 6)
        assert "_private" not in namespace
    assert namespace == {"given": 1, "kept": 2}


def test_without_a_source_nothing_changes() -> None:
    namespace = {"given": 1}
    with standing_in("", namespace):
        assert namespace == {"given": 1}


def loaded(text: str, right: protocol.RightParts) -> dict[str, object]:
    request = protocol.Load("", "work", "script", "work.py", (text.encode(),), 1.0, right)
    module, trouble, _ = load(request)
    assert trouble is None, trouble
    return vars(module)


def test_given_code_is_the_graders_whatever_the_file_says() -> None:
    starter = b"LIMIT = 10\nclass Model:\n    def size(self):\n        return LIMIT + part()\ndef part():\n    pass\n"
    work = "LIMIT = 3\nclass Model:\n    def size(self):\n        return 0\n    own = 1\ndef part():\n    return 5\n"
    found = loaded(work, protocol.RightParts(starter, (), ("part",), ("LIMIT", "Model")))
    assert found["LIMIT"] == 10
    model = found["Model"]
    assert callable(model)
    assert model().size() == 15  # the grader's class, with the submission's own part
    assert not hasattr(model, "own")


def test_given_code_that_was_deleted_is_there_again() -> None:
    found = loaded("def part():\n    return LIMIT\n", protocol.RightParts(b"LIMIT = 10\n", (), ("part",), ("LIMIT",)))
    part = found["part"]
    assert callable(part)
    assert part() == 10
