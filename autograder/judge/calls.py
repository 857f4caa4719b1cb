"""The assertions about operations that ran in a call, and about its memory, as the worker recorded them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder import protocol
from autograder.judge import source
from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.registry import assertion
from autograder.judge.source import contains

# Only code that falsifies the record calls these. The last name marks a record with a gap.
TAMPERING = [
    "setprofile",
    "getprofile",
    "profiler_legacy",
    "profiler_enabled",
    "enable_record_function",
    "_clear_callbacks",
    "recording::interrupted",
]
READING = ("aten::detach",)  # the worker itself runs this to read a result
CHANGED = "recording::changed"
MEGABYTE = 10**6
IMPORTS = 150.0  # megabytes: earlier calls leave up to a hundred, and so does loading torch.func.vmap


@assertion
def untouched(
    case: Comparison,
    step: str,
    words: Sequence[str],
    allowed: Sequence[str] = (),
    later: Sequence[str] = (),
    by: Sequence[str] = (),
) -> None:
    """No operation whose name contains one of ``words`` ran in the call, and none of ``later`` in its backward pass.

    Operations in ``allowed`` are exempt. With ``by``, all observed calls of these names count; otherwise ``step``.
    A call that raised is left to other assertions. A call with a result needs a complete record. Without one,
    nothing is known and the assertion fails.
    """
    calls = [call.into for call in case.program.calls_of(by) if call.is_observed] if by else [step]
    if not calls:
        raise AssertionFailed("no-operations", step)
    for into in calls:
        result = case.actual[into]
        if not result.raised or result.raised.during == "backward":
            _require_record(case, into, result)
            if found := next(_forbidden(result, words, later, allowed), None):
                name, wanted = found
                word = next(word for word in wanted if contains(name, [word]))
                where = _where(case, into, wanted)
                raise AssertionFailed("forbidden-call", into, operation=name, word=word, where=where)
            _require_untampered(case, into, result)
        elif not by:
            case.raise_earlier_failure(into, "untouched")


@assertion
def fits(case: Comparison, step: str, megabytes: float, beside: str = "") -> None:
    """The worker's peak memory after the call is at most so far above that before the submission ran.

    What it was after a small call, ``beside``, is not held against it, up to IMPORTS: the first use of some parts of
    torch loads them. Where a system does not tell the peak, nothing is known and nothing is held against the call.
    """
    if case.actual[step].value is None:
        raise AssertionFailed("unreadable-answer", step, why="there is no result")
    grown, already = case.actual[step].grown, case.actual[beside].grown if beside else 0
    if grown is None or already is None:
        return
    needed = (grown - min(already, IMPORTS * MEGABYTE)) / MEGABYTE
    if needed > megabytes:
        raise AssertionFailed("too-much-memory", step, limit=megabytes, needed=needed)


def _require_record(case: Comparison, into: str, result: protocol.StepResult) -> None:
    """Raise AssertionFailed without a record. A traced call records every operation, and any result needs one."""
    call, names = case.steps[into], result.operations
    if isinstance(call, protocol.Call) and call.trace:
        names = tuple(name for name in names if name.startswith("aten::") and name not in READING)
    if not names:
        raise AssertionFailed("no-operations", into)


def _forbidden(
    result: protocol.StepResult, words: Sequence[str], later: Sequence[str], allowed: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield forbidden operations with the words they match. Public names come before internal ones (``aten::_``)."""
    for names, wanted in ((result.operations, words), (result.later, later)):
        for name in sorted(names, key=lambda name: (name.startswith("aten::_"), name)):
            if contains(name, wanted) and name not in allowed:
                yield name, wanted


def _require_untampered(case: Comparison, into: str, result: protocol.StepResult) -> None:
    """Raise AssertionFailed if the submission interferes with the recorders."""
    for name in (*result.operations, *result.later):
        if contains(name, TAMPERING):
            raise AssertionFailed("recording-stopped", into, operation=name)
    if CHANGED in result.operations:
        raise AssertionFailed("changed-later", into)
    if case.work and (place := source.read(case.work).tampering):
        raise AssertionFailed("recording-stopped", into, operation=str(place))


def _where(case: Comparison, into: str, words: Sequence[str]) -> str:
    """Return a sentence with the likely place in the source, or "": not every call is named there."""
    name = getattr(case.steps[into], "name", "").split(".")[0]
    made = case.steps.get(name)
    start = made.name if isinstance(made, protocol.Make) else name
    place = source.read(case.work).find_use(start, words) if case.work else None
    return f" In the source it may be {place}." if place else ""
