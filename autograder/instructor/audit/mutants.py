"""Makes mutants of a submission by rules. Each has one small mistake that is common in tensor code.

A mutant replaces the text of one expression or statement. Everything else stays, such as comments and docstrings.
"""

import ast
import difflib
import itertools
from collections.abc import Container
from typing import NamedTuple

from autograder.instructor.audit.changes import Function, changes

WIDTH = 80  # of the statement in a name


class Mutant(NamedTuple):
    """A source with one mistake.

    ``name`` is unique in a source. It has no line number, so it stays when other functions change. ``diff`` shows the
    function as ``ast.unparse`` writes it.
    """

    name: str
    source: str
    diff: str


def mutants(source: str, skip: Container[str] = ()) -> tuple[Mutant, ...]:
    """Return the mutants of the functions of a source, except those named in ``skip``.

    All compile, and all differ from each other and from the source in their syntax trees.
    """
    tree = ast.parse(source)
    used: set[str] = set()
    found: list[Mutant] = []
    for place, (where, function) in enumerate(_functions(tree)):
        before, seen = ast.unparse(function).splitlines(), {ast.dump(function)}
        for operator, old, new in changes(function):
            text = _spliced(source, old, new)
            mutated = _compiled(text, place)
            if mutated is None or (key := ast.dump(mutated)) in seen:
                continue
            seen.add(key)
            after = ast.unparse(mutated).splitlines()
            name = _unused(f"{where}: {operator}: {_statement(before, after)}", used)
            used.add(name)
            if name not in skip:
                diff = difflib.unified_diff(before, after, "before", "after", n=1, lineterm="")
                found.append(Mutant(name, text, "\n".join(diff)))
    return tuple(found)


def _functions(tree: ast.Module | ast.ClassDef, within: str = "") -> list[tuple[str, Function]]:
    """Return the functions and methods of a module, with their names."""
    found: list[tuple[str, Function]] = []
    for node in tree.body:
        if isinstance(node, Function):
            found.append((within + node.name, node))
        elif isinstance(node, ast.ClassDef):
            found += _functions(node, f"{within}{node.name}.")
    return found


def _spliced(source: str, old: ast.AST, new: ast.AST) -> str:
    """Return the source with one node replaced. Positions in a syntax tree count bytes."""
    assert isinstance(old, ast.expr | ast.stmt)
    assert old.end_lineno is not None
    assert old.end_col_offset is not None
    code = source.encode()
    starts = [0, *itertools.accumulate(map(len, code.splitlines(keepends=True)))]
    begin = starts[old.lineno - 1] + old.col_offset
    end = starts[old.end_lineno - 1] + old.end_col_offset
    text = ast.unparse(new) if isinstance(new, ast.stmt | ast.Name) else f"({ast.unparse(new)})"
    return (code[:begin] + text.encode() + code[end:]).decode()


def _compiled(text: str, place: int) -> Function | None:
    """Return the function at a place of a source, or None if it does not compile."""
    try:
        function = _functions(ast.parse(text))[place][1]
        compile(ast.Module([function], []), "mutant", "exec")
    except (SyntaxError, ValueError):
        return None
    return function


def _statement(before: list[str], after: list[str]) -> str:
    """Return the changed statement, or a dropped one. Of a long one, return only the part around the change."""
    old, new = next((b.strip(), a.strip()) for b, a in zip(before, after, strict=True) if a != b)
    text = old if new == "pass" else new
    alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, text, strict=False)))
    start = max(0, min(alike - WIDTH // 2, len(text) - WIDTH))
    return "…" * (start > 0) + text[start : start + WIDTH] + "…" * (start + WIDTH < len(text))


def _unused(name: str, used: set[str]) -> str:
    numbered = (f"{name} #{number}" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered) if free not in used)
