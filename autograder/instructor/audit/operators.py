"""Common mistakes in tensor code, as operators: from a node of a syntax tree to its replacements."""

import ast
import itertools
from collections.abc import Callable, Iterator
from typing import TypeVar

from autograder.instructor.audit.patterns import rules

Operator = Callable[[ast.AST], Iterator[ast.AST]]
Node = TypeVar("Node", bound=ast.AST)


def words(*lines: str) -> frozenset[str]:
    """Return the set of words in some lines."""
    return frozenset(" ".join(lines).split())


OTHER_AXES: dict[int, tuple[int, ...]] = {-1: (-2, 0, 1), -2: (-1, 0), 0: (1,), 1: (0, 2), 2: (1,)}
OTHER_PAIRS: dict[tuple[float | None, ...], tuple[tuple[int, int], ...]] = {
    (1, 2): ((0, 1), (2, 3)),
    (-2, -1): ((0, 1), (-3, -2)),
    (-1, -2): ((0, 1), (-3, -2)),
}
AXIS_CALLS = words(
    "all amax amin any argmax argmin cat cumsum flatten log_softmax logsumexp max mean min size softmax squeeze stack",
    "std sum topk unbind unflatten unsqueeze var",
)
ONE_WILL_DO = words("size squeeze")  # every other axis fails in the same way
AXIS_PAIRS = words("transpose swapaxes")
PERMUTING = words("permute movedim")
JOINING = words("cat stack concat hstack vstack")
PAIRS = ["tanh sigmoid", "sum mean", "amax amin", "max min", "sin cos", "softmax log_softmax", "zeros ones"]
PAIRS += ("zeros_like ones_like", "argmax argmin", "log log2")
SWAPS = {one: other for pair in PAIRS for one, other in itertools.permutations(pair.split())}
DROPPABLE = words(
    "abs clamp clone contiguous cos cpu detach double exp flatten flip float int log long masked_fill relu round",
    "sigmoid sin sqrt square squeeze tanh to unsqueeze",
)
MODULES = words("torch F functional math nn np numpy")
SWAP_NOTHING = words(  # the order does not matter, or only the right one runs
    "clip_grad_norm_ full full_like hasattr isinstance map masked_fill max min range super swapaxes transpose",
    "unflatten zip",
)


def called(node: ast.AST) -> str:
    """Return the last part of the name of the called function."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def number(node: ast.AST) -> int | float | None:
    """Return the value of a number literal, with its sign."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _but(node: Node, **fields: object) -> Node:
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def _with(nodes: list[ast.expr], place: int, *new: ast.expr) -> list[ast.expr]:
    return [*nodes[:place], *new, *nodes[place + len(new) :]]


def _axes(node: ast.AST) -> Iterator[tuple[ast.keyword | None, int, ast.expr]]:
    """Yield the axis arguments of a call: keyword or None, position, value."""
    if isinstance(node, ast.Call):
        positional = node.args if isinstance(node.func, ast.Attribute) and called(node) in AXIS_CALLS else []
        yield from ((None, i, arg) for i, arg in enumerate(positional) if isinstance(number(arg), int))
        named = [(k, i) for i, k in enumerate(node.keywords) if k.arg in ("dim", "axis")]
        yield from ((k, i, k.value) for k, i in named if isinstance(number(k.value), int))


def axis_arguments(node: ast.AST) -> list[ast.expr]:
    """Return the axis arguments of a call. They are mutated as axes, not as numbers."""
    pair = node.args[-2:] if isinstance(node, ast.Call) and _pair(node) else []
    return [axis for *_, axis in _axes(node)] + pair


def _axis_changed(node: ast.AST) -> Iterator[ast.AST]:
    for keyword, place, axis in _axes(node):
        assert isinstance(node, ast.Call)
        others = OTHER_AXES.get(int(number(axis) or 0), ())
        for other in map(ast.Constant, others[:1] if called(node) in ONE_WILL_DO else others):
            if keyword is None:
                yield _but(node, args=_with(node.args, place, other))
            else:
                changed = [_but(k, value=other) if k is keyword else k for k in node.keywords]
                yield _but(node, keywords=changed)


