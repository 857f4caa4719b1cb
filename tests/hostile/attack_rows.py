"""What a second attack found, as the work of two classes: each row of its table is one or more submissions.

R1 to R11 are programs. R12 and R13 are folders and names: see ``test_rows_of_folders.py``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import NamedTuple

from autograder.grading import suite
from tests.grading import known_answers
from tests.grading.test_redrawn import SIGNATURES
from tests.hostile import test_timing_platforms as timed
from tests.hostile.attacks import declared, solution
from tests.paths import ROOT

FORBIDDEN = ROOT / "tests" / "hostile" / "submissions" / "forbidden.toml"
SPEED = ("attention-speed",)
SOFTMAX = ("softmax-constraint", "softmax-constraint-hidden")
VJP = ("vjp-constraint", "vjp-constraint-hidden")


class Work(NamedTuple):
    """What one student hands in, and what may come of it. ``row`` is empty for honest work."""

    row: str
    data: bytes
    most: float  # points
    lost: tuple[str, ...] = ()  # checks that must not be passed


Class = Mapping[str, Work]  # by student


def honest(assignment: str) -> Class:
    """The first and the last of a class. Their files differ, so that each is graded."""
    text = solution(assignment)
    return {"aa_honest": Work("", text.encode(), 100), "zz_honest": Work("", f"{text}\n# in time\n".encode(), 100)}


def hostile(assignment: str) -> Class:
    """One student for each way in which a row was tried."""
    return {"masking": masking, "bahdanau": bahdanau}[assignment]()


def masking() -> Class:
    """What is asked in many small questions."""
    table = known_answers.submission(suite.public("masking"), SIGNATURES)
    return {
        **attack("R1", "read_through_late_public_case"),
        **attack("R2", "read_through_dtypes"),
        **attack("R2", "read_through_line_numbers"),
        **attack("R2", "read_through_exception_types"),
        **attack("R3", "forge_sparse_gradients"),
        "table_of_answers": Work("R4", table.encode(), 0),
        **attack("R7", "resource_full_answers"),
        **attack("R7", "resource_nested_answers"),
    }


def bahdanau() -> Class:
    """What has constraints and a clock."""
    return {
        **attack("R2", "read_through_operator_names", SOFTMAX[1:]),  # it reads hidden inputs only
        **attack("R3", "resource_deep_sum", SOFTMAX),
        **cheat("R5", "hang_up_and_sleep"),
        **attack("R6", "resource_long_sums", SOFTMAX),
        **cheat("R8", "sleep_forever"),
        **cheat("R8", "sleep_and_hang_up"),
        **trick("R9", "ahead-of-the-call-while-its-name-is-resolved", SOFTMAX),
        **attack("R10", "forge_long_names", SOFTMAX),
        **trick("R11", "encoding-escapes", VJP),
        **trick("R11", "encoding-takes-a-backslash", VJP),
    }


def attack(row: str, name: str, lost: tuple[str, ...] = ()) -> Class:
    """One of ``attacks.toml``, whose points are those of a run without timing."""
    (one,) = (one for one in declared() if one.name == name)
    return {name: Work(row, one.source({}).encode(), 99 if lost else one.most, lost)}


def cheat(row: str, name: str) -> Class:
    return {name: Work(row, timed.sources()[name].encode(), 100 - timed.SPEED.points, SPEED)}


def trick(row: str, name: str, lost: tuple[str, ...]) -> Class:
    tricks = tomllib.loads(FORBIDDEN.read_text(encoding="utf-8"))["trick"]
    (one,) = (one for one in tricks if one["name"] == name)
    text = f"{one.get('first', '')}{solution(one['assignment'])}\n\n{one['code']}"
    most = 0 if one.get("status") == "import-error" else 99
    return {name.replace("-", "_"): Work(row, text.encode(one.get("encoding", "utf-8")), most, lost)}
