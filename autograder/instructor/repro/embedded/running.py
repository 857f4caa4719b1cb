"""Runs the steps of one case, and keeps what each gave."""

from __future__ import annotations

import bdb
import contextlib
import inspect
import random
import re
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode


@dataclass
class Step:
    """What one step gave. ``during`` is "make", "call", "backward" or "skipped" where it raised ``error``."""

    value: Any = None
    error: BaseException | None = None
    during: str = ""
    wanted: str = ""  # the exception that it must raise
    inputs: dict[str, torch.Tensor] = field(default_factory=dict)
    gradients: dict[str, np.ndarray | None] = field(default_factory=dict)
    parameters: dict[str, np.ndarray] = field(default_factory=dict)
    training: bool | None = None
    interface: dict[str, Any] = field(default_factory=dict)
    operations: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)  # operations of the backward pass
    drew: bool = False  # whether torch's global random state changed


class Functions(TorchFunctionMode):
    """Notes the functions of torch that run, such as ``torch.nn.functional.softmax``."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(getattr(func, "__name__", ""))
        if not name.startswith("__") and not re.match(r"(is|has|can|requires)_", name):
            self.names.add(f"torch.{name}")
        return func(*args, **(kwargs or {}))


class Attempt:
    """The ``with`` block of a step. It keeps what the submission raises, so that the steps after it run too."""

    def __init__(self, run: Run, into: str, during: str, wanted: str = "", record: bool = False) -> None:
        self.run, self.during, self.record = run, during, record
        self.step = run.steps.setdefault(into, Step())
        self.step.wanted = self.step.wanted or wanted
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> None:
        self.state = torch.get_rng_state()
        if self.during in ("call", "backward"):
            self.stack.enter_context(self.run.mode())
        if self.record:
            self.functions = self.stack.enter_context(Functions())
            self.profile = self.stack.enter_context(torch.autograd.profiler.profile())

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        self.stack.close()
        self.step.drew |= not torch.equal(self.state, torch.get_rng_state())
        if self.record:
            into = self.step.later if self.during == "backward" else self.step.operations
            names = {event.name for event in self.profile.function_events}
            into |= self.functions.names | {name for name in names if name.startswith(("aten::", "autograd::engine"))}
        if error is None:
            return False
        if not isinstance(error, Exception | SystemExit) or isinstance(error, bdb.BdbQuit):
            return False
        # A name without a value, in the case itself: an earlier step has raised.
        skipped = isinstance(error, UnboundLocalError) and trace.tb_next is None
        self.step.error, self.step.during = error, "skipped" if skipped else self.during
        unexpected = not skipped and self.step.wanted not in {base.__name__ for base in type(error).__mro__}
        if unexpected and not self.run.lets_through:
            traceback.print_exception(error)
        return not (unexpected and self.run.lets_through)


class Run:
    """The steps of one case as they run. ``arrays`` are its inputs and weights; every call gets new tensors of them."""

    lets_through = False  # whether exceptions of the submission end the script, for a debugger

    def __init__(
        self,
        name: str,
        arrays: Mapping[str, np.ndarray],
        dtype: str,
        device: str,
        chance: int = 0,
        mode: Callable[[], Any] = contextlib.nullcontext,
        on_cpu: Collection[str] = (),
    ) -> None:
        """``on_cpu`` names the arrays that stay there, whatever the device. ``mode`` surrounds each call."""
        self.name, self.arrays, self.dtype, self.device, self.mode = name, arrays, dtype, device, mode
        self.on_cpu = on_cpu
        self.steps: dict[str, Step] = {}
        self.born: dict[int, torch.dtype] = {}  # dtypes of parameters by id, before they were converted
        torch.manual_seed(chance)
        np.random.seed(chance)
        random.seed(chance)

    def step(self, into: str, raises: str = "") -> Attempt:
        """Make, look at or change an object."""
        return Attempt(self, into, "make", raises)

    def call(self, into: str, raises: str = "", record: bool = False) -> Attempt:
        """Call the submission. ``record`` notes the operations that run."""
        return Attempt(self, into, "call", raises, record)

    def backward(self, into: str, record: bool = False) -> Attempt:
        """Compute the gradients of a call."""
        return Attempt(self, into, "backward", record=record)

    def tensor(self, name: str) -> torch.Tensor:
        """Return a new tensor with the values of an array."""
        values = torch.from_numpy(self.arrays[name].copy())
        return values if name in self.on_cpu else values.to(self.device)

    def inputs(
        self,
        into: str,
        *names: str,
        wrt: Sequence[str] = (),
        layout: str = "contiguous",
        reuses: Mapping[str, tuple[str, str]] | None = None,
    ) -> list[torch.Tensor]:
        """Return the inputs of a call. ``reuses``: an input -> the step and its input whose tensor is overwritten."""
        given = self.steps[into].inputs
        for name in names:
            if reuses and name in reuses:
                step, old = reuses[name]
                given[name] = self.steps[step].inputs[old]
                with torch.no_grad():
                    given[name].copy_(self.tensor(name))
            else:
                tensor = laid_out(self.tensor(name), layout)
                given[name] = tensor.requires_grad_() if name in wrt else tensor
        return [given[name] for name in names]

    def load(self, module: Any, weights: Mapping[str, str], train: bool = False) -> None:
        """Load weights into a module, given as parameter -> array, and convert it to the case's dtype and device."""
        if not isinstance(module, torch.nn.Module):
            return
        parameters = dict(module.named_parameters(remove_duplicate=False))
        for parameter in parameters.values():
            self.born.setdefault(id(parameter), parameter.dtype)
        for name, array in weights.items():
            if name not in parameters:
                raise AttributeError(f"{type(module).__name__} has no parameter {name}; it has {', '.join(parameters)}")
            values = torch.from_numpy(self.arrays[array].copy())
            if parameters[name].shape != values.shape:
                shapes = f"{tuple(parameters[name].shape)}, expected {tuple(values.shape)}"
                raise AttributeError(f"{type(module).__name__}: got {name} of shape {shapes}")
            parameters[name].data = values
        for name, parameter in parameters.items():  # biases that a layer has beside its loaded weight
            layer, _, kind = name.rpartition(".")
            if kind == "bias" and name not in weights and f"{layer}.weight" in weights:
                parameter.data.zero_()
        module.to(self.device, getattr(torch, self.dtype))
        module.train(train)

    def keep(self, into: str, value: Any) -> None:
        """Keep the result of a call. It is read after the last step, when a later call may have overwritten it."""
        self.steps[into].value = value

    def gradients(
        self, into: str, loss: torch.Tensor, wrt: Sequence[str] = (), modules: Mapping[str, Any] | None = None
    ) -> None:
        """Keep the gradients of ``loss`` in inputs of this call or earlier ones, and in parameters of ``modules``."""
        given = {name: tensor for step in self.steps.values() for name, tensor in step.inputs.items()}
        wanted = {name: given[name] for name in wrt if name in given}
        for name, module in (modules or {}).items():
            wanted |= {f"{name}.{key}": parameter for key, parameter in module.named_parameters()}
        found = torch.autograd.grad(loss, tuple(wanted.values()), allow_unused=True)
        pairs = zip(wanted, found, strict=True)
        self.steps[into].gradients = {name: None if one is None else numbers(one) for name, one in pairs}

    def state(self, into: str, module: Any) -> None:
        """Keep a module's parameters, and whether it is in train mode."""
        self.steps[into].parameters = {name: numbers(parameter) for name, parameter in module.named_parameters()}
        self.steps[into].training = bool(module.training)

    def look(self, into: str, subject: Any, method: bool = False) -> None:
        """Keep the arguments of a function, or the parameters of a module."""
        found = self.steps[into].interface
        if isinstance(subject, torch.nn.Module):
            parameters = dict(subject.named_parameters(remove_duplicate=False))
            found["kind"] = "module"
            found["parameters"] = {name: tuple(one.shape) for name, one in parameters.items()}
            found["frozen"] = [name for name, one in parameters.items() if not one.requires_grad]
            found["buffers"] = [name for name in subject.state_dict() if name not in parameters]
            found["dtypes"] = {str(self.born.get(id(one), one.dtype)) for one in parameters.values()}
            paddings = (key for key, one in subject.named_modules() if getattr(one, "padding_idx", None) is not None)
            found["paddings"] = list(paddings)
            return
        found["kind"] = "class" if inspect.isclass(subject) else "function" if callable(subject) else "other"
        listed = list(inspect.signature(subject).parameters.values())[
            1 if method and inspect.isfunction(subject) else 0 :
        ]
        named = [one for one in listed if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        found["arguments"] = [one.name for one in named]
        found["required"] = [one.name for one in named if one.default is one.empty]
        found["variadic"] = len(named) < len(listed)


def numbers(tensor: torch.Tensor) -> np.ndarray:
    """Return the values of a tensor; without values, on ``meta``, only its shape."""
    plain = tensor.detach()
    if plain.is_meta:
        return np.zeros(tuple(plain.shape))
    return (plain.float() if plain.dtype == torch.bfloat16 else plain).to_dense().numpy(force=True).copy()


def laid_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """Return the same values with other strides: axes stored in reverse, or every second element of a storage."""
    if layout == "reversed":
        axes = tuple(reversed(range(tensor.dim())))
        return tensor.permute(axes).contiguous().permute(axes)
    if layout == "gapped" and tensor.dim():
        store = tensor.new_zeros((*tensor.shape[:-1], 2 * tensor.shape[-1]))
        store[..., ::2] = tensor
        return store[..., ::2]
    return tensor
