"""What ran while a function of the submission did, as the worker's recorders saw it."""

from __future__ import annotations

from autograder import model
from autograder.judge import source
from autograder.judge.source import contains
from autograder.judge.view import Unmet, View, nothing_failed_before

# What nobody calls who does not want the record to be false; and what the worker says of a record with a gap.
MEDDLING = [
    "setprofile", "getprofile", "profiler_legacy", "profiler_enabled", "enable_record_function", "_clear_callbacks",
    "recording::interrupted",
]  # fmt: skip
LOOKING = ("aten::detach",)  # what the worker itself does, to read a result
CHANGED = "recording::changed"


def untouched(
    view: View,
    of: str,
    words: list[str],
    allowed: list[str] | None = None,
    later: list[str] | None = None,
    by: list[str] | None = None,
) -> None:
    """Nothing whose name contains one of ``words`` ran while the function did, nor one of ``later`` while gradients
    were taken through it. With ``by``: in every traced call of these names; else in step ``of``.

    A call that raised has shown nothing, which other holds tell. Of one with a result there must be a record, from its
    first moment to its last: where it is missing, nothing is known, and so the property is not met.
    """
    calls = [call.into for call in view.program.calls_of(by) if call.looked_at] if by else [of]
    if not calls:
        raise Unmet("no-operations", of)
    for into in calls:
        seen = view.came[into]
        if seen.raised and seen.raised.during != "backward":
            if not by:
                nothing_failed_before(view, into, "untouched")
            continue
        step = view.steps[into]
        if not _evidence(seen.operations, isinstance(step, model.Call) and step.trace):
            raise Unmet("no-operations", into)
        for names, wanted in ((seen.operations, words), (seen.later, later or [])):
            for name in sorted(
                names, key=lambda name: (name.startswith("aten::_"), name)
            ):  # the plainest first
                if contains(name, wanted) and name not in (allowed or ()):
                    raise Unmet("forbidden-call", into, operation=name, where=_where(view, into, wanted))
        for name in (*seen.operations, *seen.later):
            if contains(name, MEDDLING):
                raise Unmet("recording-stopped", into, operation=name)
        if CHANGED in seen.operations:
            raise Unmet("changed-later", into)
        place = source.meddling(view.cells)
        if place:
            raise Unmet("recording-stopped", into, operation=str(place))


def _where(view: View, into: str, words: list[str]) -> str:
    """Where the source says what was seen; not everything that is called is named there."""
    step = view.steps[into]
    root = getattr(step, "name", "").split(".")[0]
    made = view.steps.get(root)
    place = source.clue(view.cells, made.name if isinstance(made, model.Make) else root, words)
    return f" In the source it may be {place}." if place else ""


def _evidence(names: tuple[str, ...], traced: bool) -> bool:
    """Whether there is a record. Where all operators were asked for, there are some: every result is made by one."""
    return any(name.startswith("aten::") and name not in LOOKING for name in names) if traced else bool(names)
