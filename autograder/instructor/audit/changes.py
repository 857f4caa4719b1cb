"""Chooses where to mutate a function, and mutates whole statements."""

import ast
from collections.abc import Iterator

from autograder.instructor.audit.operators import TABLE, axis_arguments, called, number, words

Function = ast.FunctionDef | ast.AsyncFunctionDef

NO_GRADIENT = words(
    "arange argmax argmin bool dim eye float full full_like int isinstance item len list long max min numel ones",
    "ones_like range size sum tuple zeros zeros_like zip",
)
UNTOUCHED = words("annotation cause decorator_list exc msg returns type_params")
SIZES_ONLY = words("arguments scale sign term")  # in a constructor, these only make wrong sizes, as others do


def changes(function: Function) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield operator names with the old and the new node. Some changes may not compile."""
    nodes = list(_walk(function))
    making = function.name == "__init__"
    for word, operator in TABLE:
        if not (making and word.split()[0] in SIZES_ONLY):
            yield from ((word, node, new) for node in nodes for new in operator(node))
    if not making and not any("no_grad" in ast.unparse(decorator) for decorator in function.decorator_list):
        yield from (("detached", old, _method(old, "detach")) for old in _results(nodes))
    yield from (("statement dropped", node, ast.Pass()) for node in _droppable(function))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes to mutate: no annotations, messages, prints, or conditions of ``while``, which might not end."""
    yield node
    if number(node) is not None:
        return
    axes = {id(axis) for axis in axis_arguments(node)}
    for field, value in ast.iter_fields(node):
        if field in UNTOUCHED or (isinstance(node, ast.While) and field == "test"):
            continue
        for child in value if isinstance(value, list) else [value]:
            known = isinstance(child, ast.AST) and id(child) not in axes
            if known and not isinstance(child, ast.JoinedStr) and not _prints(child):
                yield from _walk(child)


def _prints(node: ast.AST) -> bool:
    return called(node.value if isinstance(node, ast.Expr) else node) == "print"


def _method(node: ast.AST, name: str) -> ast.AST:
    return ast.parse(f"({ast.unparse(node)}).{name}()", mode="eval").body


def _results(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """Yield expressions that a gradient may flow through: values bound to a name, and results."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name()], value=value) if _differentiable(value, False):
                yield value
            case ast.Return(value=ast.Tuple(elts=values)):
                yield from (value for value in values if _differentiable(value, True))
            case ast.Return(value=ast.expr() as value) if _differentiable(value, True):
                yield value


def _differentiable(value: ast.expr, returned: bool) -> bool:
    match value:
        case ast.Name():
            return returned
        case ast.Call():
            return called(value) not in NO_GRADIENT
        case ast.UnaryOp(op=ast.USub()) | ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.MatMult()):
            inner = [called(node) for node in ast.walk(value) if isinstance(node, ast.Call)]
            matrices = any(isinstance(node, ast.MatMult) for node in ast.walk(value))
            return returned or matrices or not NO_GRADIENT.issuperset(inner)
    return False


def _droppable(function: Function) -> Iterator[ast.stmt]:
    """Yield statements to drop: reassignments, calls for their effect, raises. Not those that may end a loop."""
    bound = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    loops = [node for node in _walk(function) if isinstance(node, ast.While)]
    ends = {id(inner): _names(loop.test) for loop in loops for inner in ast.walk(loop)}
    for node in _walk(function):
        match node:
            case ast.Assign(targets=targets):
                touched = stored = _stored(targets)
            case ast.AugAssign(target=target):
                touched = stored = _stored([target])
            case ast.Expr(value=ast.Call()) | ast.Raise():
                touched, stored = _names(node), set()
            case _:
                continue
        if stored <= bound and touched.isdisjoint(ends.get(id(node), ())):
            assert isinstance(node, ast.stmt)
            yield node
        bound |= stored


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _stored(targets: list[ast.expr]) -> set[str]:
    """Return the names that an assignment binds or writes into. The name of an attribute is its whole text."""
    found: set[str] = set()
    for target in targets:
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                found |= _stored(parts)
            case ast.Starred(value=inner) | ast.Subscript(value=inner):
                found |= _stored([inner])
            case _:
                found.add(ast.unparse(target))
    return found
