"""Whether a sentence's result depends on the other sentences of its batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from autograder import model, protocol
from autograder.feedback import axes
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.submission_records import CallGroup
from autograder.judge import same_answer
from autograder.protocol import wire

LEADING = "leading axis 1"  # the axis of sentences where a call takes any leading axes
MASK_AXES = 3


def mixed(group: CallGroup) -> bool:
    """Whether only batches of several sentences fail, and a wrong sentence is right as a batch of its own."""
    shown = [record for record in group.failing if record.wrong]
    plain = [record for record in shown if not record.extreme]
    if not plain or any(record.raised for record in group.failing) or not all(map(_several, shown)):
        return False
    return (all(map(_first_right, shown)) or _others_right(group, shown)) and _right_alone(group, plain)


def _others_right(group: CallGroup, shown: list[CaseRecord]) -> bool:
    """Whether similar cases of a single sentence pass, and hardly any of several."""
    like = {(record.masked, record.extreme) for record in shown}
    alone = [record for record in group.passing if _size(record) == 1 and not _short(record)]
    rare = sum(map(_several, group.passing)) <= len(shown) / 4  # by chance, for example where all scores are equal
    return rare and any((record.masked, record.extreme) in like for record in alone)


def _size(record: CaseRecord) -> int:
    """Return the number of sentences of the wrong calls; 0 where they have no axis of sentences."""
    return max(map(_sentences, record.axes), default=0)


def _sentences(lengths: Mapping[str, int]) -> int:
    """Return the number of sentences of a call, by the lengths of its axes."""
    return lengths.get("B", lengths.get(LEADING, 0))


def _several(record: CaseRecord) -> bool:
    return _size(record) > 1


def _short(record: CaseRecord) -> bool:
    """Whether sentences have one word, or a search ends after one word. Many mistakes do not show there."""
    asked = [arg for call in record.program.calls for arg in call.args]
    return record.longest <= 1 or any(type(arg) is int and arg == 1 for arg in asked)


def _first_right(record: CaseRecord) -> bool:
    """Whether the first sentence is right in every wrong value."""
    pairs = [(record.actual[key], record.expected[key]) for key in record.wrong if key.what == "value"]
    return bool(pairs) and all(
        actual.shape == expected.shape and actual.ndim > 1 and same_answer.same(actual[0], expected[0], record.dtype)
        for actual, expected in pairs
    )


def _right_alone(group: CallGroup, shown: list[CaseRecord]) -> bool:
    """Whether a wrong sentence is right in a batch of its own. True too where no case can be cut to one sentence."""
    cut = next((one for record in shown if (one := single_sentence(record))), None)
    return cut is None or all(record.right for record in group.submission.run(cut))


def single_sentence(record: CaseRecord) -> model.Prepared | None:
    """Return the values of the first wrong call, for its last wrong sentence only. None where it can't be cut so."""
    prepared = record.alone()
    calls = prepared.program.calls
    named = axes.CALLS.get(prepared.program.target(calls[0])) if len(calls) == 1 else None
    if named is None:
        return None
    size = _sentences(axes.lengths(calls[0], prepared.program))
    at = _last_wrong(record, calls[0].into, size)
    value = prepared.expected[calls[0].into].value
    if at is None or value is None:
        return None
    kept = slice(at, at + 1)
    cut = {name: wire.to_array(record.arrays[name][kept]) for name in _batched(record, calls[0], named, size)}
    call = msgspec.structs.replace(calls[0], wrt=(), modules=(), cotangents=(), echo=False)
    steps = tuple(call if step is calls[0] else step for step in prepared.program.steps)
    program = msgspec.structs.replace(prepared.program, steps=steps, arrays=prepared.program.arrays | cut)
    expected = protocol.StepResult(call.into, _cut(value, named.results, kept))
    others = tuple(result for result in prepared.expected_results if result.into != call.into)
    return model.Prepared(prepared.id, program, (*others, expected))


def _last_wrong(record: CaseRecord, into: str, size: int) -> int | None:
    """Return the last sentence with a wrong value."""
    wrong = [key for key in record.wrong if key.step == into and key.what == "value"]
    pairs = [(record.actual[key], record.expected[key]) for key in wrong]
    if any(actual.shape != expected.shape or actual.shape[:1] != (size,) for actual, expected in pairs):
        return None
    return next(
        (
            at
            for at in reversed(range(size))
            if any(not same_answer.same(actual[at], expected[at], record.dtype) for actual, expected in pairs)
        ),
        None,
    )


def _batched(record: CaseRecord, call: protocol.Call, named: model.CallAxes, size: int) -> set[str]:
    """Return the names of the arrays whose first axis is the batch's. A mask given by name is one if it has three
    axes or more: the sentences', the queries' and the keys'."""
    given = [(arg, _has_batch(axes_of)) for arg, axes_of in zip(call.args, named.arguments, strict=False)]
    given += [(arg, True) for arg in call.kwargs.values() if _axes(record, arg) >= MASK_AXES]
    refs = {arg.name for arg, batched in given if batched and isinstance(arg, protocol.Ref)}
    return {name for name in refs if name in record.arrays and record.arrays[name].shape[:1] == (size,)}


def _axes(record: CaseRecord, arg: object) -> int:
    return record.arrays[arg.name].ndim if isinstance(arg, protocol.Ref) and arg.name in record.arrays else 0


def _has_batch(named: str) -> bool:
    return named.split()[:1] == ["B"] or (named.startswith("... ") and named.count(" ") > 1)


def _cut(value: protocol.Value, named: Sequence[str], kept: slice) -> protocol.Value:
    """Return an expected value for some sentences only."""
    if isinstance(value, protocol.Sequence):
        items = zip(value.items, named, strict=True)
        return msgspec.structs.replace(value, items=tuple(_cut(item, (axes_of,), kept) for item, axes_of in items))
    if isinstance(value, protocol.Tensor) and _has_batch(named[0]):
        return msgspec.structs.replace(value, array=wire.to_array(wire.to_numpy(value.array)[kept]))
    return value
