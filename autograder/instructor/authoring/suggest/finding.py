"""Finds arguments with which the reference works: from what the docstrings say, then by trying."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from autograder.assignments.kit.inputs import names_in
from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft, axes_in, quoted
from autograder.instructor.authoring.suggest.trying import Bench, Refused, Tried

Draft = TypeVar("Draft", CallDraft, ModuleDraft)
Found = TypeVar("Found")
Rewrite = tuple[str, str]  # an axis, and another name for it, or a rule for its size
EVEN = "size(multiple_of=2)"
Changed = tuple[Draft, tuple[Rewrite, ...]]
COMBINATIONS, CHANGED, TWICE = 40, 3, 100  # how many are tried: as they are, with one change, with two
TWICE_A_SIZE = re.compile(r'constant\("@2\*(\w+)"\)')
SIZE = re.compile(r'constant\("@([^"]+)"\)')


def found(
    bench: Bench, draft: CallDraft, choices: Mapping[str, Sequence[str]], changes: bool = True
) -> tuple[Tried, tuple[Rewrite, ...]]:
    """Return a call that works, and what had to be changed about its axes. ``choices``: what each argument may be.

    Raises Refused with the reason for the likeliest arguments.
    """
    drafts = [draft.giving(**one) for one in _combinations(choices)]
    tried, rewrites = _first(bench, bench.tried, drafts, changes)
    return _with_rules(bench, _with_numbers(bench, tried, choices)), rewrites


def made(bench: Bench, draft: ModuleDraft) -> tuple[ModuleDraft, tuple[Rewrite, ...]]:
    """Return a class's draft with its weights, and what had to be changed about its axes. Raises Refused."""
    return _first(bench, bench.made, [draft], True)


