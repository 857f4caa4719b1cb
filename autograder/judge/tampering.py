"""What in a source reaches for the record of what runs.

A submission shares its process with the code that records it. Code that falsifies the record has to find that code, or
to replace what it uses. These words and statements do, and no exercise has a use for them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

OURS = ("autograder.worker", "autograder.protocol", "autograder.sandbox")
# Whole names count: a word in a text does not.
_NAMES = """
    setprofile getprofile settrace addaudithook _clear_callbacks _enable_record_function _enable_profiler_legacy
    _disable_profiler_legacy _profiler_enabled profiler_legacy _dispatch_library
    _getframe currentframe f_locals f_back tb_frame gi_frame get_objects get_referrers get_referents unfreeze
    __code__ __closure__ __wrapped__ cell_contents _bootstrap _call_with_frames_removed
    redispatch redispatch_boxed call_boxed get_kernel decomposition_table _decomp next_functions
    __enter__ __torch_function__ __torch_dispatch__ force_setattr interrupt_main set_bit_generator
"""
NAMES = frozenset(_NAMES.split())
# Methods that Python or torch calls while the worker reads a result, or drops it.
METHODS = frozenset({"__del__", "__getattribute__", "__torch_function__", "__torch_dispatch__"})
SETTINGS = frozenset({"backends", "config"})  # ``torch.backends.cudnn.deterministic = True`` replaces no code
REPLACING = frozenset({"setattr", "delattr"})


def is_word(name: str) -> bool:
    """Whether a name, an import or a text that may be used as a name belongs to the recorders or to their ways."""
    return name.startswith(OURS) or not NAMES.isdisjoint(name.split("."))


def hides(node: ast.AST) -> bool:
    """Whether a node hides what runs: it defines a method that runs unasked, changes an object's class, calls a node of
    a graph, or computes an attribute's name from literal texts, which a sum of them does not hide."""
    match node:
        case ast.FunctionDef(name=name):
            return name in METHODS
        case ast.Attribute(attr="__class__", ctx=ast.Store()) | ast.Constant(value="__class__"):
            return True
        case ast.Call(func=ast.Attribute(attr="grad_fn")):
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            parts = list(ast.walk(name))
            computed = any(isinstance(part, ast.Call | ast.Subscript) for part in parts)
            return computed and not any(isinstance(part, ast.Name) for part in parts)
    return False


def replaced(node: ast.AST) -> str:
    """Return the variable of which a node sets or deletes an attribute, at any depth: ``torch`` in ``torch.nn.x = y``.

    Empty if it does nothing of the kind, and for a library's settings.
    """
    match node:
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
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name.partition(".")[0] for alias in names]
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value) if _root(value) in known:
            return [name]
    return []
