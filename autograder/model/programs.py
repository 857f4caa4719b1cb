"""What a worker is asked: programs of a few steps, and the requests that carry them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec

from autograder.model.arrays import Array, Message


class Ref(Message, frozen=True, tag_field="is", tag="ref"):
    """An argument that is not a literal: an array of the program, an object made by an earlier
    step, or (with ``item``) one part of an earlier step's result."""

    name: str
    item: int | None = None


Argument = None | bool | int | float | str | Ref | list[Any]  # a list holds literals only
Layout = Literal["contiguous", "reversed", "gapped"]


class Make(Message, frozen=True, tag_field="is", tag="make"):
    """Build ``name(*args, **kwargs)`` of the submission as ``into``, then load ``state``.

    ``state`` maps a parameter's name to the array that it gets. A module is brought to the
    program's dtype, and to eval mode unless ``train``.
    """

    into: str
    name: str
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    state: dict[str, str] = {}
    train: bool = False


class Call(Message, frozen=True, tag_field="is", tag="call"):
    """Call a function of the submission, or ``object`` / ``object.method``, as ``into``.

    ``outputs`` names the results. ``wrt`` lists the arrays whose gradients are due and
    ``modules`` the objects whose parameters' gradients are due, when ``cotangents`` (one array
    name or None for each output) are sent back from the outputs. ``trace`` asks for the
    names of the torch operations that ran, ``watch`` only for telling ones, which is cheaper, and for the kernels
    that make one of two things; ``echo`` for the
    inputs as they are afterwards.
    """

    into: str
    name: str
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    outputs: tuple[str, ...] = ("result",)
    wrt: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    cotangents: tuple[str | None, ...] = ()
    trace: bool = False
    echo: bool = False
    layout: Layout = "contiguous"
    watch: Literal["", "softmax", "attention"] = ""

    @property
    def looked_at(self) -> bool:
        """Whether anything is to be told of what runs in it."""
        return self.trace or bool(self.watch)


class Optimizer(Message, frozen=True, tag_field="is", tag="optimizer"):
    """Build ``torch.optim.<kind>(module.parameters(), **options)`` as ``into``."""

    into: str
    kind: Literal["SGD"]
    module: str
    options: dict[str, float] = {}


class SetGrads(Message, frozen=True, tag_field="is", tag="set-grads"):
    """Fill ``.grad`` of every parameter of ``module`` with ``value``, as an earlier, foreign backward would."""

    module: str
    value: float


class Inspect(Message, frozen=True, tag_field="is", tag="inspect"):
    """Describe a name of the submission: its argument names and, of a module, the parameters."""

    into: str
    name: str


class State(Message, frozen=True, tag_field="is", tag="state"):
    """Read the parameters of ``module`` and whether it is in train mode."""

    into: str
    module: str


Step = Make | Call | Optimizer | SetGrads | Inspect | State


class Program(Message, frozen=True, dict=True):
    """One conversation with a submission: arrays, and steps that use them in order.

    ``dtype`` is that of every floating array and module; floating arrays are rounded to it. ``memory_bytes`` is the
    most that may be used on another device than the CPU. ``asides`` are steps after these that are played by the
    reference alone, where it is seen whether the numbers are telling: no submission is asked them.
    """

    dtype: Literal["float32", "float64"]
    arrays: dict[str, Array]
    steps: tuple[Step, ...]
    device: str = "cpu"
    memory_bytes: int = 4 << 30
    asides: tuple[Step, ...] = ()

    def on(self, device: str) -> Program:
        """The same with everything on another device; what is on ``meta`` stays there."""
        if self.device == "meta":
            return self
        arrays = {
            name: msgspec.structs.replace(
                array, device=device if array.device == self.device else array.device
            )
            for name, array in self.arrays.items()
        }
        return msgspec.structs.replace(self, arrays=arrays, device=device)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Its calls, in order."""
        return tuple(step for step in self.steps if isinstance(step, Call))

    @cached_property
    def named(self) -> dict[str, Step]:
        """Its steps by the names of what they make or show."""
        return {step.into: step for step in self.steps if not isinstance(step, SetGrads)}

    @cached_property
    def targets(self) -> frozenset[str]:
        """What is called, in the submission's names."""
        return frozenset(map(self.target, self.calls))

    @cached_property
    def classes(self) -> frozenset[str]:
        """The functions and classes whose calls are looked at."""
        return frozenset(target.partition(".")[0] for target in self.targets)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The classes that are made and not called themselves: parts of what is called."""
        return frozenset(step.name for step in self.steps if isinstance(step, Make)) - self.classes

    def target(self, call: Call) -> str:
        """What a call calls, in the submission's names: ``LuongAttention.score``, ``stable_softmax``."""
        first, _, rest = call.name.partition(".")
        made = self.named.get(first)
        return f"{made.name}.{rest or 'forward'}" if isinstance(made, Make) else first

    def with_calls(self, **changes: Any) -> Program:
        """The same with these fields of every call changed."""
        steps = tuple(
            msgspec.structs.replace(step, **changes) if isinstance(step, Call) else step
            for step in self.steps
        )
        return msgspec.structs.replace(self, steps=steps)

    def calls_of(self, names: Sequence[str]) -> tuple[Call, ...]:
        """The calls of functions, or of objects of classes, with these names."""
        made = {step.into: step.name for step in self.steps if isinstance(step, Make)}
        roots = ((step, step.name.split(".")[0]) for step in self.calls)
        return tuple(step for step, root in roots if made.get(root, root) in names)


class Load(Message, frozen=True, tag_field="is", tag="load"):
    """Run a submission's source, once, before any program."""

    nonce: str
    module: str
    kind: Literal["script", "notebook"]
    filename: str
    cells: tuple[bytes, ...]
    cell_seconds: float  # a notebook's cell that takes longer is left where it is


class Ask(Message, frozen=True, tag_field="is", tag="ask"):
    """Run one program; the answer must carry the same nonce. ``more``: other questions have come with this one, so that
    the answer may wait for theirs."""

    nonce: str
    program: Program
    more: bool = False
