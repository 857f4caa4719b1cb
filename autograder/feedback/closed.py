"""What the message of a hidden check may say: words of the grader's own lists, and rounded numbers.

A worker that is asked a hidden case knows its inputs. It could hide them in anything that it sends: in the name of an
exception, of an argument, of an operator. So each placeholder of such a message has an entry in ``CLOSED``, and only
the entry speaks. A template with any other placeholder is an error when the program starts.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from autograder import model
from autograder.feedback import axes, vocabulary
from autograder.feedback.vocabulary import Prepared

MOST_TIMES = 1000  # times the reference's cost; a larger figure becomes this
MOST_OPERATIONS = 10**6


class About(NamedTuple):
    """What a message is about."""

    finding: model.Finding
    prepared: Prepared

    def fact(self, name: str) -> Any:
        """Return a fact; None if there is none. The name of an array is without the letter of its turn."""
        fact = self.finding.facts.get(name)
        if name == "name" and self.prepared and isinstance(fact, str):
            return vocabulary.without_turn(fact, self.prepared.program)
        return fact


class Word(NamedTuple):
    """One word of the list ``known``; anything else becomes ``other``. ``is_ours``: a worker has no influence on it."""

    found: Callable[[About], Any]
    known: Callable[[Prepared], Collection[str]]
    other: str
    is_ours: bool = False

    def said(self, about: About) -> str:
        """Return the word to say."""
        word = self.found(about)
        return word if isinstance(word, str) and word in self.known(about.prepared) else self.other

    def count(self, prepared: Prepared) -> int:
        """Return how many different words a worker can make it say."""
        return 1 if self.is_ours else len({*self.known(prepared), self.other})


class Number(NamedTuple):
    """A number from 0 to ``most`` with ``digits`` after the point. ``is_ours``: as in ``Word``."""

    fact: str
    most: int
    digits: int = 0
    is_ours: bool = False

    def said(self, about: About) -> float:
        """Return the number to say."""
        value = about.fact(self.fact)
        if not isinstance(value, int | float) or math.isnan(value):
            return 0
        return round(min(max(value, 0), self.most), self.digits or None)

    def count(self, prepared: Prepared) -> int:
        """Return how many different numbers a worker can make it say."""
        return 1 if self.is_ours else self.most * 10**self.digits + 1


class Loop(NamedTuple):
    """A sentence about a loop, if the numbers of torch operations at two sizes show one."""

    def said(self, about: About) -> str:
        """Return the sentence, or an empty text."""
        (small, few), (large, many) = about.fact("operations")
        if not few or many < 1.5 * few:
            return ""
        axis, few, many = CLOSED["axis"].said(about), two_digits(few), two_digits(many)
        return f" It runs {few} torch operations for {small} {axis} and {many} for {large}: it loops over the {axis}."

    def count(self, prepared: Prepared) -> int:
        """Return how many different sentences a worker can make it say."""
        return 1 + len(set(map(two_digits, range(MOST_OPERATIONS + 1)))) ** 2


def two_digits(count: int) -> int:
    """Return a number of operations with two significant digits, at most MOST_OPERATIONS."""
    count = min(max(count, 0), MOST_OPERATIONS)
    return round(count, min(0, 2 - len(str(count))))


def shape_error(about: About) -> str:
    """Return what is wrong with a shape, in the names of its axes. Empty where the axes have no clear names."""
    if about.prepared is None:
        return ""
    shapes = about.fact("actual"), about.fact("expected")
    return axes.shape_error(about.prepared.program, about.finding.step, about.fact("output"), *shapes)


def _axes(prepared: Prepared) -> set[str]:
    return {f" {sentence}" for sentence in axes.sentences(prepared.program)} if prepared else set()


def _error(about: About) -> str | None:
    return next((base for base in about.fact("raised").bases if base in vocabulary.ERRORS), None)


def _undefined(about: About) -> str:
    about_parameters = " parameter" in about.fact("raised").message
    form = vocabulary.PARAMETERS if about_parameters else vocabulary.UNDEFINED
    return form.format(vocabulary.subjects(about.prepared).get(about.finding.step))


def _troubles(about: About) -> str:
    return "; ".join(text for fact, text in vocabulary.TROUBLES.items() if about.fact(fact))


def _results(about: About) -> str:
    return ", ".join(map(str, about.fact("expected") or ()))


def _fact(name: str) -> Callable[[About], Any]:
    return lambda about: about.fact(name)


def _always(words: Collection[str]) -> Callable[[Prepared], Collection[str]]:
    return lambda _: words


CLOSED: dict[str, Word | Number | Loop] = {
    "subject": Word(
        lambda about: vocabulary.subjects(about.prepared).get(about.finding.step),
        lambda prepared: vocabulary.subjects(prepared).values(),
        "The code",
    ),
    "output": Word(_fact("output"), vocabulary.names, "A result"),
    "name": Word(_fact("name"), vocabulary.names, "a tensor"),
    "axes": Word(lambda about: " " + re.split(r"(?<=\.) ", shape_error(about))[0], _axes, ""),
    "actual": Word(_fact("actual"), _always(vocabulary.KINDS), "unknown"),
    "expected": Word(_fact("expected"), _always(vocabulary.KINDS), "another", is_ours=True),
    "arguments": Word(_fact("expected"), vocabulary.signatures, "listed in its docstring", is_ours=True),
    "names": Word(_results, vocabulary.structures, "see its docstring", is_ours=True),
    "count": Word(
        lambda about: vocabulary.structures(about.prepared).get(_results(about)),
        lambda prepared: vocabulary.structures(prepared).values(),
        "several",
        is_ours=True,
    ),
    "error": Word(_error, _always(vocabulary.ERRORS), "an exception"),
    "wanted": Word(_fact("wanted"), _always(vocabulary.ERRORS), "another exception", is_ours=True),
    "place": Word(lambda _: "", _always(()), ""),  # a worker sends any line that it likes
    "why": Word(_undefined, vocabulary.undefined, "Something that this check needs is not defined"),
    "trouble": Word(_troubles, vocabulary.troubles, "some differ"),
    "function": Word(
        lambda about: vocabulary.function(about.fact("word") or ""),
        lambda _: vocabulary.forbidden_words(),
        "a ready-made function",
    ),
    "axis": Word(_fact("axis"), lambda _: vocabulary.axes(), "entries", is_ours=True),
    "sizes": Word(_fact("sizes"), lambda _: vocabulary.sizes(), "several sizes", is_ours=True),
    "property": Word(_fact("property"), lambda _: vocabulary.properties(), "see its docstring", is_ours=True),
    "size": Number("size", 10**6, is_ours=True),
    "limit": Number("limit", MOST_TIMES, 2, is_ours=True),
    "seconds": Number("seconds", 10**6, 2, is_ours=True),
    "tries": Number("tries", 1000, is_ours=True),
    "figure": Number("figure", MOST_TIMES, 1),
    "low": Number("low", MOST_TIMES, 1),
    "high": Number("high", MOST_TIMES, 1),
    "counted": Loop(),
}


class Words(Mapping[str, Any]):
    """Fills placeholders from ``CLOSED``, and from nothing else."""

    def __init__(self, about: About) -> None:
        self.about = about

    def __getitem__(self, placeholder: str) -> str | float:
        return CLOSED[placeholder].said(self.about)

    def __iter__(self) -> Iterator[str]:
        return iter(CLOSED)

    def __len__(self) -> int:
        return len(CLOSED)


def placeholders(template: str) -> list[str]:
    """Return the placeholders of a template."""
    return [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]


def require_closed(templates: Iterable[str]) -> None:
    """Raise ValueError if a template has a placeholder that is not in ``CLOSED``."""
    for template in templates:
        if unknown := set(placeholders(template)) - CLOSED.keys():
            raise ValueError(f"a hidden check's message must not tell {sorted(unknown)}: {template!r}")


def count(template: str, prepared: Prepared) -> int:
    """Return how many different messages a worker can choose from."""
    return math.prod(CLOSED[name].count(prepared) for name in dict.fromkeys(placeholders(template)))
