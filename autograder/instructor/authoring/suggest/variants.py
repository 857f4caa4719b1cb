"""Other forms of a call that work: other numbers, other shapes of a mask, more or fewer leading axes, other draws."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from autograder.instructor.authoring.suggest import inputs
from autograder.instructor.authoring.suggest.drafts import LITERAL, constant_of, quoted
from autograder.instructor.authoring.suggest.subjects import Argument, Subject
from autograder.instructor.authoring.suggest.trying import Bench, Refused, Tried

Change = tuple[dict[str, str], str, str]  # other arguments, the tag, and words
WIDE = 4.0  # the standard deviation of numbers with which more happens: other windows, other ties
OTHERS = 3  # values of an argument that has a default


def of(bench: Bench, subject: Subject, main: Tried, known: inputs.Known) -> Iterator[Tried]:
    """Yield other forms of a call that give other results."""
    for changes in (_leading(subject, main), _numbers(subject, main), _draws(main)):
        for change in changes:
            if other := _tried(bench, main, change):
                yield other
    for argument in subject.arguments:
        if argument.is_required:
            continue
        for other in _optional(bench, subject, main, argument, known):
            yield other
            plain = other._replace(draft=replace(other.draft, words=main.draft.words))
            yield from filter(None, (_tried(bench, plain, change) for change in _masks(argument, plain)))


def _tried(bench: Bench, main: Tried, change: Change) -> Tried | None:
    arguments, tag, words = change
    draft = replace(
        main.draft,
        arguments=main.draft.arguments | arguments,
        tag="-".join(filter(None, [main.draft.tag, tag])),
        words=", ".join(filter(None, [main.draft.words, words])),
    )
    try:
        return bench.tried(draft, strict=False)
    except Refused:
        return None


def _optional(bench: Bench, subject: Subject, main: Tried, argument: Argument, known: inputs.Known) -> Iterator[Tried]:
    """Yield forms with another value of an argument that has a default."""
    found = 0
    names = [one.name for one in subject.arguments]
    before = subject.arguments[: names.index(argument.name)]
    left = {one.name: one.default for one in before if one.name not in main.draft.arguments}
    fill = {name: constant_of(value) if isinstance(value, str) else repr(value) for name, value in left.items()}
    for line in inputs.others(argument, known):
        is_array = not _is_number(line)
        is_named = is_array or "@" in line
        words = f"with {_article(argument.name)}" if is_named else f"with {argument.name}={_shown(line)}"
        tag = argument.name if is_named else f"{argument.name} {re.sub('^-', 'minus ', _shown(line))}"
        other = _tried(bench, main, (fill | {argument.name: line}, _slug(tag), words))
        if other and (is_array or _differs(main, other)):
            found += 1
            yield other
        if found == (1 if is_array else OTHERS):
            return


def _leading(subject: Subject, main: Tried) -> Iterator[Change]:
    """Yield arrays with no leading axis, and with two, where the docstring has ``...`` or says nothing."""
    free = [one.name for one in subject.arguments if one.shape.startswith("...") or not one.shape]
    changed = {
        name: text
        for name, text in main.draft.arguments.items()
        if name in free and LITERAL.search(text) and "@" not in text
    }
    if not changed or main.draft.module or not all(_axes(text).split()[:1] == ["B"] for text in changed.values()):
        return
    for lead, tag, words in (("", "no-batch", "without a batch"), ("B N", "two-leads", "with two leading axes")):
        yield (
            {
                name: _with_axes(text, " ".join([*lead.split(), *_axes(text).split()[1:]]))
                for name, text in changed.items()
            },
            tag,
            words,
        )


def _numbers(subject: Subject, main: Tried) -> Iterator[Change]:
    """Yield other numbers in place of fixed ones, and of lengths that may be 0."""
    for name, text in main.draft.arguments.items():
        if text.isdigit():
            yield from (
                ({name: one}, f"{_slug(name)}-{one}", f"with {name}={one}")
                for one in ("0", "1", "2", "3", "7")
                if one != text
            )
        if text.startswith("lengths("):
            yield {name: text[:-1] + ", least=0)"}, f"{_slug(name)}-0", f"where {name} may be 0"


def _draws(main: Tried) -> Iterator[Change]:
    """Yield widely spread numbers."""
    for name, text in main.draft.arguments.items():
        if LITERAL.fullmatch(text):
            wide = f"normal({text}, scale={WIDE})"
            yield {name: wide}, f"wide-{_slug(name)}", f"with widely spread {name}"


def _masks(argument: Argument, main: Tried) -> Iterator[Change]:
    """Yield shapes that a mask may have where it is broadcast."""
    text = main.draft.arguments.get(argument.name, "")
    if not text.startswith("mask("):
        return
    axes = _axes(text).split()
    shapes = [axes[at:] for at in range(1, len(axes))]
    shapes += [[*axes[:at], "1", *axes[at + 1 :]] for at in range(len(axes) - 1)]
    for shape in shapes:
        words = f"with a mask ({', '.join(shape)}{',' * (len(shape) == 1)})"
        yield {argument.name: _with_axes(text, " ".join(shape))}, _slug("-".join(shape)), words


def _axes(text: str) -> str:
    match = LITERAL.search(text)
    return match[1] if match else ""


def _with_axes(text: str, axes: str) -> str:
    return LITERAL.sub(lambda _: quoted(axes), text, count=1)


def _is_number(line: str) -> bool:
    """Whether a line is a number, a text or the size of an axis, and no array."""
    return not LITERAL.search(line) or line.startswith("constant(")


def _shown(line: str) -> str:
    return line.removeprefix('constant("').removesuffix('")')


def _article(name: str) -> str:
    return f"a {name}" if inputs.MASK.search(name) else name


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _differs(one: Tried, other: Tried) -> bool:
    """Whether two forms give different results, so the second one shows something."""
    for first, second in zip(one.results, other.results, strict=False):
        for a, b in zip(first, second, strict=False):
            if a.shape != b.shape or not np.allclose(a, b, 1e-9, 1e-12):
                return True
    return False
