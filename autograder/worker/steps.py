"""Runs one program on a loaded submission, step by step, and notes what each step showed."""

from __future__ import annotations

import contextlib
import difflib
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from autograder import model, wire
from autograder.worker import meta, observe
from autograder.worker.tracing import operations


class Skipped(Exception):
    """An earlier step that this one needs has failed."""


class Missing(Exception):
    """The submission does not define a name that is asked for."""


class Conversation:
    """The state of one program: its arrays, the objects that it made, and what is to be reported."""

    def __init__(self, module: types.ModuleType, filename: str, program: model.Program) -> None:
        self.module = module
        self.filename = filename
        self.program = program
        self.dtype = getattr(torch, program.dtype)
        self.made: dict[str, Any] = {}
        self.lists: dict[str, list[Any]] = {}
        self.born: dict[
            int, torch.dtype
        ] = {}  # of parameters, by id: objects of this program live as long as it
        self.dtypes: dict[str, dict[str, torch.dtype]] = {}  # of parameters, as their module was made

    def run(self) -> tuple[model.Seen, ...]:
        """What every step showed. Results are described only after the last step, so that a result
        which a later call has overwritten shows."""
        reports: list[Callable[[], model.Seen]] = []
        on_meta = self.program.device == "meta"
        with meta.offered() if on_meta else contextlib.nullcontext():
            for step in self.program.steps:
                try:
                    reports.append(getattr(self, f"_{STEP_NAMES[type(step)]}")(step))
                except BaseException as error:  # SystemExit and the like must not end the worker
                    reports.append(self._failure(step, error))
        return tuple(self._report(*pair) for pair in zip(self.program.steps, reports, strict=True))

    def _report(self, step: model.Step, report: Callable[[], model.Seen]) -> model.Seen:
        try:
            return report()
        except BaseException as error:  # a result that can't be read out
            return self._failure(step, error)()

    def _failure(self, step: model.Step, error: BaseException) -> Callable[[], model.Seen]:
        during: Any = STEP_NAMES[type(step)]
        if isinstance(error, Skipped):
            during = "skipped"
        elif during not in ("make", "inspect"):
            during = "call"
        into = step.module if isinstance(step, model.SetGrads) else step.into
        seen = model.Seen(into, raised=observe.raised(error, self.filename, during))
        return lambda: seen

    # ------------------------------------------------------------ steps

    def _make(self, step: model.Make) -> Callable[[], model.Seen]:
        made = self._resolve(step.name)(*self._plain(step.args), **self._plain_dict(step.kwargs))
        if isinstance(made, torch.nn.Module):
            named = dict(made.named_parameters())
            self.dtypes[step.into] = {n: self.born.setdefault(id(p), p.dtype) for n, p in named.items()}
            made.to(self.program.device, self.dtype)
            made.train(step.train)
            self._load_state(made, step.state)
        self.made[step.into] = made
        return lambda: model.Seen(step.into)

    def _load_state(self, module: torch.nn.Module, state: dict[str, str]) -> None:
        """As ``load_state_dict`` would, which costs more than most students' forward pass."""
        parameters = dict(module.named_parameters(remove_duplicate=False)) if state else {}
        for name, array in state.items():
            if name not in parameters:
                own = vars(module).keys() - vars(torch.nn.Module()).keys()
                there = ", ".join(parameters) or ("none that is registered" if own else "none")
                raise Missing(f"{type(module).__name__} has no parameter {name}; it has {there}")
            parameter, values = parameters[name], self._tensor(array)
            if parameter.shape != values.shape:
                sizes = f"{tuple(parameter.shape)}, not {tuple(values.shape)}"
                raise Missing(f"{type(module).__name__} has a parameter {name} of shape {sizes}")
            parameter.data.copy_(values)

    def _call(self, step: model.Call) -> Callable[[], model.Seen]:
        function = self._resolve(step.name)
        given: dict[str, torch.Tensor] = {}
        args = self._arguments(step.args, step, given)
        kwargs = {key: self._arguments([arg], step, given)[0] for key, arg in step.kwargs.items()}
        names: set[str] = set()
        with operations(names) if step.trace else contextlib.nullcontext():
            dice = torch.get_rng_state()
            lists = {number: repr(arg) for number, arg in enumerate(args) if isinstance(arg, list)}
            result = function(*args, **kwargs)
        drew = not torch.equal(dice, torch.get_rng_state())
        changed = tuple(number for number, before in lists.items() if repr(args[number]) != before)
        self.made[step.into] = result
        with operations(names) if step.trace and step.cotangents else contextlib.nullcontext():
            gradients, trouble = self._backward(step, result, given) if step.cotangents else ({}, None)
        return lambda: model.Seen(
            step.into,
            value=observe.value(result),
            raised=trouble,
            gradients=gradients,
            echoes={name: observe.tensor(t) for name, t in given.items()} if step.echo else {},
            operations=tuple(sorted(names)),
            drew=drew,
            changed=changed,
        )

    def _backward(
        self, step: model.Call, result: Any, given: dict[str, torch.Tensor]
    ) -> tuple[dict[str, model.Array | None], model.Raised | None]:
        """Gradients of sum(output * cotangent) for every input and parameter that is asked for."""
        wanted = {name: given[name] for name in step.wrt if name in given}
        for name in step.modules:
            wanted |= {f"{name}.{key}": p for key, p in self.made[name].named_parameters()}
        try:
            # A scalar loss, because cotangents handed to autograd directly cost an import of sympy.
            loss = sum(
                (output * self._tensor(cotangent)).sum()
                for output, cotangent in zip(
                    _outputs(result, len(step.outputs)), step.cotangents, strict=True
                )
                if cotangent is not None
            )
            found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
        except BaseException as error:
            return {}, observe.raised(error, self.filename, "backward")
        return {
            name: None if gradient is None else observe.tensor(gradient)
            for name, gradient in zip(wanted, found, strict=True)
        }, None

    def _optimizer(self, step: model.Optimizer) -> Callable[[], model.Seen]:
        parameters = self._object(step.module).parameters()
        self.made[step.into] = getattr(torch.optim, step.kind)(parameters, **step.options)
        return lambda: model.Seen(step.into)

    def _set_grads(self, step: model.SetGrads) -> Callable[[], model.Seen]:
        for parameter in self._object(step.module).parameters():
            parameter.grad = torch.full_like(parameter, step.value)
        return lambda: model.Seen(step.module)

    def _inspect(self, step: model.Inspect) -> Callable[[], model.Seen]:
        subject = self._resolve(step.name)
        dtypes = self.dtypes.get(step.name, {})
        seen = model.Seen(step.into, interface=observe.interface(subject, "." in step.name, dtypes))
        return lambda: seen

    def _state(self, step: model.State) -> Callable[[], model.Seen]:
        module = self._object(step.module)
        state = {name: observe.tensor(parameter) for name, parameter in module.named_parameters()}
        seen = model.Seen(step.into, parameters=state, training=bool(module.training))
        return lambda: seen

    # ------------------------------------------------------------ names and arguments

    def _resolve(self, name: str) -> Any:
        """``object``, ``object.method`` or ``Class.method``: of what this program has made, else of the file."""
        first, *rest = name.split(".")
        if first in self.made:
            found = self.made[first]
        elif any(isinstance(step, model.Make) and step.into == first for step in self.program.steps):
            raise Skipped(f"{first} could not be made")
        elif not hasattr(self.module, first):
            raise Missing(f"{first} is not defined{self._near(first)}")
        else:
            found = getattr(self.module, first)
        for part in rest:
            if not hasattr(found, part):
                owner = found.__name__ if isinstance(found, type) else type(found).__name__
                raise Missing(f"{owner}.{part} is not defined")
            found = getattr(found, part)
        return found

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, vars(self.module), 1, 0.75)
        return f"; the file defines {near[0]}" if near else ""

    def _object(self, name: str) -> Any:
        if name not in self.made:
            raise Skipped(f"{name} could not be made")
        return self.made[name]

    def _arguments(self, args: list[Any], step: model.Call, given: dict[str, torch.Tensor]) -> list[Any]:
        def one(arg: Any) -> Any:
            if isinstance(arg, list):  # equal ones are one object: what a call does to it, the next one meets
                return self.lists.setdefault(repr(arg), arg)
            if not isinstance(arg, model.Ref):
                return arg
            if arg.name not in self.program.arrays:
                made = self._object(arg.name)
                return made if arg.item is None else made[arg.item]
            if arg.name not in given:  # the same array twice in one call is the same tensor
                tensor = laid_out(self._tensor(arg.name), step.layout)
                given[arg.name] = tensor.requires_grad_() if arg.name in step.wrt else tensor
            return given[arg.name]

        return [one(arg) for arg in args]

    def _plain(self, args: list[Any]) -> list[Any]:
        return [self._object(a.name) if isinstance(a, model.Ref) else a for a in args]

    def _plain_dict(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return dict(zip(kwargs, self._plain(list(kwargs.values())), strict=True))

    def _tensor(self, name: str) -> torch.Tensor:
        """A fresh tensor each time: what a student does to one call's input can't reach another's."""
        array = self.program.arrays[name]
        tensor = torch.from_numpy(wire.to_numpy(array).copy())
        return tensor if array.device == "cpu" else tensor.to(array.device)


def laid_out(tensor: torch.Tensor, layout: model.Layout) -> torch.Tensor:
    """The same values with other strides: axes stored in reverse, or every second element of a larger store."""
    if layout == "reversed":
        axes = tuple(reversed(range(tensor.dim())))
        return tensor.permute(axes).contiguous().permute(axes)
    if layout == "gapped" and tensor.dim():
        store = tensor.new_zeros((*tensor.shape[:-1], 2 * tensor.shape[-1]))
        store[..., ::2] = tensor
        return store[..., ::2]
    return tensor


def _outputs(result: Any, count: int) -> Sequence[Any]:
    if count == 1:
        return [result]
    if not isinstance(result, (tuple, list)) or len(result) != count:
        raise TypeError(f"{count} results were due")
    return result


STEP_NAMES: dict[type, str] = {
    model.Make: "make",
    model.Call: "call",
    model.Optimizer: "optimizer",
    model.SetGrads: "set_grads",
    model.Inspect: "inspect",
    model.State: "state",
}
