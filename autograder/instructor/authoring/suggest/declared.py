"""What an author says about inputs: calls with named arguments, in ``INPUTS`` of ``reference.py`` or as an option.

INPUTS = ['scan(tokens=integers("B T", below=9), steps=3)', 'Layer(width="d")']
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autograder.assignments import places
from autograder.instructor.authoring.suggest.drafts import evaluated
from autograder.instructor.authoring.suggest.subjects import Assignment, Class, Subject
from autograder.model.text import suggestion

Table = dict[str, dict[str, str]]  # what is called -> its arguments, as lines


class DeclaredError(Exception):
    """A line of INPUTS is wrong. The message says what to write."""


def table(assignment: Assignment, lines: Iterable[str]) -> Table:
    """Return what the reference's INPUTS and these lines say. Later ones count. Raises DeclaredError."""
    given = getattr(places.imported(places.reference_name(assignment.name)), "INPUTS", ())
    own = (given,) if isinstance(given, str) else tuple(given)
    known = _subjects(assignment)
    found: Table = {}
    for line in (*own, *lines):
        target, arguments = _parsed(str(line), set(assignment.classes))
        if target not in known:
            raise DeclaredError(f"{line!r}: there is no {target}{suggestion(target, known)}")
        names = [one.name for one in known[target].arguments]
        if unknown := arguments.keys() - set(names):
            raise DeclaredError(f"{line!r}: {target} takes no {min(unknown)}; it takes {', '.join(names)}")
        found.setdefault(target, {}).update(arguments)
    return found


def _subjects(assignment: Assignment) -> dict[str, Subject]:
    """Return what can be declared: functions, methods, and constructors under the name of their class.

    ``forward`` is declared as ``Layer.forward``.
    """
    found: dict[str, Subject] = {}
    for part in assignment.parts:
        if isinstance(part, Class):
            found[part.name] = part.constructor
            found |= {f"{part.name}.{one.method or 'forward'}": one for one in part.methods}
        else:
            found[part.name] = part
    return found


def _parsed(line: str, classes: set[str]) -> tuple[str, dict[str, str]]:
    try:
        node = ast.parse(line.strip(), mode="eval").body
    except SyntaxError as error:
        raise DeclaredError(f"{line!r} is no call: {error.msg}") from None
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute() as called, args=[], keywords=keywords) if all(
            one.arg for one in keywords
        ):
            given = {str(one.arg): _line(one.value, line) for one in keywords}
            for text in given.values():
                if text not in classes:
                    _check(text, line)
            return ast.unparse(called), given
    raise DeclaredError(f'{line!r} is no call with named arguments, such as f(x="B T", steps=2)')


def _line(node: ast.expr, line: str) -> str:
    """Return an argument as the line has it, with double quotes around texts."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and '"' in inner.value:
            raise DeclaredError(f"{line!r}: {inner.value!r} names no axes")
    return ast.unparse(node).replace("'", '"')


def _check(text: str, line: str) -> None:
    try:
        evaluated(text)
    except Exception as error:
        raise DeclaredError(f"{line!r}: {text}: {type(error).__name__}: {error}") from None
