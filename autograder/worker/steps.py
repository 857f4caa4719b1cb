"""Runs one program on a loaded submission, step by step, and notes what each step showed."""

from __future__ import annotations

import contextlib
import itertools
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from autograder import model
from autograder.worker import cuda, meta, observe, shapes
from autograder.worker.given import Given, Missing, Skipped
from autograder.worker.kernels import Kernels
from autograder.worker.tracing import Names, graph, operations

ENGINE: Any = torch.autograd.Variable._execution_engine.run_backward
NO_CONTEXT = contextlib.nullcontext()
CHANGED = "recording::changed"  # a result that is another when it is read again


class Conversation(Given):
    """The state of one program: its arrays, the objects that it made, and what is to be reported."""

    def __init__(
        self,
        module: types.ModuleType,
        filename: str,
        program: model.Program,
        kernels: Kernels | None = None,
        restore: Callable[[], None] = lambda: None,  # puts our own code back where it was replaced
    ) -> None:
        self.kernels = kernels or Kernels()
        self.restore = restore
        super().__init__(module, program)
        self.filename = filename
        self.dtype = getattr(torch, program.dtype)
        self.born: dict[
            int, torch.dtype
        ] = {}  # of parameters, by id: objects of this program live as long as it
        self.dtypes: dict[str, dict[str, torch.dtype]] = {}  # of parameters, as their module was made

    def run(self) -> tuple[model.Seen, ...]:
        """What every step showed. Results are described only after the last step, so that a result
        which a later call has overwritten shows."""
        reports: list[Callable[[], model.Seen]] = []
        restore = self.restore
        on_meta = self.program.device == "meta"
        watched = {step.watch for step in self.program.steps if isinstance(step, model.Call)}
        self.kernels.watch(max(watched, default=""))  # softmax is the more of the two
        if self.program.device == "cuda":
            try:
                cuda.begin(self.program.memory_bytes)
            except Exception as error:  # a device that does not work: torch says why
                return tuple(self._failure(step, error)() for step in self.program.steps)
        if on_meta:
            shapes.prefer_compiled()
        for step in self.program.steps:
            try:
                with meta.Copies() if on_meta and isinstance(step, model.Call) else NO_CONTEXT:
                    reports.append(getattr(self, f"_{STEP_NAMES[type(step)]}")(step))
            except BaseException as error:  # SystemExit and the like must not end the worker
                reports.append(self._failure(step, error))
        restore()
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
            named = dict(made.named_parameters(remove_duplicate=False))
            self.dtypes[step.into] = {n: self.born.setdefault(id(p), p.dtype) for n, p in named.items()}
            self._load_state(made, named, step.state)
            self._settle(made, named)
            made.train(step.train)
        self.made[step.into] = made
        return lambda: model.Seen(step.into)

    def _settle(self, module: torch.nn.Module, parameters: dict[str, torch.nn.Parameter]) -> None:
        """Brings a module that has its weights to the program's device and dtype. On the CPU, where all weights were
        given, there is nothing left to do, which ``to`` takes as long to see as a forward pass takes."""
        place = self.program.device, self.dtype
        tensors = itertools.chain(parameters.values(), module.buffers())
        if any((one.device.type, one.dtype) != place for one in tensors):
            module.to(*place)

    def _load_state(
        self, module: torch.nn.Module, parameters: dict[str, torch.nn.Parameter], state: dict[str, str]
    ) -> None:
        """As ``load_state_dict`` would, which costs more than most students' forward pass."""
        for name, array in state.items():
            if name not in parameters:
                own = vars(module).keys() - vars(torch.nn.Module()).keys()
                there = ", ".join(parameters) or ("none that is registered" if own else "none")
                raise Missing(f"{type(module).__name__} has no parameter {name}; it has {there}")
            parameter, values = parameters[name], self._on_cpu(array)
            if parameter.shape != values.shape:
                sizes = f"{tuple(parameter.shape)}, not {tuple(values.shape)}"
                raise Missing(f"{type(module).__name__} has a parameter {name} of shape {sizes}")
            parameter.data = values  # of the program's dtype, which its own need not be

    def _call(self, step: model.Call) -> Callable[[], model.Seen]:
        function = self._resolve(step.name)
        given: dict[str, torch.Tensor] = {}
        args = self._arguments(step.args, step, given)
        kwargs = {key: self._arguments([arg], step, given)[0] for key, arg in step.kwargs.items()}
        names, later, made_of, early, restore = Names(), set[str](), set[str](), None, self.restore
        with self._traced(step, names):
            dice = _dice()
            lists = {number: repr(arg) for number, arg in enumerate(args) if isinstance(arg, list)}
            try:
                result = function(*args, **kwargs)
            finally:
                if step.looked_at:
                    restore()
            if step.looked_at:  # work may be put off until a result is looked at, so that is done here
                early, made_of = observe.value(result), graph(result) if step.trace else set()
        drew = dice != _dice()
        changed = tuple(number for number, before in lists.items() if repr(args[number]) != before)
        self.made[step.into] = result
        gradients: dict[str, model.Array | None] = {}
        trouble = None
        if step.cotangents:
            already = len(self.kernels.ran)
            gradients, trouble = self._backward(step, result, given)
            later.update(self.kernels.ran[already:])

        def report() -> model.Seen:
            value = observe.value(result)
            if early is not None:
                names.update(made_of | ({CHANGED} if value != early else set()))
            return model.Seen(
                step.into,
                value=value,
                raised=trouble,
                gradients=gradients,
                echoes={name: observe.tensor(t) for name, t in given.items()} if step.echo else {},
                operations=tuple(sorted(names)),
                count=sum(names[name] for name in names if name.startswith("aten::")) if step.trace else 0,
                later=tuple(sorted(later)),
                drew=drew,
                changed=changed,
            )

        return report

    def _traced(self, step: model.Call, names: Names) -> contextlib.AbstractContextManager[None]:
        return operations(names, self.kernels, step.trace) if step.looked_at else NO_CONTEXT

    def _backward(
        self, step: model.Call, result: Any, given: dict[str, torch.Tensor]
    ) -> tuple[dict[str, model.Array | None], model.Raised | None]:
        """Gradients of sum(output * cotangent) for every input and parameter that is asked for."""
        try:
            outputs = zip(_outputs(result, len(step.outputs)), step.cotangents, strict=True)
            wanted = {name: given[name] for name in step.wrt if name in given}
            for name in step.modules:
                wanted |= {f"{name}.{key}": p for key, p in self.made[name].named_parameters()}
            pairs = [(output, self._tensor(name)) for output, name in outputs if name is not None]
            found = _gradients(pairs, tuple(wanted.values()))
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


