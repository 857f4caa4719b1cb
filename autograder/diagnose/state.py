"""Whether calls leave something behind, or answer differently each time."""

from __future__ import annotations

from collections.abc import Iterable

from autograder import evidence, model
from autograder.diagnose.record import Record
from autograder.diagnose.whole import Group
from autograder.evidence import Key


def stateful(group: Group) -> bool:
    """Single calls go well, and of several the later ones do not; or what fails is right when it is asked alone in a
    new process; or equal calls differ, in the same way each time."""
    shown = [record for record in group.failing if record.wrong or record.raised]
    if not shown:
        return False
    if all(map(_first_went_well, shown)) and any(alone(record) for record in group.passing):
        return True
    first, *others = group.whole.again(shown[-1])
    later = {one.right for one in others}
    chance = first.drew and not all(map(others[0].agrees, others[1:]))
    return (first.right and len(later) == 1 and not chance) or (
        any(map(_unequal, shown)) and all(map(first.agrees, others))
    )


def _first_went_well(record: Record) -> bool:
    """Whether the first call was right, and a later one of the same thing, like one that went well, is not."""
    calls = _calls(record)
    wrong = ({key.step for key in record.wrong} | record.raised.keys()) & set(calls)
    well = {_likeness(record, step) for step in calls if step not in wrong}
    return bool(wrong) and calls[0] not in wrong and any(_likeness(record, step) in well for step in wrong)


def _likeness(record: Record, into: str) -> object:
    """What a call is like, numbers apart."""
    step = record.program.named[into]
    assert isinstance(step, model.Call)
    shapes = [
        record.arrays[arg.name].shape
        if isinstance(arg, model.Ref) and arg.name in record.arrays
        else repr(arg)
        for arg in step.args
    ]
    return repr((step.name, shapes, step.kwargs, step.layout))


def alone(record: Record) -> bool:
    """Whether it is a single, ordinary call."""
    return len(_calls(record)) == 1 and not record.extreme


def random(group: Group) -> bool:
    """Asked again and again, it answers differently: it draws random numbers, or is wrong from the first."""
    shown = [record for record in group.failing if record.wrong]
    if not shown or any(record.raised for record in group.failing):
        return False
    one, *others = group.whole.again(shown[-1])
    return not all(map(one.agrees, others)) and (one.drew or bool(one.wrong))


def _unequal(record: Record) -> bool:
    """Whether equal calls in one program differ, and both are wrong."""
    pairs = [
        (Key(first, "value", name), Key(later, "value", name))
        for first, later, names in _equal_calls(record)
        for name in names
    ]
    return any(
        one in record.wrong
        and other in record.wrong
        and not evidence.same(record.came[one], record.came[other], record.dtype)
        for one, other in pairs
    )


def _calls(record: Record) -> list[str]:
    return [call.into for call in record.program.calls]


def _equal_calls(record: Record) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Pairs of calls with one and the same arguments."""
    seen: dict[object, model.Call] = {}
    for call in record.program.calls:
        what = repr((call.name, call.args, call.kwargs))
        if what in seen:
            yield seen[what].into, call.into, call.outputs
        seen.setdefault(what, call)
