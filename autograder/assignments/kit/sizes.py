"""The sizes of axes: primes that differ, or what an author's rules ask.

    function("rotate", x="B T d", returns={"result": "B T d"}, sizes={"d": size(multiple_of=2)})
    function("extend", ..., sizes={"T": "T_old + T_new"})

A rule is a number, a ``size(...)``, or a text: a sum, a difference or a product of axes and numbers.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from autograder.model.text import suggestion

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73)  # an axis shows by its length
TURNS = 3  # then the sizes repeat
BATCH = "B"


class Size(msgspec.Struct, frozen=True):
    """What the size of an axis must be: not less than ``at_least``, and a multiple of ``multiple_of``."""

    at_least: int = 1
    multiple_of: int = 1

    def allows(self, number: int) -> bool:
        """Return whether a number is such a size."""
        return number >= self.at_least and number % self.multiple_of == 0

    def __str__(self) -> str:
        multiple = f"a multiple of {self.multiple_of}, " if self.multiple_of > 1 else ""
        return f"{multiple}at least {self.at_least}"


Rule = int | str | Size
Rules = Mapping[str, Rule]


class SizesError(ValueError):
    """Sizes that fit no axis, or break a rule. The message says what to do."""


class Drawn(dict[str, int]):
    """The sizes of axes by name. A name without a size raises SizesError."""

    def __missing__(self, axis: str) -> int:
        near = suggestion(axis, self)
        raise SizesError(f"the axis {axis} has no size{near}; give it one in the declaration: sizes={{{axis!r}: 5}}")


def size(*, at_least: int = 1, multiple_of: int = 1) -> Size:
    """A rule for the size of an axis: ``size(multiple_of=2)`` is even, ``size(at_least=4)`` is 5, 7 or 11."""
    if at_least < 1 or multiple_of < 1:
        raise SizesError("size takes positive numbers")
    return Size(at_least, multiple_of)


def checked_rules(rules: Rules, axes: Iterable[str]) -> dict[str, Rule]:
    """Return rules for some axes. Raises SizesError for one that can't be read, or is about no axis."""
    known = [*axes, *(name for rule in rules.values() if isinstance(rule, str) for name in names_of(rule))]
    for axis, rule in rules.items():
        if axis not in known:
            raise SizesError(f"sizes names {axis}, but the axes are {', '.join(known)}{suggestion(axis, known)}")
        if isinstance(rule, bool) or not isinstance(rule, int | str | Size):
            raise SizesError(f"the size of {axis} is {rule!r}; expected a number, size(...) or a sum such as 'P + N'")
    return dict(rules)


def names_of(formula: str) -> list[str]:
    """Return the axes that a formula names. Raises SizesError if it can't be read."""
    return [node.id for node in ast.walk(_parsed(formula)) if isinstance(node, ast.Name)]


def drawn(axes: Iterable[str], rules: Rules, turn: int, given: Mapping[str, int]) -> Drawn:
    """Return a size for each axis: primes that differ, other ones in each turn. ``given`` ones and rules come first.

    The batch, an axis named B, is 2 in the first turn. Raises SizesError for sizes that fit no axis or break a rule.
    """
    free = free_axes(axes, rules)
    known = [*dict.fromkeys([*free, *rules])]
    for axis, number in given.items():
        if axis not in known:
            raise SizesError(f"sizes names {axis}, but the axes are {', '.join(known)}{suggestion(axis, known)}")
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise SizesError(f"the size of {axis} is {number!r}; expected a whole number")
    primes = _primes(turn, {*given.values(), *(rule for rule in rules.values() if isinstance(rule, int))})
    found = Drawn()
    for axis in free:
        found[axis] = _one(axis, rules.get(axis), turn, given, found, primes)
    for axis in _derived(rules):
        found[axis] = _value(rules[axis], found)
        if given.get(axis, found[axis]) != found[axis]:
            raise SizesError(f"{axis} is {rules[axis]} = {found[axis]}, not {given[axis]}; leave it out of sizes")
    return found


def _primes(turn: int, taken: Collection[int]) -> Iterator[int]:
    """Yield primes that are not taken. Raises SizesError after the last one."""
    yield from (prime for prime in PRIMES[turn % TURNS :] if prime not in taken)
    raise SizesError(f"a call has at most {len(PRIMES) - TURNS} axes; give some of them a size: sizes={{'d': 5}}")


def free_axes(axes: Iterable[str], rules: Rules) -> list[str]:
    """Return the axes that no formula gives, those that only formulas name last."""
    named = [name for rule in rules.values() if isinstance(rule, str) for name in names_of(rule)]
    return [axis for axis in dict.fromkeys([*axes, *rules, *named]) if not isinstance(rules.get(axis), str)]


def may_be_one(axis: str, rules: Rules) -> bool:
    """Return whether a rule leaves the size 1 to an axis."""
    rule = rules.get(axis)
    return rule is None or (isinstance(rule, Size) and rule.allows(1))


def _one(
    axis: str, rule: Rule | None, turn: int, given: Mapping[str, int], found: Mapping[str, int], primes: Iterator[int]
) -> int:
    """Return the size of an axis that no formula gives."""
    if axis in given:
        if isinstance(rule, Size) and not rule.allows(given[axis]):
            raise SizesError(f"the size of {axis} is {given[axis]}; expected {rule}")
        return given[axis]
    if isinstance(rule, int):
        return rule
    if isinstance(rule, Size):
        taken = {*given.values(), *found.values()}
        step = rule.multiple_of
        least = max(2 + turn % TURNS, -(-rule.at_least // step))
        candidates = primes if step == 1 and least <= PRIMES[-TURNS] else itertools.count(least * step, step)
        return next(one for one in candidates if rule.allows(one) and one not in taken)
    return 2 if axis == BATCH and not turn else next(primes)


def _derived(rules: Rules) -> list[str]:
    """Return the axes that formulas give, those first that others need. Raises SizesError for a circle."""
    left = {axis: set(names_of(rule)) for axis, rule in rules.items() if isinstance(rule, str)}
    order: list[str] = []
    while left:
        ready = [axis for axis, names in left.items() if not names & left.keys()]
        if not ready:
            raise SizesError(f"the sizes of {', '.join(left)} need each other")
        order += ready
        left = {axis: names for axis, names in left.items() if axis not in ready}
    return order


def _parsed(formula: str) -> ast.expr:
    """Return a formula of names and numbers with + - *."""
    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except SyntaxError:
        raise SizesError(f"can't read the size {formula!r}; write a sum of axes and numbers: 'P + N'") from None
    nodes = ast.BinOp | ast.Name | ast.Constant | ast.operator | ast.expr_context
    for node in ast.walk(tree):
        odd = isinstance(node, ast.operator) and not isinstance(node, ast.Add | ast.Sub | ast.Mult)
        if odd or not isinstance(node, nodes) or (isinstance(node, ast.Constant) and type(node.value) is not int):
            raise SizesError(f"can't read the size {formula!r}; it may hold axes, whole numbers, + - and *")
    return tree


def _value(formula: Rule, sizes: Mapping[str, int]) -> int:
    """Return the number that a formula gives."""

    def of(node: ast.expr) -> int:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                one, other = of(left), of(right)
                return (
                    one + other if isinstance(op, ast.Add) else one - other if isinstance(op, ast.Sub) else one * other
                )
            case ast.Name(id=name):
                return sizes[name]
            case ast.Constant(value=int(number)):
                return number
        raise AssertionError(node)

    found = of(_parsed(str(formula)))
    if found < 0:
        raise SizesError(f"the size {formula} is {found}; expected 0 or more")
    return found
