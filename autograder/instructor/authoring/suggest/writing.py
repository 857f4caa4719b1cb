"""The text of ``checks.py`` and ``hidden_checks.py`` that holds proposed checks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from autograder.instructor.authoring.suggest.candidates import POINTS, Candidate
from autograder.instructor.authoring.suggest.drafts import quoted, vocabulary

WIDTH = 120
PUBLIC, HIDDEN = "checks.py", "hidden_checks.py"
DOCS = {
    PUBLIC: "The public checks, as attngrade author suggest proposes them. Change them as you like.",
    HIDDEN: "The hidden checks, as attngrade author suggest proposes them. Say in the handout what they ask.",
}
CALLED = "# What is called: each input with its axes, and the results."
TABLE = "CALLS = {{call.target: call.described for call in {}}}  # names the axes in messages"
Points = Mapping[str, float]  # by the id of a check


def files(title: str, chosen: Sequence[Candidate], points: Points) -> dict[str, str]:
    """Return the texts of both files, by name."""
    public = [one for one in chosen if one.is_public]
    hidden = [one for one in chosen if not one.is_public]
    above = _declarations(public)
    below = {name: line for name, line in _declarations(hidden).items() if name not in above}
    return {
        PUBLIC: _file(PUBLIC, f"TITLE = {quoted(title)}", above, _calls(public), public, points),
        HIDDEN: _file(HIDDEN, "", below, "", hidden, points, [*above]),
    }


def _file(
    name: str,
    head: str,
    declarations: Mapping[str, str],
    calls: str,
    checks: Sequence[Candidate],
    points: Points,
    beside: Sequence[str] = (),
) -> str:
    """Return the text of a file. ``beside``: what the other one declares."""
    declared = [_formatted(f"{variable} = ", text) for variable, text in declarations.items()]
    above = "\n".join(filter(None, [CALLED if declared else "", *declared, calls]))
    functions = "\n\n\n".join(one.defines.strip() for one in checks if one.defines)
    apart = f"\n{functions}\n" if functions else ""
    body = "\n\n".join(filter(None, [head, above, apart, _checks(checks, points)]))
    words = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    imports = [_import("autograder.author", sorted(words & vocabulary().keys(), key=_order))]
    imports += [_import(".checks", used)] if (used := sorted(one for one in beside if one in words)) else []
    return "\n\n".join([f'"""{DOCS[name]}"""', *imports, body]) + "\n"


def _order(name: str) -> tuple[bool, str]:
    return name[0].islower(), name


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _declarations(checks: Iterable[Candidate]) -> dict[str, str]:
    """Return the declarations that checks need, by name, in an order in which they can stand."""
    return {draft.variable: draft.text for one in checks for draft in one.drafts}


def _calls(checks: Sequence[Candidate]) -> str:
    """Return the table that names the axes in messages: one declared call for each target."""
    named: dict[str, str] = {}
    for one in checks:
        if one.draft and not one.draft.trains:
            named.setdefault(one.draft.built().target, one.draft.variable)
    if not named:
        return ""
    listed = ", ".join(named.values()) + ("," if len(named) == 1 else "")
    table = TABLE.format(f"({listed})")
    if len(table) <= WIDTH:
        return table
    rows = "\n".join(f"    {name}," for name in named.values())
    return f"CALLED = (\n{rows}\n)\n" + TABLE.format("CALLED")


def _checks(checks: Sequence[Candidate], points: Points) -> str:
    rows = []
    for part in dict.fromkeys(one.part for one in checks):
        lines = [_formatted("", filled(one, points), 8) for one in checks if one.part == part]
        rows.append(
            "\n".join(["    *part(", f"        {quoted(part)},", *(f"        {line}," for line in lines), "    ),"])
        )
    return "\n".join(["CHECKS = (", *rows, ")"])


def filled(candidate: Candidate, points: Points) -> str:
    """Return a check's line with its points."""
    return candidate.line.replace(POINTS, f"{points[candidate.check.id]:g}", 1)


def _formatted(head: str, text: str, indent: int = 0) -> str:
    """Return a line, broken at its arguments where it is too long."""
    if indent + len(head) + len(text) < WIDTH:
        return head + text
    node = ast.parse(text, mode="eval").body
    match node:
        case ast.Call(func=called, args=args, keywords=keywords):
            inner = [("", one) for one in args] + [(f"{one.arg}=", one.value) for one in keywords]
            begin, end = f"{_source(text, called)}(", ")"
        case ast.Dict(keys=keys, values=values):
            inner = [(f"{_source(text, key)}: ", value) for key, value in zip(keys, values, strict=True) if key]
            begin, end = "{", "}"
        case ast.List(elts=items):
            inner, begin, end = [("", one) for one in items], "[", "]"
        case _:
            return head + text
    space = " " * (indent + 4)
    rows = [f"{space}{_formatted(name, _source(text, one), indent + 4)}," for name, one in inner]
    return "\n".join([head + begin, *rows, " " * indent + end])


def _source(text: str, node: ast.AST) -> str:
    return ast.get_source_segment(text, node) or ""