def _combinations(choices: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Return arguments, the likeliest first."""
    ranks = [range(len(lines)) for lines in choices.values()]
    near = itertools.takewhile(lambda total: total <= max(map(len, ranks), default=0) + 2, itertools.count())
    ordered = (rank for total in near for rank in _summing(ranks, total))
    some = itertools.islice(ordered, COMBINATIONS)
    return [{name: lines[at] for (name, lines), at in zip(choices.items(), rank, strict=True)} for rank in some]


def _summing(ranges: Sequence[range], total: int) -> Iterator[tuple[int, ...]]:
    """Yield the choices whose ranks add up to a number."""
    if not ranges:
        if total == 0:
            yield ()
        return
    for first in ranges[0]:
        if first <= total:
            yield from ((first, *rest) for rest in _summing(ranges[1:], total - first))


def _first(
    bench: Bench, attempt: Callable[[Draft, bool], Found], drafts: Sequence[Draft], changes: bool
) -> tuple[Found, tuple[Rewrite, ...]]:
    """Return what the first draft gives that works. Raises Refused with the first reason."""
    reason: Refused | None = None
    for draft, rewrites, strict in _ways(drafts, drafts[:CHANGED] if changes else ()):
        try:
            return attempt(draft, strict), rewrites
        except Refused as refused:
            reason = reason or refused
            if draft is drafts[0]:
                bench.note(draft, refused)
    raise reason or Refused("", "there is nothing to try")


def _ways(drafts: Sequence[Draft], few: Sequence[Draft]) -> Iterator[tuple[Draft, tuple[Rewrite, ...], bool]]:
    """Yield drafts as they are, a few of them with changed axes, and then both with fewer tables of sizes."""
    for draft in drafts:
        yield draft, (), True
    for draft in few:
        for changed, rewrites in _changed(draft, _rewrites):
            yield changed, rewrites, True
    for draft in few:
        for changed, rewrites in itertools.islice(_twice(draft), TWICE):
            yield changed, rewrites, True
    for draft in drafts:
        yield draft, (), False
    for draft in few:
        for changed, rewrites in _changed(draft, _rewrites):
            yield changed, rewrites, False


def _changed(
    draft: Draft, rewrites: Callable[[Sequence[str], Collection[str]], Iterator[Rewrite]]
) -> Iterator[Changed[Draft]]:
    for axis, other in rewrites(*_axes(draft)):
        yield draft.with_axis(axis, other), ((axis, other),)


def _twice(draft: Draft) -> Iterator[Changed[Draft]]:
    for once, first in _changed(draft, _alike):
        yield from ((both, first + second) for both, second in _changed(once, _alike))


def _axes(draft: CallDraft | ModuleDraft) -> tuple[list[str], set[str]]:
    """Return the axes of a draft, and those among them whose sizes follow from a rule."""
    if isinstance(draft, ModuleDraft):
        return draft.axes, set(draft.rules)
    given = [one for one in draft.arguments.values() if "@" in one or not one.startswith("constant(")]
    inner = draft.module.axes if draft.module else []
    rules = {**(draft.module.rules if draft.module else {}), **draft.rules}
    return names_in([*inner, *axes_in(given)]), set(rules)


def _rewrites(axes: Sequence[str], ruled: Collection[str]) -> Iterator[Rewrite]:
    """Yield what an axis may be besides itself: even; more than another, a multiple of it, twice it; or the same."""
    pairs = [(axis, other) for axis, other in itertools.permutations(axes, 2) if axis not in ruled]
    yield from ((axis, EVEN) for axis in axes if axis not in ruled)
    yield from ((axis, quoted(f"{other} + more_{axis}")) for axis, other in pairs)
    yield from ((axis, quoted(f"{other} * {axis}_each")) for axis, other in pairs)
    yield from ((axis, quoted(f"2 * {other}")) for axis, other in pairs)
    yield from _same(axes, ruled)


def _alike(axes: Sequence[str], ruled: Collection[str]) -> Iterator[Rewrite]:
    """Yield what two axes may be at a time: even numbers, or the same."""
    yield from ((axis, EVEN) for axis in axes if axis not in ruled)
    yield from _same(axes, ruled)


def _same(axes: Sequence[str], ruled: Collection[str]) -> Iterator[Rewrite]:
    """Yield pairs of axes that may be the same. One with a rule keeps its name."""
    for earlier, later in itertools.combinations(axes, 2):
        if later not in ruled:
            yield later, earlier
        elif earlier not in ruled:
            yield earlier, later


def _with_numbers(bench: Bench, tried: Tried, choices: Mapping[str, Sequence[str]]) -> Tried:
    """Return the call with a size for each number on which the size of a result depends, and with telling numbers."""
    for name, text in tried.draft.arguments.items():
        sized = next((line for line in choices[name] if SIZE.fullmatch(line)), None)
        if not text.isdigit() and text != sized:
            continue
        if sized and text != sized and (other := _tried(bench, tried.draft.giving(**{name: sized}), strict=False)):
            tried = _tried(bench, other.draft) or tried if _is_axis(sized, other) else tried
        elif sized == text and _is_axis(sized, tried):
            continue
        if tried.draft.arguments[name].isdigit() and _is_dull(tried):
            numbers = [line for line in choices[name] if line.isdigit()]
            every = (_tried(bench, tried.draft.giving(**{name: number})) for number in numbers)
            tried = next((one for one in every if one and not _is_dull(one)), tried)
    return tried


def _with_rules(bench: Bench, tried: Tried) -> Tried:
    """Return the call with a rule for an axis where it has twice the size of one."""
    for name, text in tried.draft.arguments.items():
        if match := TWICE_A_SIZE.fullmatch(text):
            draft = replace(tried.draft.giving(**{name: f'constant("@{match[1]}")'}), rules={match[1]: EVEN})
            tried = _tried(bench, replace(draft, returns={})) or tried
    return tried


def _is_axis(line: str, tried: Tried) -> bool:
    """Whether the size that a line names is that of a result."""
    match = SIZE.fullmatch(line)
    return bool(match and set(names_in([match[1]])) & set(names_in(tried.draft.returns.values())))


def _tried(bench: Bench, draft: CallDraft, strict: bool = True) -> Tried | None:
    try:
        return bench.tried(draft, strict)
    except Refused:
        return None


def _is_dull(tried: Tried) -> bool:
    """Whether a result is the same everywhere."""
    return all((array == array.flat[0]).all() for arrays in tried.results for array in arrays if array.size)
