"""The interpreter: steps in, what a right submission shows out."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import torch

from autograder import cases, model, wire

ATTEMPTS = 300  # a search that shows something is found in one of ten or so


class Ambiguous(Exception):
    """The inputs that were drawn leave room for two right answers; other ones must be drawn."""


class Weighted:
    """Base of the stand-ins for student modules: remembers its weights by their state-dict names."""

    def __init__(self, **shapes: tuple[int, ...]) -> None:
        self.shapes = {name.replace("__", "."): shape for name, shape in shapes.items()}
        self.weights: dict[str, torch.Tensor] = {
            name: torch.zeros(shape, dtype=torch.float64, requires_grad=True)
            for name, shape in self.shapes.items()
        }
        self.parts: dict[str, Weighted] = {}  # modules in this one
        self.training = False

    def contain(self, **parts: Weighted) -> None:
        """Takes in other modules: their weights, the same tensors, are this one's too."""
        self.parts |= parts
        for prefix, part in parts.items():
            self.weights |= {f"{prefix}.{name}": weight for name, weight in part.weights.items()}

    def train(self, mode: bool) -> None:
        """Brings this module and those in it to train or eval mode."""
        self.training = mode
        for part in self.parts.values():
            part.train(mode)

    def load(self, state: dict[str, torch.Tensor]) -> None:
        """Sets weights; parts shared with other objects stay shared."""
        for name, value in state.items():
            if self.weights[name].shape != value.shape:
                raise AssertionError(f"the spec gives {name} a wrong shape")
            with torch.no_grad():
                self.weights[name].copy_(value)


def prepare(topic: str, case: model.Case, seed: str, dtype: model.Dtype | None = None) -> model.Prepared:
    """A case with its expected answer. Inputs that leave room for two answers, or that do not show what the
    case is for, are drawn again."""
    # Small tensors gain nothing from threads and lose much where cores are busy; and this process may be forked.
    torch.set_num_threads(1)
    for attempt in range(ATTEMPTS):
        program = case.build(cases.Draw(seed, topic, case.id, attempt, dtype))
        try:
            due = expected(topic, program)
        except Ambiguous:
            continue
        if case.telling is None or case.telling({seen.into: seen for seen in due}):
            asked = msgspec.structs.replace(program, asides=())
            return model.Prepared(case.id, asked, due[: len(asked.steps)])
    raise RuntimeError(f"{topic}: no unambiguous inputs for case {case.id} in {ATTEMPTS} attempts")


def expected(topic: str, program: model.Program) -> tuple[model.Seen, ...]:
    """What a right submission shows in each step of ``program``, then in its asides."""
    player = _Player(vars(importlib.import_module(f"autograder.oracle.{topic}")), program)
    return tuple(player.step(step) for step in (*program.steps, *program.asides))


def shown(
    topic: str, program: model.Program, names: Mapping[str, Any], gradients: bool = True
) -> tuple[model.Seen, ...]:
    """What a wrong submission shows, in which ``names`` stand in the place of the right ones. Whatever a step
    raises is told, as a worker would. Without ``gradients`` none are taken, which halves the cost."""
    torch.set_num_threads(1)  # see ``prepare``
    right = vars(importlib.import_module(f"autograder.oracle.{topic}"))
    player = _Player({**right, **names}, program, gradients)
    seen = []
    for step in program.steps:
        try:
            seen.append(player.step(step))
        except Exception as error:  # a wrong variant may die of anything
            into = step.module if isinstance(step, model.SetGrads) else step.into
            seen.append(model.Seen(into, raised=model.Raised(type(error).__name__, (), "")))
    return tuple(seen)


