"""A program's steps as lines of Python that call the student's code as a worker does."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from autograder import model, protocol

TAKEN = frozenset({"case", "student", "torch", "np", "loss", "parameter", "array", "packed", "nan", "inf", "Case"})


class Names:
    """Variables for the arrays, objects and results of a program. Each is unique."""

    def __init__(self, program: protocol.Program) -> None:
        self.program = program
        self.variables: dict[str, str] = {}
        self.lists: dict[str, str] = {}  # equal lists are one object, as in a worker
        for name in (*program.named, *program.arrays):
            self._add(self.variables, name, name)
        for step in program.calls:
            for arg in (*step.args, *step.kwargs.values()):
                if isinstance(arg, list) and repr(arg) not in self.lists:
                    self._add(self.lists, repr(arg), f"list_{len(self.lists) + 1}")

    def _add(self, table: dict[str, str], key: str, wanted: str) -> None:
        used = {*self.variables.values(), *self.lists.values(), *TAKEN}
        name = re.sub(r"\W", "_", wanted, flags=re.ASCII)
        name = f"_{name}" if name[:1].isdigit() or keyword.iskeyword(name) else name
        while name in used:
            name += "_"
        table[key] = name

    def argument(self, arg: protocol.Argument) -> str:
        """Return an argument as source."""
        if isinstance(arg, list):
            return self.lists[repr(arg)]
        if not isinstance(arg, protocol.Ref):
            return repr(arg)
        item = "" if arg.item is None or arg.name in self.program.arrays else f"[{arg.item}]"
        return f"{self.variables[arg.name]}{item}"

    def subject(self, name: str) -> str:
        """Return what a step calls or looks at: an object of the program, or a name of the student's file."""
        first, _, rest = name.partition(".")
        root = self.variables[first] if first in self.program.named else f"student.{first}"
        return f"{root}.{rest}" if rest else root

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        """Return a call as source."""
        named = [f"{key}={self.argument(arg)}" for key, arg in kwargs.items()]
        return f"{self.subject(name)}({', '.join([*map(self.argument, args), *named])})"


def lines(prepared: model.Prepared, recorded: Collection[str]) -> Iterator[str]:
    """Yield the steps of a case as source. The operations of the calls in ``recorded`` are noted."""
    names = Names(prepared.program)
    for text, name in names.lists.items():
        yield f"{name} = {text}"
    for step in prepared.program.steps:
        match step:
            case protocol.Make():
                yield from _make(step, names, _wanted(prepared, step.into))
            case protocol.Call():
                yield from _call(step, names, _wanted(prepared, step.into), step.into in recorded)
            case protocol.Optimizer():
                options = "".join(f", {key}={value!r}" for key, value in step.options.items())
                yield f"with case.step({step.into!r}):"
                made = f"torch.optim.{step.kind}({names.variables[step.module]}.parameters(){options})"
                yield f"    {names.variables[step.into]} = {made}"
            case protocol.SetGrads():
                yield f"with case.step({step.module!r}):"
                yield f"    for parameter in {names.variables[step.module]}.parameters():"
                yield f"        parameter.grad = torch.full_like(parameter, {step.value!r})"
            case protocol.Inspect():
                method = ", method=True" if "." in step.name else ""
                yield f"with case.step({step.into!r}):"
                yield f"    case.look({step.into!r}, {names.subject(step.name)}{method})"
            case protocol.State():
                yield f"with case.step({step.into!r}):"
                yield f"    case.state({step.into!r}, {names.variables[step.module]})"


def _wanted(prepared: model.Prepared, into: str) -> str:
    """Return the option for a step that must raise."""
    raised = prepared.expected[into].raised if into in prepared.expected else None
    return f", raises={raised.type!r}" if raised and raised.during != "skipped" else ""


def _make(step: protocol.Make, names: Names, wanted: str) -> Iterator[str]:
    variable = names.variables[step.into]
    yield f"with case.step({step.into!r}{wanted}):"
    yield f"    {variable} = {names.call(step.name, step.args, step.kwargs)}"
    train = ", train=True" if step.train else ""
    yield f"    case.load({variable}, {step.state!r}{train})"


def _call(step: protocol.Call, names: Names, wanted: str, recorded: bool) -> Iterator[str]:
    record = ", record=True" if recorded else ""
    yield f"with case.call({step.into!r}{wanted}{record}):"
    yield from (f"    {line}" for line in _inputs(step, names))
    variable = names.variables[step.into]
    yield f"    {variable} = {names.call(step.name, step.args, step.kwargs)}"
    yield f"    case.keep({step.into!r}, {variable})"
    if any(step.cotangents):
        yield f"with case.backward({step.into!r}{record}):"
        yield f"    loss = {_loss(step, variable)}"
        yield f"    case.gradients({step.into!r}, loss{_targets(step, names)})"


def _inputs(step: protocol.Call, names: Names) -> Iterator[str]:
    """Yield the line that makes the tensors of a call, if it has any."""
    given = list(dict.fromkeys(ref.name for ref in step.refs if ref.name in names.program.arrays))
    if not given:
        return
    options = f", wrt={step.wrt!r}" if step.wrt else ""
    options += f", layout={step.layout!r}" if step.layout != "contiguous" else ""
    options += f", reuses={_reused(step, names.program)!r}" if step.reuses else ""
    variables = ", ".join(names.variables[name] for name in given)
    yield f"[{variables}] = case.inputs({', '.join(map(repr, (step.into, *given)))}{options})"


def _reused(step: protocol.Call, program: protocol.Program) -> dict[str, tuple[str, str]]:
    earlier = program.named[step.reuses]
    assert isinstance(earlier, protocol.Call)
    pairs = zip(earlier.args, step.args, strict=True)
    refs = [(old, new) for old, new in pairs if isinstance(old, protocol.Ref) and isinstance(new, protocol.Ref)]
    return {new.name: (step.reuses, old.name) for old, new in refs if old.name in program.arrays}


def _loss(step: protocol.Call, variable: str) -> str:
    several = len(step.outputs) > 1
    terms = [
        f"({variable}{f'[{number}]' if several else ''} * case.tensor({name!r})).sum()"
        for number, name in enumerate(step.cotangents)
        if name is not None
    ]
    return " + ".join(terms)


def _targets(step: protocol.Call, names: Names) -> str:
    modules = ", ".join(f"{name!r}: {names.variables[name]}" for name in step.modules)
    return (f", wrt={step.wrt!r}" if step.wrt else "") + (f", modules={{{modules}}}" if modules else "")
