"""Each pattern of what fails and what does not is seen where its cause makes it, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace

from autograder import protocol
from autograder.feedback.causes import CAUSES
from autograder.feedback.diagnose import patterns
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.protocol import wire
from tests.small_suite_helpers import answered, asked, call, gradients, record, softmax, submission_records

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 3, 4))
Y = np.tanh(X)
NAN = float("nan")
MISFIT = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"


def one(
    name: str,
    actual: Any,
    expected: Any = Y,
    what: str = "attend",
    dtype: str = "float64",
    further: Any = (),
    **how: Any,
) -> CaseRecord:
    """A case of one call of ``what``, with ``further`` arguments; ``how`` has inputs other than ``x``, and the call's
    options."""
    options = {key: how.pop(key) for key in ("outputs", "wrt", "cotangents", "echo") if key in how}
    arrays = {"x": X} | how
    case = asked(name, call(what, "x", *further, **options), {"out": expected}, dtype, **arrays)
    return record(case, {"out": actual})


def right(name: str = "right", expected: Any = Y, **how: Any) -> CaseRecord:
    return one(name, expected, expected, **how)


def mask_case(name: str, expected: Any) -> CaseRecord:
    """A case whose result is a mask, answered with one that is all True."""
    return one(name, np.ones_like(X, dtype=bool), expected)


def raised(kind: str = "RuntimeError", message: str = "", code: str = "", during: Any = "call") -> protocol.Raised:
    return protocol.Raised(kind, (kind, "Exception"), message, 3, code, during)


def twice(name: str, *actual: Any, later: Any = Y) -> CaseRecord:
    """A case in which the same is called twice. ``later`` is expected the second time."""
    steps = (call("attend", "x", into="out"), call("attend", "x", into="again"))
    case = asked(name, steps, {"out": Y, "again": later}, x=X)
    return record(case, dict(zip(("out", "again"), actual, strict=True)))


def both(name: str, longer: Any, alone: Any) -> CaseRecord:
    """A case in which the same is called on two sentences, and on the first of them alone."""
    steps = (call("attend", "x", into="longer"), call("attend", "y", into="alone"))
    case = asked(name, steps, {"longer": Y, "alone": Y[:1]}, x=X, y=X[:1])
    return record(case, {"longer": longer, "alone": alone})


def single(name: str, actual: Any) -> CaseRecord:
    return one(name, actual, Y[:1], x=X[:1])


def backward(name: str, actual: Any, value: Any = Y) -> CaseRecord:
    """A case in which a gradient was asked for."""
    how: Any = {"wrt": ("x",), "cotangents": ("x",)}
    return one(name, gradients("out", value, x=actual), gradients("out", Y, x=2 * X), **how)


def retold(case: CaseRecord, change: Callable[[protocol.StepResult], protocol.StepResult]) -> CaseRecord:
    """The case with each result of its answer changed."""
    assert case.answer
    return CaseRecord(case.prepared, replace(case.answer, results=tuple(map(change, case.answer.results))))


def backward_raises(value: np.ndarray) -> CaseRecord:
    """A case of one sentence with this result, whose backward pass raises."""
    return retold(single("one", value), lambda result: replace(result, raised=raised(during="backward")))


def echoing(name: str, after: np.ndarray) -> CaseRecord:
    expected, actual = (one(name, Y).prepared.expected_results[0] for _ in range(2))
    told = [
        protocol.StepResult("out", result.value, echoes={"x": wire.to_array(x)})
        for result, x in ((expected, X), (actual, after))
    ]
    return one(name, told[1], told[0], echo=True)


def pair(name: str, *actual: np.ndarray) -> CaseRecord:
    return one(name, actual, (Y, -Y), outputs=("context", "weights"))


def drawing(case: CaseRecord, *steps: str) -> CaseRecord:
    """The case, where these steps draw random numbers, by default all."""
    return retold(case, lambda result: replace(result, drew=not steps or result.into in steps))


def spoken(name: str, length: int, words: int) -> CaseRecord:
    """A case whose result is two sentences of this length, answered with this many words of each."""
    return one(name, np.full((2, words), 2), np.full((2, length), 5 + length))


class Row(NamedTuple):
    """What fails, what does not, and what the first call that went wrong showed when it was asked twice alone."""

    pattern: str
    what: str
    seen: bool
    failing: tuple[CaseRecord, ...]
    passing: tuple[CaseRecord, ...] = ()
    again: tuple[Any, ...] = ()
    own_backward: bool = False  # the file writes one by hand


GREAT = one("great", Y * NAN, x=1e4 * X)
LATER = np.concatenate([Y[:1], Y[1:] + 1])
NARROW = Y.astype("float32").astype("float64")
PARTLY = np.where(X > 0, 2 * X, 0.0)
FITS_NOT = one("raised", raised(message=MISFIT))
OFF = one("off", Y + 1)
BATCH: Any = {"what": "self_attention", "outputs": ("output", "weights")}
DUE = (Y, softmax(X @ X.swapaxes(1, 2)))
FIRST_RIGHT = (LATER, np.concatenate([DUE[1][:1], DUE[1][1:, ::-1]]))
NONE_RIGHT = (Y + 1, DUE[1][:, ::-1])
FIRST = (DUE[0][:1], DUE[1][:1])
LAST = (DUE[0][1:], DUE[1][1:])
ALONE = one("alone", FIRST, FIRST, x=X[:1], **BATCH)
AT_ONCE = one("at once", FIRST, FIRST, further=(1,), x=X[:1], **BATCH)
ROWS = [
    Row("softmax-unstable", "only great scores", True, (GREAT,), (right(),)),
    Row("softmax-unstable", "others too", False, (GREAT, OFF), (right(),)),
    Row("softmax-unstable", "there are no others", False, (GREAT,), (right(x=1e4 * X),)),
    Row("squeeze-drops-dim", "an axis is lost", True, (single("one", Y[0]),), (right(),)),
    Row("squeeze-drops-dim", "it raises", True, (single("one", raised()),), (right(),)),
    Row("squeeze-drops-dim", "it says so itself", False, (single("one", raised("AssertionError")),), (right(),)),
    Row("squeeze-drops-dim", "its own error", False, (single("one", raised(code="raise E")),), (right(),)),
    Row("squeeze-drops-dim", "a result too many", False, (single("one", (Y[:1], Y[:1])),), (right(),)),
    Row("squeeze-drops-dim", "only numbers", False, (single("one", Y[:1] + 1),), (right(),)),
    Row("squeeze-drops-dim", "the backward pass raises", False, (backward_raises(Y[:1] + 1),), (right(),)),
    Row("squeeze-drops-dim", "and an axis is lost", True, (backward_raises(Y[0]),), (right(),)),
    Row("squeeze-drops-dim", "longer ones fail", False, (single("one", Y[0]), one("b", Y[0])), (right(),)),
    Row("squeeze-drops-dim", "beside a longer one", True, (both("two", Y, Y[0]),), (right(),)),
    Row("squeeze-drops-dim", "the longer one beside it", False, (both("two", Y[0], Y[:1]),), (right(),)),
    Row("ignores-batch", "the first is right", True, (one("b", FIRST_RIGHT, DUE, **BATCH),), (), (LAST,)),
    Row("ignores-batch", "the last is wrong alone too", False, (one("b", FIRST_RIGHT, DUE, **BATCH),), (), (FIRST,)),
    Row("ignores-batch", "right alone", True, (one("b", NONE_RIGHT, DUE, **BATCH),), (ALONE,), (LAST,)),
    Row("ignores-batch", "right alone, and at once", False, (one("b", NONE_RIGHT, DUE, **BATCH),), (AT_ONCE,)),
    Row("ignores-batch", "all are wrong", False, (one("b", NONE_RIGHT, DUE, **BATCH),)),
    Row(
        "ignores-batch",
        "others are right",
        False,
        (one("b", NONE_RIGHT, DUE, **BATCH),),
        (ALONE, right(expected=DUE, **BATCH)),
    ),
    Row(
        "ignores-batch",
        "alone wrong too",
        False,
        (one("b", FIRST_RIGHT, DUE, **BATCH), one("a", (Y[:1] + 1, DUE[1][:1]), (Y[:1], DUE[1][:1]), x=X[:1], **BATCH)),
    ),
    Row("dtype-hardcoded", "single precision", True, (one("double", NARROW),)),
    Row(
        "dtype-hardcoded",
        "half precision",
        True,
        (one("float", Y.astype("float16").astype("float32"), dtype="float32"),),
    ),
    Row("dtype-hardcoded", "decimals", False, (one("double", np.round(Y, 5)),)),
    Row("dtype-hardcoded", "a factor", False, (one("double", Y * (1 + 1e-6)),)),
    Row("dtype-hardcoded", "something else", False, (one("double", NARROW), OFF)),
    Row("stateful", "the second call", True, (twice("two", Y, Y + 1),), (right(),), (Y + 1, Y + 1)),
    Row("stateful", "right when asked alone", True, (OFF,), (), (Y, Y)),
    Row("stateful", "equal calls differ, always so", True, (twice("two", Y + 1, Y + 2),), (), (Y + 1, Y + 1)),
    Row("stateful", "wrong when asked alone", False, (OFF,), (right(),), (Y + 1, Y + 1)),
    Row("stateful", "equal calls are equal", False, (twice("two", Y + 1, Y + 1),), (), (Y + 1, Y + 1)),
    Row("stateful", "a right call draws", True, (drawing(twice("two", Y, Y + 1), "out"),), (right(),), (Y, Y)),
    Row("stateful", "a wrong call draws", False, (drawing(twice("two", Y, Y + 1), "again"),), (right(),), (Y, Y)),
    Row("stateful", "they need not be equal", False, (twice("two", Y + 1, Y + 2, later=-Y),), (), (Y + 1, Y + 1)),
    Row("random-in-eval", "both are wrong and draw", True, (drawing(twice("two", Y + 1, Y + 2)),), (), (Y, Y)),
    Row("random-in-eval", "one is wrong and draws", True, (drawing(twice("two", Y, Y + 2)),), (), (Y, Y)),
    Row("random-in-eval", "they are equal", False, (drawing(twice("two", Y + 1, Y + 1)),), (), (Y, Y)),
    Row("random-in-eval", "need not be", False, (drawing(twice("two", Y + 1, Y + 2, later=-Y)),), (), (Y, Y)),
    Row("random-in-eval", "they do not draw", False, (twice("two", Y + 1, Y + 2),), (), (Y, Y)),
    Row("random-in-eval", "another answer each time", True, (OFF,), (), (Y + 2, Y + 3)),
    Row("random-in-eval", "the same each time", False, (OFF,), (), (Y + 2, Y + 2)),
    Row("random-in-eval", "right when asked again", False, (OFF,), (), (Y, Y)),
    Row("hardcoded-answer", "one result for all", True, (OFF, one("b", Y + 1, Y + 3))),
    Row("hardcoded-answer", "masks, by chance", False, (mask_case("a", X > 0), mask_case("b", X > 9))),
    Row("hardcoded-answer", "always these words", True, tuple(spoken(f"{n}", n, 3) for n in (1, 2, 3))),
    Row("hardcoded-answer", "words, cut short", False, tuple(spoken(f"{n}", n, 1) for n in (2, 3, 4))),
    Row(
        *("hardcoded-answer", "other words, cut short", False),
        (
            *(spoken(f"{n}", n, 3) for n in (1, 2, 3)),
            *(one(f"{n}", np.full((2, 1), n), np.full((2, n), 9)) for n in (4, 5)),
        ),
    ),
    Row("hardcoded-answer", "each its own", False, (OFF, one("b", Y + 2, Y + 3))),
    Row("hardcoded-answer", "the same was due", False, (OFF, one("b", Y + 1))),
    Row("silent-broadcast", "where sizes are equal", True, (FITS_NOT, OFF)),
    Row("silent-broadcast", "an axis more", True, (one("grown", np.ones((2, 2, 3, 4))),)),
    Row(
        *("silent-broadcast", "not in all that have one more", False),
        (one("grown", np.ones((2, 2, 3, 4))), one("wide", np.ones((2, 5, 3, 4)))),
    ),
    Row("silent-broadcast", "as long as its input", True, (FITS_NOT, both("two", Y, np.ones((1, 4, 3))))),
    Row("silent-broadcast", "as long as another's", False, (FITS_NOT, both("two", Y, np.ones((1, 2, 3))))),
    Row("silent-broadcast", "it only raises", False, (FITS_NOT,)),
    Row("silent-broadcast", "another error", False, (one("raised", raised(message="no such axis")), OFF)),
    Row("silent-broadcast", "only numbers", False, (OFF,)),
    Row("returns-swapped", "each is the other", True, (pair("two", -Y, Y),)),
    Row("returns-swapped", "one is the other", False, (pair("two", -Y, -Y),)),
    Row("returns-swapped", "not in all", False, (pair("two", -Y, Y), pair("more", Y + 1, -Y))),
    Row("detached-graph", "a part of a gradient", True, (backward("grad", PARTLY),)),
    Row("detached-graph", "another gradient", True, (backward("grad", X),)),
    Row("detached-graph", "it is made by hand", False, (backward("grad", X),), own_backward=True),
    Row("detached-graph", "a part of one by hand", True, (backward("grad", PARTLY),), own_backward=True),
    Row("detached-graph", "not finite", False, (backward("grad", PARTLY * NAN),)),
    Row("detached-graph", "values are wrong", False, (backward("grad", PARTLY, Y + 1),)),
    Row("modifies-input", "an input is changed", True, (echoing("echo", X + 1),)),
    Row("modifies-input", "it is as it was", False, (echoing("echo", X),)),
]


def told(row: Row) -> set[str]:
    """What the patterns say."""
    records = {one.prepared.id: one for one in (*row.failing, *row.passing)}
    assert len(records) == len(row.failing) + len(row.passing)
    again: Callable[[protocol.Program], Any] = lambda _: tuple(answered({"out": actual}) for actual in row.again)  # noqa: E731
    if not row.again:
        again = lambda _: (row.failing[-1].answer,) * 2  # noqa: E731
    failing = [one.prepared.id for one in row.failing]
    return patterns.causes(submission_records(records, failing, again, row.own_backward), failing)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.pattern}: {row.what}")
def test_a_pattern_is_seen_where_its_cause_makes_it(row: Row) -> None:
    assert (row.pattern in told(row)) == row.seen


def test_every_pattern_has_both_sorts_of_examples_and_is_a_cause() -> None:
    both = {p for p in patterns.PATTERNS if {row.seen for row in ROWS if row.pattern == p} == {True, False}}
    assert both == set(patterns.PATTERNS) <= set(CAUSES)


def test_what_has_no_values_is_not_asked_again() -> None:
    on_meta = asked("meta", call("attend", "x"), {"out": Y}, x=X)
    on_meta = replace(on_meta, program=on_meta.program.on("meta"))
    cases = {"off": OFF, "meta": record(on_meta, {"out": raised("RuntimeError")})}
    asked_again: list[protocol.Program] = []

    def again(program: protocol.Program) -> tuple[protocol.Answer, ...]:
        asked_again.append(program)
        return (answered({"out": Y}),) * 2

    assert "stateful" in patterns.causes(submission_records(cases, [*cases], again), [*cases])
    assert [program.device for program in asked_again] == ["cpu"]


def test_a_constructor_that_raises_is_no_call() -> None:
    steps = (protocol.Make("module", "Thing"), call("module", "x"))
    case = asked("case", steps, {"module": protocol.StepResult("module"), "out": Y}, x=X)
    wrong = record(case, {"module": raised("TypeError", during="make")})
    said = patterns.causes(
        submission_records({"case": wrong, "right": right()}, ["case"], lambda _: (None, None)), ["case"]
    )
    assert said == set()


def test_what_is_asked_again_is_the_call_that_went_wrong_and_what_it_needs() -> None:
    steps = (protocol.Make("module", "Thing"), call("module", "x", into="first"), call("module", "y", into="second"))
    expected = {"module": protocol.StepResult("module"), "first": Y, "second": Y}
    wrong = record(
        asked("case", steps, expected, x=X, y=X), {"module": protocol.StepResult("module"), "first": Y, "second": -Y}
    )
    programs: list[protocol.Program] = []

    def again(program: protocol.Program) -> tuple[protocol.Answer, ...]:
        programs.append(program)
        return (answered({"module": protocol.StepResult("module"), "second": Y}),) * 2

    everything = submission_records({"case": wrong}, ["case"], again)
    assert "stateful" in patterns.causes(everything, ["case"])
    assert [getattr(step, "into", "") for step in programs[0].steps] == ["module", "second"]
    assert len(programs) == 1  # however many patterns want to know
