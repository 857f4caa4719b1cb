"""Finds the settings in which an object of a class can be made: sizes, options, other objects."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from autograder.instructor.authoring.suggest import finding, inputs
from autograder.instructor.authoring.suggest.drafts import ModuleDraft, constant_of, quoted
from autograder.instructor.authoring.suggest.finding import EVEN, Rewrite
from autograder.instructor.authoring.suggest.subjects import Argument, Class
from autograder.instructor.authoring.suggest.trying import Bench, Refused

UNKNOWN = "none-of-these"  # an option that no class has
SETTINGS = 12  # of one class, at most


class Made(NamedTuple):
    """A setting of a class that works, and what had to be changed about its axes. ``is_extra``: beside another one."""

    draft: ModuleDraft
    rewrites: tuple[Rewrite, ...] = ()
    is_extra: bool = False
    words: str = ""


class Option(NamedTuple):
    """What one argument of a constructor may be; None leaves it out. ``tag`` tells settings apart."""

    given: str | ModuleDraft | None
    tag: str = ""


def settings(
    bench: Bench, one: Class, known: Mapping[str, Sequence[Made]], numpy: bool, declared: Mapping[str, str]
) -> list[Made]:
    """Return the settings of a class that work. ``known``: those of other classes. Raises Refused."""
    arguments = one.constructor.arguments
    options = [_options(argument, one, known, declared) for argument in arguments]
    found: list[Made] = []
    reason: Refused | None = None
    for chosen in itertools.islice(itertools.product(*options), SETTINGS):
        varied = [
            one for one, several in zip(zip(arguments, chosen, strict=True), options, strict=True) if len(several) > 1
        ]
        tag = "-".join(filter(None, (option.tag for _, option in varied)))
        words = ", ".join(_worded(argument, option) for argument, option in varied if option.tag)
        try:
            draft, rewrites = _made(bench, one.name, arguments, [option.given for option in chosen], numpy)
            found.append(Made(replace(draft, tag=tag), rewrites, words=words))
        except Refused as refused:
            reason = reason or refused
    if not found:
        raise reason or Refused("", "there is nothing to try")
    _refuse(bench, one.name, arguments, found[0])
    return [*found, *_extra(bench, arguments, found[0])]


def _worded(argument: Argument, option: Option) -> str:
    is_object = isinstance(option.given, ModuleDraft)
    return f"with a {option.tag}" if is_object else f"with {argument.name}={option.tag}"


def _made(
    bench: Bench, name: str, arguments: Sequence[Argument], given: Sequence[str | ModuleDraft | None], numpy: bool
) -> tuple[ModuleDraft, tuple[Rewrite, ...]]:
    """Return a working draft: as given; with sizes in place of None; or with changed axes. Raises Refused."""
    empty = [at for at, one in enumerate(arguments) if one.default is None and given[at] is None]
    tries = [given, [quoted(arguments[at].name) if at in empty else one for at, one in enumerate(given)]]
    reason: Refused | None = None
    for values in tries[: 2 if empty else 1]:
        draft = _draft(name, arguments, values, numpy)
        try:
            return bench.made(draft), ()
        except Refused as refused:
            bench.note(draft, refused)
            reason = reason or refused
    for values in tries[: 2 if empty else 1]:
        try:
            return finding.made(bench, _draft(name, arguments, values, numpy))
        except Refused:
            continue
    assert reason is not None
    raise reason


def _draft(
    name: str, arguments: Sequence[Argument], given: Sequence[str | ModuleDraft | None], numpy: bool
) -> ModuleDraft:
    """Return a draft with all arguments up to the last one that is given."""
    count = max((at + 1 for at, one in enumerate(given) if one is not None), default=0)
    pairs = zip(given[:count], arguments[:count], strict=True)
    init = tuple(constant_of(argument.default) if one is None else one for one, argument in pairs)
    rules = {
        one.name: EVEN
        for text, one in zip(init, arguments, strict=False)
        if text == quoted(one.name) and inputs.is_even(one)
    }
    return ModuleDraft(name, init, {}, numpy, rules=rules)


def _options(
    argument: Argument, one: Class, known: Mapping[str, Sequence[Made]], declared: Mapping[str, str]
) -> list[Option]:
    if argument.name in declared:
        text = declared[argument.name]
        return [Option(known[text][0].draft, text) if text in known else Option(text)]
    if classes := [name for name in known if fits(argument, name)]:
        return [Option(made.draft, name) for name in classes for made in known[name] if not made.is_extra]
    strings = [word for word in one.constructor.strings if word != argument.default]
    if isinstance(argument.default, str) or (argument.annotation.startswith("str") and strings):
        first = [Option(None, argument.default)] if isinstance(argument.default, str) else []
        return first + [Option(constant_of(word), word) for word in strings]
    if not argument.is_required:
        return [Option(None)]
    line = inputs.lines(argument, inputs.Known((), {}, {}, (argument.name,)))[0]
    return [Option(quoted(argument.name) if "@" in line else f"constant({_special(argument, line)})")]


def _special(argument: Argument, line: str) -> str:
    """Return the id of a special token: 0 for padding, 1 for the beginning, 2 for the end."""
    order = (("pad", "0"), ("bos", "1"), ("sos", "1"), ("start", "1"), ("eos", "2"), ("end", "2"), ("unk", "3"))
    special = inputs.SPECIAL.search(argument.name)
    return next((number for word, number in order if special and word == special[2]), line)


def fits(argument: Argument, name: str) -> bool:
    """Whether an argument may be an object of this class: ``decoder`` a BahdanauDecoder."""
    named = argument.name.replace("_", "")
    return argument.annotation == name or (len(named) > 2 and name.lower().endswith(named))


def _refuse(bench: Bench, name: str, arguments: Sequence[Argument], found: Made) -> None:
    """Try an option that no class has. The bench notes what raises a ValueError."""
    for at, argument in enumerate(arguments):
        if not isinstance(argument.default, str):
            continue
        given: list[str | ModuleDraft | None] = [*found.draft.init, *[None] * (len(arguments) - len(found.draft.init))]
        given[at] = constant_of(UNKNOWN)
        draft = _draft(name, arguments, given, found.draft.numpy)
        try:
            bench.made(draft)
        except Refused as refused:
            bench.note(draft, refused)


def _extra(bench: Bench, arguments: Sequence[Argument], main: Made) -> Iterator[Made]:
    """Yield settings with other numbers in place of defaults."""
    for at, argument in enumerate(arguments):
        if not isinstance(argument.default, int | float) or len(main.draft.init) > at:
            continue
        for line in inputs.others(argument, inputs.Known((), {}, {}))[:1]:
            given: list[str | ModuleDraft | None] = [
                *main.draft.init,
                *[None] * (len(arguments) - len(main.draft.init)),
            ]
            given[at] = f"constant({line})"
            try:
                draft = bench.made(_draft(main.draft.name, arguments, given, main.draft.numpy))
            except Refused:
                continue
            tag = re.sub(r"\W+", "-", f"{argument.name}-{line}")
            yield Made(replace(draft, tag=tag), main.rewrites, True, f"with {argument.name}={line}")
