"""Rules of mutation written as Python: a pattern and its replacement."""

import ast
import copy
import re
from collections.abc import Iterator
from typing import NamedTuple

# Mistake: pattern -> replacement. A, B and C are any expressions.
RULES = """
sign flipped: A + B -> A - B
sign flipped: A - B -> A + B
sign flipped: -A -> A
scale dropped: A / B -> A
scale inverted: A / B -> A * B
scale inverted: A * B -> A / B
term dropped: A + B -> A
term dropped: A + B -> B
term dropped: A - B -> A
term dropped: A * B -> A
term dropped: A * B -> B
term dropped: A & B -> A
term dropped: A & B -> B
term dropped: A | B -> A
term dropped: A | B -> B
division changed: A // B -> A % B
division changed: A % B -> A // B
power dropped: A ** B -> A
transpose dropped: A.T -> A
transpose dropped: A.mT -> A
comparison changed: A < B -> A <= B
comparison changed: A <= B -> A < B
comparison changed: A > B -> A >= B
comparison changed: A >= B -> A > B
comparison changed: A == B -> A != B
comparison changed: A != B -> A == B
comparison changed: A is B -> A is not B
comparison changed: A is not B -> A is B
comparison changed: A in B -> A not in B
comparison changed: A not in B -> A in B
boolean inverted: ~A -> A
boolean inverted: not A -> A
boolean inverted: A and B -> A or B
boolean inverted: A or B -> A and B
boolean inverted: A & B -> A | B
boolean inverted: A | B -> A & B
boolean inverted: True -> False
boolean inverted: False -> True
boolean inverted: A if B else C -> C if B else A
fill changed: A.masked_fill(B, 0.0) -> A.masked_fill(B, 1e-06)
fill changed: torch.finfo(A).min -> -10000.0
fill changed: torch.finfo(A).min -> float('-inf')
arguments swapped: A @ B -> B @ A
"""


class Rule(NamedTuple):
    """A kind of mistake, a pattern and its replacement."""

    word: str
    pattern: ast.expr
    result: ast.expr

    def applied(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the replacement of a node if the pattern matches."""
        if (bound := _match(self.pattern, node, {})) is not None:
            yield _Filling(bound).visit(copy.deepcopy(self.result))


class _Filling(ast.NodeTransformer):
    """Replaces A, B and C by their expressions."""

    def __init__(self, bound: dict[str, ast.AST]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.bound.get(node.id, node)


def _match(pattern: object, found: object, bound: dict[str, ast.AST]) -> dict[str, ast.AST] | None:
    """Return the expressions for A, B and C if the pattern matches, else None."""
    if isinstance(pattern, ast.Name) and pattern.id in ("A", "B", "C"):
        return bound | {pattern.id: found} if isinstance(found, ast.AST) else None
    if type(pattern) is not type(found):
        return None
    if isinstance(pattern, ast.AST):
        pairs = [(part, getattr(found, field)) for field, part in ast.iter_fields(pattern)]
    elif isinstance(pattern, list) and isinstance(found, list) and len(pattern) == len(found):
        pairs = list(zip(pattern, found, strict=True))
    else:
        return bound if pattern == found else None
    for part, counterpart in pairs:
        if (more := _match(part, counterpart, bound)) is None:
            return None
        bound = more
    return bound


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def rules() -> tuple[Rule, ...]:
    """Parse the table."""
    lines = (re.split(": | -> ", line) for line in RULES.strip().splitlines())
    return tuple(Rule(word, _expression(pattern), _expression(result)) for word, pattern, result in lines)