class _Player:
    def __init__(self, names: dict[str, Any], program: model.Program, gradients: bool = True) -> None:
        self.names = names
        self.program = program
        self.gradients = gradients
        self.made: dict[str, Any] = {}

    def step(self, step: model.Step) -> model.Seen:
        match step:
            case model.Make() | model.Call():
                try:
                    return self._make(step) if isinstance(step, model.Make) else self._call(step)
                except ValueError as error:  # the only error that the contract demands
                    bases = tuple(base.__name__ for base in type(error).__mro__)
                    return model.Seen(step.into, raised=model.Raised("ValueError", bases, str(error)))
            case model.Optimizer():
                weights = self.made[step.module].weights.values()
                self.made[step.into] = getattr(torch.optim, step.kind)(weights, **step.options)
            case model.SetGrads():
                for weight in self.made[step.module].weights.values():
                    weight.grad = torch.full_like(weight, step.value)
                return model.Seen(step.module)
            case model.Inspect():
                return model.Seen(step.into, interface=self._inspect(step.name))
            case model.State():
                weights = self.made[step.module].weights
                parameters = {name: _array(weight) for name, weight in weights.items()}
                return model.Seen(step.into, parameters=parameters, training=self.made[step.module].training)
        return model.Seen(step.into)

    def _make(self, step: model.Make) -> model.Seen:
        args = [self.made[a.name] if isinstance(a, model.Ref) else a for a in step.args]
        made = self.names[step.name](*args, **step.kwargs)
        made.train(step.train)
        made.load({key: self._tensor(name) for key, name in step.state.items()})
        self.made[step.into] = made
        return model.Seen(step.into)

    def _call(self, step: model.Call) -> model.Seen:
        given: dict[str, torch.Tensor] = {}
        args = [self._argument(arg, step, given) for arg in step.args]
        kwargs = {key: self._argument(arg, step, given) for key, arg in step.kwargs.items()}
        result = self._function(step.name)(*args, **kwargs)
        self.made[step.into] = result
        echoes = {name: self.program.arrays[name] for name in given} if step.echo else {}
        return model.Seen(
            step.into,
            value=_value(result),
            gradients=self._gradients(step, result, given) if step.cotangents and self.gradients else {},
            echoes=echoes,
        )

    def _function(self, name: str) -> Any:
        first, *rest = name.split(".")
        found = self.made[first] if first in self.made else self.names[first]
        for part in rest:
            found = getattr(found, part)
        return getattr(found, "forward", found) if isinstance(found, Weighted) else found

    def _gradients(
        self, step: model.Call, result: Any, given: dict[str, torch.Tensor]
    ) -> dict[str, model.Array | None]:
        wanted = {name: given[name] for name in step.wrt}
        for name in step.modules:
            wanted |= {f"{name}.{key}": weight for key, weight in self.made[name].weights.items()}
        outputs: Iterable[torch.Tensor] = [result] if isinstance(result, torch.Tensor) else result
        loss = torch.zeros((), dtype=torch.float64)
        for output, cotangent in zip(outputs, step.cotangents, strict=True):
            if cotangent is not None:
                loss = loss + (output * self._tensor(cotangent)).sum()
        found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
        return {
            name: _array(torch.zeros_like(tensor) if gradient is None else gradient)
            for (name, tensor), gradient in zip(wanted.items(), found, strict=True)
        }

    def _argument(self, arg: Any, step: model.Call, given: dict[str, torch.Tensor]) -> Any:
        if not isinstance(arg, model.Ref):
            return arg
        if arg.name not in self.program.arrays:
            made = self.made[arg.name]
            return made if arg.item is None else made[arg.item]
        if arg.name not in given:
            tensor = self._tensor(arg.name)
            given[arg.name] = tensor.requires_grad_() if self.gradients and arg.name in step.wrt else tensor
        return given[arg.name]

    def _tensor(self, name: str) -> torch.Tensor:
        tensor = torch.from_numpy(wire.to_numpy(self.program.arrays[name]).copy())
        return tensor.double() if tensor.is_floating_point() else tensor

    def _inspect(self, name: str) -> model.Interface:
        if name in self.made:
            weights = self.made[name].weights
            infos = tuple(
                model.ParameterInfo(key, tuple(weight.shape), self.program.dtype, True)
                for key, weight in weights.items()
            )
            return model.Interface("module", parameters=infos)
        first, *rest = name.split(".")
        found = self.names[first]
        for part in rest:
            found = getattr(found, part)
        signature = inspect.signature(found)
        named = [p for p in signature.parameters.values() if p.name != "self"]
        return model.Interface(
            "class" if inspect.isclass(found) else "function",
            arguments=tuple(p.name for p in named),
            required=tuple(p.name for p in named if p.default is p.empty),
        )


def _array(tensor: torch.Tensor) -> model.Array:
    return wire.to_array(tensor.detach().numpy(), requires_grad=tensor.requires_grad)


def _value(result: Any) -> model.Value:
    if isinstance(result, torch.Tensor):
        return model.Tensor(_array(result))
    if isinstance(result, tuple):
        return model.Sequence("tuple", tuple(_value(item) for item in result))
    return model.Scalar(result)
