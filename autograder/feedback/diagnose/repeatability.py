"""Whether a call's answer depends on earlier calls, or on chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from autograder import protocol
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.submission_records import CallGroup
from autograder.judge import same_answer
from autograder.judge.result_tables import Key


def stateful(group: CallGroup) -> bool:
    """Whether calls leave a state behind. There are four ways to show it: only later calls of several are wrong; only
    the gradient through an earlier call is; the failing call is right alone in a new process; or equal calls differ, in
    the same way each time. Where a wrong call draws random numbers, chance may explain all of them."""
    shown = [record for record in _quick(group) if record.answer and (record.wrong or record.raised)]
    if not shown or any(map(_drew, shown)):
        return False
    if all(map(_first_went_well, shown)) and any(alone(record) for record in group.passing):
        return True
    if all(map(_wrong_through_earlier, shown)) and any(map(_has_gradient_alone, group.passing)):
        return True
    first, *others = group.submission.rerun(shown[-1])
    later = {one.right for one in others}
    return (first.right and len(later) == 1) or (any(map(_unequal, shown)) and all(map(first.agrees, others)))


def _quick(group: CallGroup) -> list[CaseRecord]:
    """Return the failing cases that can be run again: training once more takes too long, and may draw what it likes.
    On ``meta`` there are no values to compare."""
    cases = [record for record in group.failing if not record.program.is_experiment]
    return [record for record in cases if record.program.device != "meta"]


def _wrong_steps(record: CaseRecord) -> set[str]:
    return {key.step for key in record.wrong} | record.raised.keys()


def _drew(record: CaseRecord) -> bool:
    """Whether a wrong call drew random numbers."""
    return bool(record.drawing & _wrong_steps(record))


def _first_went_well(record: CaseRecord) -> bool:
    """Whether the first call is right, and a later call with equal shapes is wrong."""
    calls = _calls(record)
    wrong = _wrong_steps(record) & set(calls)
    well = {_likeness(record, step) for step in calls if step not in wrong}
    return bool(wrong) and calls[0] not in wrong and any(_likeness(record, step) in well for step in wrong)


def _wrong_through_earlier(record: CaseRecord) -> bool:
    """Whether only the gradients of a call are wrong that takes a result of an earlier call of the same: the backward
    pass of the earlier one may use what the later one left."""
    calls = {call.into: call for call in record.program.calls}
    wrong = [calls.get(key.step) for key in record.all_wrong if key.what == "gradient"]
    return len(wrong) == len(record.all_wrong) > 0 and all(
        call and any(ref.name in calls and calls[ref.name].name == call.name for ref in call.refs) for call in wrong
    )


def _has_gradient_alone(record: CaseRecord) -> bool:
    """Whether the case is a single call with a gradient."""
    return alone(record) and any(key.what == "gradient" for key in record.actual)


def _likeness(record: CaseRecord, into: str) -> object:
    """Return what a call has in common with others like it: all but the numbers."""
    step = record.program.named[into]
    assert isinstance(step, protocol.Call)
    shapes = [
        record.arrays[arg.name].shape if isinstance(arg, protocol.Ref) and arg.name in record.arrays else repr(arg)
        for arg in step.args
    ]
    return repr((step.name, shapes, step.kwargs, step.layout))


def alone(record: CaseRecord) -> bool:
    """Whether the case is a single call with ordinary numbers."""
    return len(_calls(record)) == 1 and not record.extreme


def random(group: CallGroup) -> bool:
    """Whether repeated calls answer differently, and the call draws random numbers or is wrong from the start. What it
    draws may hardly ever change an answer, so equal calls of one program count too: one of them is wrong."""
    shown = [record for record in _quick(group) if record.answer and record.wrong]
    if not shown or any(record.raised for record in group.failing):
        return False
    one, *others = group.submission.rerun(shown[-1])
    if not all(map(one.agrees, others)):
        return bool(one.drawing or one.wrong)
    return any(_drew(record) and any(_unequal_results(record)) for record in shown)


def _unequal(record: CaseRecord) -> bool:
    """Whether equal calls in one program differ, and both are wrong."""
    return any(one in record.wrong and other in record.wrong for one, other in _unequal_results(record))


def _unequal_results(record: CaseRecord) -> Iterator[tuple[Key, Key]]:
    """Yield results of equal calls in one program that differ, but must not: two steps of a training may."""

    def same(arrays: Mapping[Key, np.ndarray], one: Key, other: Key) -> bool:
        return {one, other} <= arrays.keys() and same_answer.same(arrays[one], arrays[other], record.dtype)

    for first, later, names in _equal_calls(record):
        for one, other in ((Key(first, "value", name), Key(later, "value", name)) for name in names):
            shown = {one, other} <= record.actual.keys()
            if shown and same(record.expected, one, other) and not same(record.actual, one, other):
                yield one, other


def _calls(record: CaseRecord) -> list[str]:
    return [call.into for call in record.program.calls]


def _equal_calls(record: CaseRecord) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Yield pairs of calls with the same arguments, and their outputs."""
    seen: dict[object, protocol.Call] = {}
    for call in record.program.calls:
        what = repr((call.name, call.args, call.kwargs))
        if what in seen:
            yield seen[what].into, call.into, call.outputs
        seen.setdefault(what, call)
