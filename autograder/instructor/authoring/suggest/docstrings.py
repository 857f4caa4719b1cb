"""What a docstring says about shapes, such as ``(B, T_s, enc_dim)``: in sections, or in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

AXIS = r"(?:\.\.\.|\w+(?:\s*[*+]\s*\w+)*)"
SHAPE = re.compile(rf"(?<![\w\])`.])\(\s*({AXIS}(?:\s*,\s*{AXIS})*)\s*(,?)\s*\)")
SECTION = re.compile(r"^\s*(Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?)\s*:?\s*$")
UNDERLINE = re.compile(r"^\s*-{3,}\s*$")
ENTRY = re.compile(r"^(?::param\s+)?(\*{0,2}\w+(?:\s*,\s*\w+)*)\s*:\s*(.*)$")
NAMED = re.compile(r"`+(\w+)[^`]*`+,?(?:\s+(?:of|has|is|with|shape))*\s*$")  # right before a shape
WORD = re.compile(r"(\w+)`*(?:\s+(?:of|has|is|with|shape))*\s*:?\s*$")
NO_RESULT = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "each",
        "in",
        "is",
        "it",
        "its",
        "join",
        "of",
        "on",
        "one",
        "only",
        "shape",
        "tensor",
        "the",
        "then",
        "to",
        "with",
    ]
)


class Shape(NamedTuple):
    """A shape in a text: its axes as the kit writes them, and where it stands."""

    axes: str
    start: int
    end: int


class Described(NamedTuple):
    """What a docstring says: the text and the shape of each argument, other shapes in their order, and the results."""

    texts: dict[str, str]
    shapes: dict[str, str]
    listed: list[str]
    results: list[tuple[str, str]]


def shapes_in(text: str) -> list[Shape]:
    """Return the shapes in a text: ``(B, T)``, ``(d,)``, ``(...)``; not the arguments of a call."""
    found = []
    for match in SHAPE.finditer(text):
        axes = [re.sub(r"\s", "", axis) for axis in match[1].split(",")]
        named = any(not axis.isdigit() for axis in axes)
        if named and (len(axes) > 1 or match[2] or axes == ["..."]):
            found.append(Shape(" ".join(axes), match.start(), match.end()))
    return found


def described(docstring: str, arguments: Sequence[str]) -> Described:
    """Return what a docstring says about a function with these arguments."""
    sections = _sections(docstring)
    texts = dict(_entries(sections.get("Args", []), arguments))
    shapes = {name: found[0].axes for name, text in texts.items() if (found := shapes_in(text))}
    body = " ".join(sections[""])
    left, arrow, right = body.partition("->")
    named = {name: shape for shape in shapes_in(left) if (name := _named(left, shape)) in arguments}
    texts |= {name: body for name in arguments if name not in texts and re.search(rf"\b{name}\b", body)}
    listed = [shape.axes for shape in shapes_in(left) if shape not in named.values()]
    shapes |= {name: shape.axes for name, shape in named.items() if name not in shapes}
    returned = " ".join(sections.get("Returns", [])) or (right if arrow else "")
    return Described(texts, shapes, listed, _results(returned))


def _sections(docstring: str) -> dict[str, list[str]]:
    """Return the lines of each section; those before the first one are under ""."""
    found: dict[str, list[str]] = {"": []}
    current = ""
    for line in docstring.expandtabs().splitlines():
        if match := SECTION.match(line):
            current = {"Arguments": "Args", "Parameters": "Args"}.get(match[1], match[1])
            found.setdefault(current, [])
        elif not UNDERLINE.match(line):
            found[current].append(line)
            if re.match(r"^\s*:param\s", line):
                found.setdefault("Args", []).append(line)
    return found


def _entries(lines: Sequence[str], arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each argument with its text. One entry may name several arguments."""
    names: list[str] = []
    text: list[str] = []
    for line in [*lines, "_: "]:
        match = ENTRY.match(line.strip())
        heads = [name.strip(" *") for name in match[1].split(",")] if match else []
        if match and (set(heads) & set(arguments) or heads == ["_"]):
            yield from ((name, " ".join(text).strip()) for name in names if name in arguments)
            names, text = heads, [match[2]]
        else:
            text.append(line.strip())


def _named(text: str, shape: Shape) -> str:
    """Return the name in backticks right before a shape."""
    match = NAMED.search(text[: shape.start])
    return match[1] if match else ""


def _results(text: str) -> list[tuple[str, str]]:
    """Return the names and the shapes of results; a name is the word before a shape, or "" """
    found = []
    for shape in shapes_in(text):
        match = WORD.search(text[: shape.start])
        word = match[1].lower() if match else ""
        found.append(("" if word in NO_RESULT or word.isdigit() else word, shape.axes))
    return found
