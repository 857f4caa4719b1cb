"""What an argument may be, the likeliest first: lines in the words of ``autograder.author``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autograder.assignments.kit.inputs import names_in
from autograder.instructor.authoring.suggest.drafts import constant_of, quoted
from autograder.instructor.authoring.suggest.subjects import Argument

MASK = re.compile(r"mask|padding$|visible|allowed")
LENGTHS = re.compile(r"(^|_)(lengths|lens|sizes)$")
WHOLE = re.compile(r"(^|_)(tokens?|src|tgt|targets?|labels?|index|indices|idx|ids?|words?|classes)(_|$)")
WHOLE_TEXT = re.compile(r"\bint(32|64|egers?)?\b|whole numbers?|\btokens?\b|\bindices\b|\bclass\b")
SHARES = re.compile(r"^(?!.*grad)(.*_)?(weights|probs|probabilities|attn|alphas?)$")
SHARES_TEXT = re.compile(r"nonnegative|non-negative|sums? to 1|of a softmax|probabilit")
NUMBER_TEXT = re.compile(r"how many|number of|\ba number\b|\ban int\b|\bcount\b", re.IGNORECASE)
FLOAT = re.compile(r"(^|_)(p|eps|epsilon|rate|lr|scale|temperature|alpha|beta|momentum|dropout|clip)$")
VOCABULARY = re.compile(r"vocab|^V$|^K$|^C$|classes|num_emb")
SAME = re.compile(r"shape (?:of|as) `*(\w+)")
BELOW = re.compile(r"(?:to|below|<|less than)\s+`*(\w+)`*(?:\s*-\s*1)?")
SPECIAL = re.compile(r"(^|_)(pad|bos|eos|unk|sos|mask|start|end)(_(id|idx|index|token))?$")
MANY = 40  # more than any size, so whole numbers up to it show a limit
SMALL = 0.01  # a default below it guards a division, and shows only where it is larger
NUMBERS = ("2", "1", "3", "5")
SHAPES = ("B T", "B T d", "B", "T d")


class Known(NamedTuple):
    """What is known around an argument."""

    axes: tuple[str, ...]  # of the class
    shapes: Mapping[str, str]  # of this call's arguments
    elsewhere: Mapping[str, str]  # of arguments of the assignment
    results: tuple[str, ...] = ()  # shapes of results
    words: tuple[str, ...] = ()  # texts that the code compares


def lines(argument: Argument, known: Known) -> list[str]:
    """Return what an argument may be: arrays, numbers, or lists."""
    kind = argument.annotation
    texts = [constant_of(word) for word in known.words]
    if kind.startswith("str"):
        return texts
    if re.search(r"(Sequence|list|List|Iterable)\[(Sequence|list|List|Iterable)", kind):
        return ['token_lists("N")']
    if "Tensor" in kind or "array" in kind.lower():
        numbers = list(_numbers(argument, known)) if re.search(r"\b(int|float)\b", kind) else []
        return [*numbers, *_arrays(argument, known)]
    if argument.shape:
        return [*_arrays(argument, known), *_numbers(argument, known)]
    if kind.startswith(("int", "float", "bool")) or NUMBER_TEXT.search(argument.text):
        return list(_numbers(argument, known))
    if MASK.search(argument.name) or LENGTHS.search(argument.name) or argument.name in known.elsewhere:
        return [*_arrays(argument, known), *_numbers(argument, known)]
    return [*_numbers(argument, known), *texts, *_arrays(argument, known)]


def others(argument: Argument, known: Known) -> list[str]:
    """Return what an argument with a default may be instead."""
    match argument.default:
        case bool():
            return [str(not argument.default)]
        case int():
            near = (-2, 0, 1) if argument.default < 0 else (0, 1, 2, 3)
            return [str(number) for number in near if number != argument.default]
        case float():
            factors = (1e4, 1e2, 10) if abs(argument.default) < SMALL else (0.5, 3, 0.01)
            return [repr(float(f"{argument.default * factor:.4g}")) for factor in factors]
        case str():
            return [constant_of(word) for word in known.words if word != argument.default]
        case None:
            size = [f'constant("@{argument.name}")', "1", "2"]
            array = MASK.search(argument.name) or argument.shape or "Tensor" in argument.annotation
            return list(_arrays(argument, known)) if array else size
    return []


def _numbers(argument: Argument, known: Known) -> Iterator[str]:
    """Yield fixed numbers; first a size, if the argument is an axis of a result."""
    if SPECIAL.search(argument.name):
        yield from ("0", "1", "2")
    elif argument.annotation.startswith("bool"):
        yield from ("True", "False")
    elif argument.annotation.startswith("float") or FLOAT.search(argument.name):
        yield from ("0.3", "2.0", "0.1")  # not a half: 1 - p would be the same
    elif argument.name in names_in(map(led, known.results)):
        yield from (*sizes(argument), *NUMBERS)
    else:
        yield from (*NUMBERS, *sizes(argument))


def sizes(argument: Argument) -> list[str]:
    """Return the lines that make a number the size of an axis."""
    even = [f'constant("@2*{argument.name}")'] if is_even(argument) else []
    return [*even, f'constant("@{argument.name}")']


def is_even(argument: Argument) -> bool:
    """Whether the docstring says that a number is even."""
    return "even" in re.findall(r"\w+", argument.text)


def _arrays(argument: Argument, known: Known) -> Iterator[str]:
    for axes in _shapes(argument, known):
        named = names_in([*map(led, known.shapes.values()), *known.axes, axes])
        for kind in _kinds(argument):
            yield from _of_kind(kind, axes, argument, known, named)


def _shapes(argument: Argument, known: Known) -> list[str]:
    """Return the shapes that an argument may have."""
    if argument.shape:
        return [led(argument.shape)]
    if LENGTHS.search(argument.name):
        first = [led(axes).split()[0] for name, axes in known.shapes.items() if name != argument.name and axes]
        return [first[0] if first else "B"]
    if same := SAME.search(argument.text):
        return [led(known.shapes[same[1]])] if same[1] in known.shapes else list(SHAPES)
    elsewhere = [known.elsewhere[argument.name]] if argument.name in known.elsewhere else []
    root = argument.name.split("_")[0]
    alike = [axes for name, axes in known.elsewhere.items() if name.split("_")[0] == root]
    found = [led(axes) for axes in (*elsewhere, *alike) if axes]
    return list(dict.fromkeys(found)) or list(SHAPES)


def led(axes: str) -> str:
    """Return axes with the batch in place of ``...``."""
    return {"...": "B T"}.get(axes, axes.replace("...", "B"))


def _kinds(argument: Argument) -> list[str]:
    name, text = argument.name, argument.text
    hinted = [
        *(["mask"] if MASK.search(name) or re.search(r"\bbool", text) else []),
        *(["lengths"] if LENGTHS.search(name) else []),
        *(["weights"] if SHARES.search(name) or SHARES_TEXT.search(text) else []),
        *(["integers"] if WHOLE.search(name) or WHOLE_TEXT.search(text) else []),
    ]
    return list(dict.fromkeys([*hinted, "normal", "integers", "mask", "weights"]))


def _of_kind(kind: str, axes: str, argument: Argument, known: Known, named: Sequence[str]) -> Iterator[str]:
    match kind:
        case "normal":
            yield quoted(axes)
        case "lengths":
            yield f"lengths({quoted(axes)}, upto={quoted(_longest(argument, axes, known))})"
        case "integers":
            for below in _limits(argument, named):
                yield f"integers({quoted(axes)}, below={below})"
        case _:
            yield f"{kind}({quoted(axes)})"


def _longest(argument: Argument, axes: str, known: Known) -> str:
    """Return the axis that lengths are about: the second one of ``src`` for ``src_lengths``."""
    root = LENGTHS.sub("", argument.name)
    every = {**known.elsewhere, **known.shapes}
    mine = [shape for name, shape in every.items() if root and name.split("_")[0] == root.split("_")[0]]
    for shape in (*mine, *known.shapes.values()):
        names = led(shape).split()
        if len(names) > 1 and names[0] == axes:
            return names[1]
    return "T"


def _limits(argument: Argument, named: Sequence[str]) -> list[str]:
    """Return what whole numbers may be below: an axis that the docstring names, or one like a vocabulary; many."""
    said = [match[1] for match in BELOW.finditer(argument.text) if match[1] in named]
    likely = [axis for axis in named if VOCABULARY.search(axis)]
    return list(dict.fromkeys([*map(quoted, [*said, *likely]), str(MANY), *map(quoted, named)]))