def _dice() -> bytes:
    """The state of the random numbers. As bytes: torch would hold them against each other one by one."""
    return torch.get_rng_state().numpy().tobytes()


def _gradients(
    pairs: Sequence[tuple[Any, torch.Tensor]], wanted: tuple[torch.Tensor, ...]
) -> Sequence[torch.Tensor | None]:
    """Of the sum of output * cotangent. Where each output goes with its cotangent the engine is asked itself: that
    costs a third of what a loss does, and torch.autograd.grad, given cotangents, would import sympy."""
    if all(_goes_with(*pair) for pair in pairs):
        outputs, cotangents = zip(*pairs, strict=True)
        found: Sequence[torch.Tensor | None] = ENGINE(
            outputs, cotangents, False, False, wanted, allow_unreachable=True, accumulate_grad=False
        )
        return found
    loss = sum((output * cotangent).sum() for output, cotangent in pairs)
    return torch.autograd.grad(loss, wanted, allow_unused=True)


def _goes_with(output: Any, cotangent: torch.Tensor) -> bool:
    return (
        type(output) is torch.Tensor
        and output.requires_grad
        and (output.shape, output.dtype, output.device)
        == (cotangent.shape, cotangent.dtype, cotangent.device)
    )


def _outputs(result: Any, count: int) -> Sequence[Any]:
    if result is None:  # a stub's; torch takes long to say what it can't be multiplied with
        raise TypeError("None has no gradient")
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