def _keepdim_dropped(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and any(k.arg == "keepdim" for k in node.keywords):
        yield _but(node, keywords=[k for k in node.keywords if k.arg != "keepdim"])


def _pair(node: ast.AST) -> tuple[float | int | None, ...]:
    """Return the two axes that a call exchanges: its last two arguments."""
    return tuple(map(number, node.args[-2:])) if isinstance(node, ast.Call) and called(node) in AXIS_PAIRS else ()


def _transpose_changed(node: ast.AST) -> Iterator[ast.AST]:
    if (pair := _pair(node)) and isinstance(node, ast.Call):
        yield from _subject(node)
        for axes in OTHER_PAIRS.get(pair, ()):
            yield _but(node, args=[*node.args[:-2], *map(ast.Constant, axes)])


def _order_of_axes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and called(node) in PERMUTING:
        yield from _neighbours_swapped(node)


def _joined_in_reverse(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(args=[ast.List(elts=parts) | ast.Tuple(elts=parts), *rest]) if called(node) in JOINING:
            yield _but(node, args=[ast.List(parts[::-1], ast.Load()), *rest])


def _index_shifted(node: ast.AST) -> Iterator[ast.AST]:
    """Shift an index, or a bound of a slice, by one."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for i, part in enumerate(parts):
            for other in _neighbours(part):
                new = _with(parts, i, other)
                yield _but(node, slice=ast.Tuple(new, ast.Load()) if len(new) > 1 else other)


def _neighbours(part: ast.expr) -> Iterator[ast.expr]:
    match part:
        case ast.Slice(lower=lower, upper=upper):
            yield from (_but(part, lower=new) for bound in [lower] if bound for new in _neighbours(bound))
            yield from (_but(part, upper=new) for bound in [upper] if bound for new in _neighbours(bound))
        case ast.Name() | ast.BinOp():
            yield ast.BinOp(part, ast.Sub(), ast.Constant(1))
        case _ if isinstance(value := number(part), int):
            yield ast.Constant(value - 1 if value < 0 else value + 1)


def _function_swapped(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Attribute) and node.attr in SWAPS:
        yield _but(node, attr=SWAPS[node.attr])
    elif isinstance(node, ast.Name) and node.id in ("min", "max"):
        yield _but(node, id=SWAPS[node.id])


def _subject(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the operand of a call: ``x`` in ``x.exp()`` and in ``torch.exp(x)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[first, *_]) if name in MODULES:
            yield first
        case ast.Call(func=ast.Attribute(value=tensor)):
            yield tensor


def _call_dropped(node: ast.AST) -> Iterator[ast.AST]:
    if called(node) in DROPPABLE:
        yield from _subject(node)


def _neighbours_swapped(node: ast.AST) -> Iterator[ast.AST]:
    """Swap two neighbouring arguments."""
    if isinstance(node, ast.Call) and called(node) not in SWAP_NOTHING:
        for i, (first, second) in enumerate(itertools.pairwise(node.args)):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                yield _but(node, args=_with(node.args, i, second, first))


def _constant_shifted(node: ast.AST) -> Iterator[ast.AST]:
    value = number(node)
    if isinstance(value, int):
        yield ast.Constant(value + 1)
    elif value is not None:
        yield ast.Constant(float(f"{value * 1.001 or 0.001:.6g}"))


RULES: tuple[tuple[str, Operator], ...] = tuple((rule.word, rule.applied) for rule in rules())
TABLE: tuple[tuple[str, Operator], ...] = (
    ("axis changed", _axis_changed),
    ("keepdim dropped", _keepdim_dropped),
    ("transpose changed", _transpose_changed),
    ("axes permuted", _order_of_axes),
    ("order reversed", _joined_in_reverse),
    ("index shifted", _index_shifted),
    ("call dropped", _call_dropped),
    ("function swapped", _function_swapped),
    ("arguments swapped", _neighbours_swapped),
    ("constant shifted", _constant_shifted),
    *RULES,
)
