"""Runs one program on a loaded submission, step by step, and reports the result of each step."""

from __future__ import annotations

import contextlib
import itertools
import types
from collections.abc import Callable
from gc import disable, enable
from typing import Any

import torch

from autograder import protocol
from autograder.worker import backward, cuda, describe, fast_torch, memory, meta
from autograder.worker.arguments import Arguments, Missing, Skipped, as_tensors
from autograder.worker.loading import standing_in
from autograder.worker.softmax_probes import SoftmaxProbes
from autograder.worker.tracing import WHOLE, Names, graph, operations

NO_CONTEXT = contextlib.nullcontext()
CHANGED = "recording::changed"  # a result that differs when it is read again


class Interpreter(Arguments):
    """The state of one program: its arrays, and the objects that it made."""

    def __init__(
        self,
        module: types.ModuleType,
        filename: str,
        program: protocol.Program,
        probes: SoftmaxProbes | None = None,
        restore: Callable[[], None] = lambda: None,
        errors: type[BaseException] | tuple[type[BaseException], ...] = BaseException,
        before: int | None = None,
    ) -> None:
        """``restore`` puts the worker's own code back where a submission has replaced it. ``errors`` become part of
        the results; any other error propagates. ``before``: the process's peak memory when nothing had run, in bytes.
        """
        self.before = before
        self.probes = probes or SoftmaxProbes()
        self.restore = restore
        self.errors = errors
        super().__init__(module, program)
        self.filename = filename
        self.beside = Names()  # what ran outside of calls, on names whose use is recorded
        self.dtype = getattr(torch, program.dtype)
        self.born: dict[
            int, torch.dtype
        ] = {}  # of parameters, by id; the program keeps its objects alive, so ids stay unique
        self.dtypes: dict[str, dict[str, torch.dtype]] = {}  # of parameters when their module was made

    def run(self) -> tuple[protocol.StepResult, ...]:
        """Return the result of every step. Describes them after the last step, so a result that a later call overwrites
        shows it."""
        reports: list[Callable[[], protocol.StepResult]] = []
        restore = self.restore
        on_meta = self.program.device == "meta"
        watched = {step.watch for step in self.program.steps if isinstance(step, protocol.Call)}
        self.probes.watch(max(watched, default=""))  # "softmax" includes "attention"
        if self.program.device == "cuda":
            try:
                cuda.begin(self.program.memory_bytes)
            except Exception as error:  # the device does not work; torch says why
                return tuple(self._failure(step, error)() for step in self.program.steps)
        if on_meta:
            fast_torch.prefer_compiled_shapes()
        with standing_in(self.program.stand_ins, vars(self.module)):
            for step in self.program.steps:
                try:
                    with meta.Copies() if on_meta and isinstance(step, OWN_CODE) else NO_CONTEXT:
                        reports.append(getattr(self, f"_{STEP_NAMES[type(step)]}")(step))
                except self.errors as error:  # in a worker also SystemExit, which must not end it
                    reports.append(self._failure(step, error))
        restore()
        return tuple(self._report(*pair) for pair in zip(self.program.steps, reports, strict=True))

    def _report(self, step: protocol.Step, report: Callable[[], protocol.StepResult]) -> protocol.StepResult:
        try:
            return report()
        except self.errors as error:  # a result that can't be read
            return self._failure(step, error)()

    def _failure(self, step: protocol.Step, error: BaseException) -> Callable[[], protocol.StepResult]:
        during: Any = STEP_NAMES[type(step)]
        if isinstance(error, Skipped):
            during = "skipped"
        elif during not in ("make", "inspect"):
            during = "call"
        into = step.module if isinstance(step, protocol.SetGrads) else step.into
        result = protocol.StepResult(into, raised=describe.raised(error, self.filename, during))
        return lambda: result

    # ------------------------------------------------------------ steps

    def _make(self, step: protocol.Make) -> Callable[[], protocol.StepResult]:
        with self._recorded(step.name):
            made = self._resolve(step.name)(*self._plain(step.args), **self._plain_dict(step.kwargs))
            if isinstance(made, torch.nn.Module):
                named = dict(made.named_parameters(remove_duplicate=False))
                self.dtypes[step.into] = {n: self.born.setdefault(id(p), p.dtype) for n, p in named.items()}
                self._load_state(made, named, step.state)
                _clear_extra_biases(named, step.state)
                self._settle(made, named)
                made.train(step.train)
        self.made[step.into] = made
        return lambda: protocol.StepResult(step.into)

    def _settle(self, module: torch.nn.Module, parameters: dict[str, torch.nn.Parameter]) -> None:
        """Convert a loaded module to the program's device and dtype.

        On the CPU with all weights loaded there is nothing to do, but ``to`` takes as long as a forward pass.
        """
        place = self.program.device, self.dtype
        tensors = itertools.chain(parameters.values(), module.buffers())
        if any((tensor.device.type, tensor.dtype) != place for tensor in tensors):
            module.to(*place)

    def _load_state(
        self, module: torch.nn.Module, parameters: dict[str, torch.nn.Parameter], state: dict[str, str]
    ) -> None:
        """Load weights. ``load_state_dict`` costs more than most students' forward pass. Raises Missing."""
        for name, array in state.items():
            if name not in parameters:
                own = vars(module).keys() - vars(torch.nn.Module()).keys()
                there = ", ".join(parameters) or ("none that is registered" if own else "none")
                raise Missing(f"{type(module).__name__} has no parameter {name}; it has {there}")
            parameter, values = parameters[name], self._on_cpu(array)
            if parameter.shape != values.shape:
                sizes = f"{tuple(parameter.shape)}, expected {tuple(values.shape)}"
                raise Missing(f"The parameter {name} of {type(module).__name__} has shape {sizes}")
            parameter.data = values  # of the program's dtype; the parameter's own may differ

    def _call(self, step: protocol.Call) -> Callable[[], protocol.StepResult]:
        inputs = self._overwritten(step) if step.reuses else {}
        self.given[step.into] = inputs
        with self._recorded(step.name):  # a module's own ``__getattr__`` may run here
            function = self._resolve(step.name)
            args = self._arguments(step.args, step, inputs)
            kwargs = {key: self._arguments([arg], step, inputs)[0] for key, arg in step.kwargs.items()}
        names, later, made_of, early, restore = Names(), set[str](), set[str](), None, self.restore
        with self._traced(step, names):
            rng_state = _rng_state()
            lists = {number: repr(arg) for number, arg in enumerate(args) if isinstance(arg, list)}
            enable()  # of the garbage, which may be a submission's own code
            try:
                result = function(*args, **kwargs)
            finally:
                if step.is_observed:
                    restore()
                disable()
            if step.is_observed:  # reading a result here runs work that it has put off
                early, made_of = describe.value(result), graph(result) if step.trace else set()
        if self.program.library == "numpy":
            result = as_tensors(result)
        drew = rng_state != _rng_state()
        names.update(self.beside.keys() - {WHOLE} if step.is_observed else ())
        changed = tuple(number for number, before in lists.items() if repr(args[number]) != before)
        grown = self._memory() if step.weigh else None
        self.made[step.into] = result
        gradients: dict[str, protocol.Array | None] = {}
        trouble = None
        if step.cotangents:
            already = len(self.probes.ran)
            gradients, trouble = self._backward(step, result)
            later.update(self.probes.ran[already:])

        def report() -> protocol.StepResult:
            value = describe.value(result)
            if early is not None:
                names.update(made_of | ({CHANGED} if value != early else set()))
            return protocol.StepResult(
                step.into,
                value=value,
                raised=trouble,
                gradients=gradients,
                echoes={name: describe.tensor(t) for name, t in inputs.items()} if step.echo else {},
                operations=tuple(sorted({describe.name(some) for some in names})),
                count=sum(names[name] for name in names if name.startswith("aten::")) if step.trace else 0,
                later=tuple(sorted(later)),
                drew=drew,
                changed=changed,
                grown=grown,
            )

        return report

    def _memory(self) -> int | None:
        """Return how many bytes have been needed at once so far, on the program's device; None if unknown."""
        return cuda.peak() if self.program.device == "cuda" else memory.grown(self.before)

    def _recorded(self, name: str) -> contextlib.AbstractContextManager[None]:
        """Record what runs outside of calls, if the use of this name is recorded."""
        wanted = self.program.records(name)
        return operations(self.beside, self.probes, recorded=False) if wanted else NO_CONTEXT

    def _traced(self, step: protocol.Call, names: Names) -> contextlib.AbstractContextManager[None]:
        return operations(names, self.probes, step.trace) if step.is_observed else NO_CONTEXT

    def _backward(
        self, step: protocol.Call, result: Any
    ) -> tuple[dict[str, protocol.Array | None], protocol.Raised | None]:
        """Return the gradients of sum(output * cotangent) for all requested parameters, and inputs of this call or
        earlier ones."""
        try:
            outputs = zip(backward.outputs_of(result, len(step.outputs)), step.cotangents, strict=True)
            given = {name: tensor for inputs in self.given.values() for name, tensor in inputs.items()}
            wanted = {name: given[name] for name in step.wrt if name in given}
            for name in step.modules:
                wanted |= {
                    f"{name}.{key}": p
                    for key, p in self.made[name].named_parameters()
                    if describe.fits(f"{name}.{key}")
                }
            pairs = [(output, self._tensor(name)) for output, name in outputs if name is not None]
            found = backward.gradients(pairs, tuple(wanted.values()))
        except self.errors as error:
            return {}, describe.raised(error, self.filename, "backward")
        return {
            name: None if gradient is None else describe.tensor(gradient)
            for name, gradient in zip(wanted, found, strict=True)
        }, None

    def _optimizer(self, step: protocol.Optimizer) -> Callable[[], protocol.StepResult]:
        parameters = self._object(step.module).parameters()
        self.made[step.into] = getattr(torch.optim, step.kind)(parameters, **step.options)
        return lambda: protocol.StepResult(step.into)

    def _set_grads(self, step: protocol.SetGrads) -> Callable[[], protocol.StepResult]:
        for parameter in self._object(step.module).parameters():
            parameter.grad = torch.full_like(parameter, step.value)
        return lambda: protocol.StepResult(step.module)

    def _inspect(self, step: protocol.Inspect) -> Callable[[], protocol.StepResult]:
        with self._recorded(step.name):
            subject = self._resolve(step.name)
        dtypes = self.dtypes.get(step.name, {})
        result = protocol.StepResult(step.into, interface=describe.interface(subject, "." in step.name, dtypes))
        return lambda: result

    def _state(self, step: protocol.State) -> Callable[[], protocol.StepResult]:
        module = self._object(step.module)
        state = {name: describe.tensor(p) for name, p in module.named_parameters() if describe.fits(name)}
        result = protocol.StepResult(step.into, parameters=state, training=bool(module.training))
        return lambda: result


def _clear_extra_biases(parameters: dict[str, torch.nn.Parameter], state: dict[str, str]) -> None:
    """Set biases to 0 that a layer has beside its loaded weight, so that the rest of the module can be judged."""
    for name, parameter in parameters.items():
        layer, _, kind = name.rpartition(".")
        if kind == "bias" and name not in state and f"{layer}.weight" in state:
            parameter.data.zero_()


def _rng_state() -> bytes:
    """Return the state of the random numbers as bytes, which compare faster than tensors."""
    return torch.get_rng_state().numpy().tobytes()


OWN_CODE = protocol.Make, protocol.Call  # steps that run a submission's functions
STEP_NAMES: dict[type, str] = {
    protocol.Make: "make",
    protocol.Call: "call",
    protocol.Optimizer: "optimizer",
    protocol.SetGrads: "set_grads",
    protocol.Inspect: "inspect",
    protocol.State: "state",
}
