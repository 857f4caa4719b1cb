"""What an assignment lets one call: the functions and classes that both the solution and the reference define."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from autograder.assignments import places
from autograder.instructor.authoring.suggest.docstrings import Described, described

NOTHING = inspect.Parameter.empty


class Argument(NamedTuple):
    """An argument: what its signature and the docstrings say. ``default`` is NOTHING for a required one."""

    name: str
    default: Any = NOTHING
    annotation: str = ""
    text: str = ""
    shape: str = ""

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is NOTHING


class Subject(NamedTuple):
    """A function, a method, or a constructor: its arguments, and what the docstring says about other shapes.

    ``strings`` are texts in the code that an argument may be compared with.
    """

    name: str
    method: str
    arguments: tuple[Argument, ...]
    listed: tuple[str, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    strings: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """What the author calls it: ``LuongAttention.score``."""
        return f"{self.name}.{self.method}" if self.method else self.name


class Class(NamedTuple):
    """A class: its constructor and its public methods."""

    name: str
    constructor: Subject
    methods: tuple[Subject, ...]


class Assignment(NamedTuple):
    """All that can be called, in the order of the solution. ``numpy``: arrays are NumPy's."""

    name: str
    parts: tuple[Subject | Class, ...]
    numpy: bool

    @property
    def classes(self) -> dict[str, Class]:
        """The classes, by name."""
        return {part.name: part for part in self.parts if isinstance(part, Class)}

    @property
    def axes(self) -> Mapping[str, str]:
        """The axes of arguments by name, as the docstrings have them; the first ones for each name."""
        subjects = [one for part in self.parts for one in (part.methods if isinstance(part, Class) else [part])]
        known = ((argument.name, argument.shape) for one in subjects for argument in one.arguments if argument.shape)
        return dict(reversed(list(known)))


def assignment(name: str, solution: str) -> Assignment:
    """Return what can be called. Raises CourseError if the reference does not run, or SyntaxError."""
    tree = ast.parse(solution)
    reference = vars(places.imported(places.reference_name(name)))
    parts: list[Subject | Class] = []
    for node in tree.body:
        known = reference.get(getattr(node, "name", ""))
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(known):
            parts.append(_subject(node, known))
        elif isinstance(node, ast.ClassDef) and inspect.isclass(known):
            parts.append(_class(node, known))
    roots = {
        alias.name.partition(".")[0] for one in ast.walk(tree) if isinstance(one, ast.Import) for alias in one.names
    }
    roots |= {str(one.module).partition(".")[0] for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)}
    return Assignment(name, tuple(parts), "numpy" in roots and "torch" not in roots)


def _class(node: ast.ClassDef, known: type) -> Class:
    functions = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    about = ast.get_docstring(node) or ""
    start = functions.get("__init__")
    constructor = _subject(start, vars(known).get("__init__", known), node.name, "__init__", about) if start else None
    strings = _strings(node)
    made = (constructor or Subject(node.name, "__init__", ()))._replace(strings=strings)
    methods = tuple(
        _subject(one, getattr(known, name), node.name, name)
        for name, one in functions.items()
        if (not name.startswith("_") or name == "__call__") and inspect.isfunction(getattr(known, name, None))
    )
    return Class(node.name, made, methods)


def _subject(node: ast.FunctionDef, known: Any, owner: str = "", method: str = "", about: str = "") -> Subject:
    """Return what a definition of the solution and the same one of the reference say together."""
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)][1 if owner else 0 :]
    solution = described("\n\n".join(filter(None, [ast.get_docstring(node) or "", about])), names)
    reference = described(inspect.getdoc(known) or "" if not owner or known.__doc__ else "", names)
    parameters = inspect.signature(known).parameters
    shapes = _assigned(solution, names) | solution.shapes
    shapes = _assigned(reference, names) | reference.shapes | shapes
    arguments = tuple(
        Argument(
            name,
            default,
            _annotation(parameters.get(name)),
            " ".join(filter(None, [solution.texts.get(name), reference.texts.get(name)])),
            shapes.get(name, ""),
        )
        for name, default in zip(names, _defaults(node, names, parameters), strict=True)
    )
    results = tuple(solution.results or reference.results)
    called = "" if method in ("forward", "__call__") else method
    return Subject(owner or node.name, called, arguments, tuple(solution.listed), results, _strings(node))


def _assigned(found: Described, names: list[str]) -> dict[str, str]:
    """Give the shapes that stand alone to the arguments that have none, in order.

    An argument that is an axis of a shape is a size, so that shape is the result's.
    """
    if any(set(re.split(r"[\s*+]", axes)) & set(names) for axes in found.listed):
        return {}
    free = [name for name in names if name not in found.shapes]
    return dict(zip(free, found.listed, strict=False))


def _defaults(node: ast.FunctionDef, names: list[str], parameters: Mapping[str, inspect.Parameter]) -> Iterator[Any]:
    """Yield the default of each argument in the solution. One that is no literal is the reference's."""
    nodes = [None] * (len(names) - len(node.args.defaults)) + list(node.args.defaults)
    for name, given in zip(names, nodes[-len(names) :] if names else [], strict=True):
        try:
            yield NOTHING if given is None else ast.literal_eval(given)
        except ValueError:
            yield parameters[name].default if name in parameters else None


def _annotation(parameter: inspect.Parameter | None) -> str:
    if parameter is None or parameter.annotation is NOTHING:
        return ""
    given = parameter.annotation
    return given if isinstance(given, str) else getattr(given, "__name__", str(given)).replace("typing.", "")


def _strings(node: ast.AST) -> tuple[str, ...]:
    """Return the texts in a definition that could be an argument's value: short words that code compares."""
    compared = [
        one for inner in ast.walk(node) if isinstance(inner, ast.Compare | ast.match_case) for one in ast.walk(inner)
    ]
    words = (one.value for one in compared if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return tuple(dict.fromkeys(word for word in words if re.fullmatch(r"[\w-]{1,30}", word)))
