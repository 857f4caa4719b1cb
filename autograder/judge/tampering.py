"""What in a source reaches for the record of what runs.

A submission shares its process with the code that records it. Code that falsifies the record must find that code, or
replace what it uses. These words and statements do one or the other, and no exercise has a use for them.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Collection

OURS = ("autograder.worker", "autograder.protocol", "autograder.sandbox")
# Whole names count: a word in a text does not.
_NAMES = """
    setprofile getprofile settrace addaudithook _clear_callbacks _enable_record_function _enable_profiler_legacy
    _disable_profiler_legacy _profiler_enabled profiler_legacy _dispatch_library
    _getframe currentframe f_locals f_back tb_frame gi_frame get_objects get_referrers get_referents
    __code__ __closure__ __wrapped__ cell_contents _bootstrap _call_with_frames_removed
    redispatch redispatch_boxed call_boxed decomposition_table _decomp
    __torch_function__ __torch_dispatch__ force_setattr interrupt_main set_bit_generator
"""
NAMES = frozenset(_NAMES.split())
# Methods that Python or torch calls while the worker reads a result, or drops it.
METHODS = frozenset({"__del__", "__getattribute__", "__torch_function__", "__torch_dispatch__"})
NODES_OF_A_GRAPH = frozenset({"grad_fn", "next_functions"})
REPLACING = frozenset({"setattr", "delattr"})
# What the worker's own code uses. It refuses other libraries, or gives a submission empty ones.
LIBRARIES = sys.stdlib_module_names | {"torch", "numpy", "autograder"}
SETTINGS = frozenset({"backends", "config"})  # options, such as ``torch.backends.cudnn.deterministic = True``
HARMLESS = frozenset({"path", "argv", "stdout", "stderr"})  # attributes of ``sys``
MOST_PARTS = 100  # of an expression that are looked at


def is_word(name: str) -> bool:
    """Whether a name, an import or a text that may be used as a name belongs to the recorders or to their ways."""
    return name.startswith(OURS) or not NAMES.isdisjoint(name.split("."))


def hides(node: ast.AST) -> bool:
    """Whether a node hides what runs.

    It defines a method that runs unasked, changes an object's class, calls a node of a graph, or computes an
    attribute's name from literals by a call or an index. A sum of literals is joined and read instead.
    """
    match node:
        case ast.FunctionDef(name=name):
            return name in METHODS
        case ast.Attribute(attr="__class__", ctx=ast.Store()) | ast.Constant(value="__class__"):
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            parts = list(itertools.islice(ast.walk(name), MOST_PARTS))
            computed = any(isinstance(part, ast.Call | ast.Subscript) for part in parts)
            return computed and not any(isinstance(part, ast.Name) for part in parts)
        case ast.Call(func=function):
            while isinstance(function, ast.Subscript):
                function = function.value
            return isinstance(function, ast.Attribute) and function.attr in NODES_OF_A_GRAPH
    return False


def replaced(node: ast.AST) -> str:
    """Return the variable of which a node sets or deletes an attribute, at any depth: ``torch`` in ``torch.nn.x = y``.

    Empty if it does nothing of the kind, and for a library's settings.
    """
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr=attribute) if attribute in HARMLESS:
            return ""
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _root(node)
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in REPLACING:
            return _root(first)
    return ""


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr in SETTINGS:
            return ""
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def imported(node: ast.AST, known: Collection[str]) -> list[str]:
    """Return the variables to which a node binds a library or a part of one. ``known`` are those before."""
    match node:
        case ast.Import(names=names):
            return [one.asname or one.name.partition(".")[0] for one in names if _counts(one.name)]
        case ast.ImportFrom(module=str(module), names=names):
            return [one.asname or one.name for one in names if _counts(f"{module}.{one.name}")]
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _root(value) in known:
            return [name]
    return []


def _counts(module: str) -> bool:
    first, *others = module.split(".")
    return first in LIBRARIES and SETTINGS.isdisjoint(others)
