"""Programs of a few steps, and the requests that carry them to a worker."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, Literal

import msgspec

from autograder.protocol.arrays import Array, ArrayDevice, ArrayDtype, Message
from autograder.protocol.source_text import Kind


class Ref(Message, frozen=True, tag_field="is", tag="ref"):
    """An argument that is not a literal: an array of the program, or an earlier step's object or result.

    ``item`` picks one item of a result that is a tuple.
    """

    name: str
    item: int | None = None


Argument = None | bool | int | float | str | Ref | list[Any]  # a list contains literals only
Device = Literal["cpu", "cuda"]
Dtype = Literal["float32", "float64"]
Layout = Literal["contiguous", "reversed", "gapped"]


class FreeResult(Message, frozen=True):
    """The dtype and shape of a result whose values are the submission's own choice, such as what it trained."""

    dtype: ArrayDtype
    shape: tuple[int, ...]


class Make(Message, frozen=True, tag_field="is", tag="make"):
    """Build ``name(*args, **kwargs)`` of the submission as ``into``, then load ``state``.

    ``state`` maps a parameter's name to the name of its array. A module is converted to the program's dtype, and put
    into eval mode unless ``train``.
    """

    into: str
    name: str
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    state: dict[str, str] = {}
    train: bool = False


class Call(Message, frozen=True, tag_field="is", tag="call"):
    """Call a function of the submission, or ``object`` / ``object.method``, as ``into``.

    ``outputs`` names the results. ``cotangents`` (for each output the name of an array, or None) are sent back from the
    outputs. The result then has the gradients of the arrays in ``wrt``, and of the parameters of ``modules``. An array
    may be that of an earlier call, which must have it in its own ``wrt``.
    """

    into: str
    name: str
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    outputs: tuple[str, ...] = ("result",)
    wrt: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    cotangents: tuple[str | None, ...] = ()
    trace: bool = False  # report the names of all torch operations that run
    echo: bool = False  # report the inputs as they are afterwards
    layout: Layout = "contiguous"
    reuses: str = ""  # an earlier call, whose tensors this one gets, overwritten with its own values
    watch: Literal["", "softmax", "attention"] = ""  # report only operations that reveal one; cheaper than ``trace``
    weigh: bool = False  # report how far the call has raised the worker's peak memory
    free: tuple[FreeResult, ...] = ()  # results that are judged by properties alone: no reference computes them

    @property
    def is_observed(self) -> bool:
        """Whether the worker reports operations that run in it."""
        return self.trace or bool(self.watch)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The arguments that are arrays or results of earlier steps, in order."""
        return tuple(one for one in (*self.args, *self.kwargs.values()) if isinstance(one, Ref))


class Optimizer(Message, frozen=True, tag_field="is", tag="optimizer"):
    """Build ``torch.optim.<kind>(module.parameters(), **options)`` as ``into``."""

    into: str
    kind: Literal["SGD"]
    module: str
    options: dict[str, float] = {}


class SetGrads(Message, frozen=True, tag_field="is", tag="set-grads"):
    """Fill ``.grad`` of every parameter of ``module`` with ``value``, as an earlier backward pass does."""

    module: str
    value: float


class Inspect(Message, frozen=True, tag_field="is", tag="inspect"):
    """Describe a name of the submission: the names of its arguments and, for a module, its parameters."""

    into: str
    name: str


class State(Message, frozen=True, tag_field="is", tag="state"):
    """Read the parameters of ``module``, and whether it is in train mode."""

    into: str
    module: str


Step = Make | Call | Optimizer | SetGrads | Inspect | State


class Program(Message, frozen=True, dict=True):
    """Arrays, and steps that use them in order. Objects made in one program do not outlive it."""

    dtype: Literal["float32", "float64"]  # of every module and floating array; arrays are rounded to it
    arrays: dict[str, Array]
    steps: tuple[Step, ...]
    device: ArrayDevice = "cpu"
    memory_bytes: int = 4 << 30  # maximum on a device other than the CPU
    reference_steps: tuple[Step, ...] = ()  # only the reference runs these, to show whether the inputs are informative
    library: Literal["torch", "numpy"] = "torch"  # what arrays are when a submission gets and returns them
    chance: int = 0  # seeds all that the submission draws: weights that are not loaded, noise
    # A source whose public names take the place of the submission's while the program runs: given models and data
    # whose answers are known, so that what is done with them can be compared. It holds no secret.
    stand_ins: str = ""

    def on(self, device: ArrayDevice) -> Program:
        """Return the program with everything on another device. A program on ``meta`` stays there."""
        if self.device == "meta":
            return self
        move = partial(msgspec.structs.replace, device=device)
        arrays = {name: move(array) if array.device == self.device else array for name, array in self.arrays.items()}
        return msgspec.structs.replace(self, arrays=arrays, device=device)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The calls, in order."""
        return tuple(step for step in self.steps if isinstance(step, Call))

    @cached_property
    def is_experiment(self) -> bool:
        """Whether the submission trains or measures here, which takes seconds."""
        return bool(self.stand_ins) or any(call.free for call in self.calls)

    @cached_property
    def named(self) -> dict[str, Step]:
        """The steps by the name of their result."""
        return {step.into: step for step in self.steps if not isinstance(step, SetGrads)}

    @cached_property
    def targets(self) -> frozenset[str]:
        """The names of what is called, as in ``target``."""
        return frozenset(map(self.target, self.calls))

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of the functions and classes that are called."""
        return frozenset(target.partition(".")[0] for target in self.targets)

    @cached_property
    def recorded(self) -> frozenset[str]:
        """The names whose every use is recorded: of what observed calls call, and of the classes of those objects."""
        called = {step.name.partition(".")[0] for step in self.calls if step.is_observed}
        return frozenset(called | {s.name for s in self.steps if isinstance(s, Make) and s.into in called})

    @cached_property
    def is_recorded(self) -> bool:
        """Whether all that runs of the submission is recorded."""
        used = (isinstance(step, Make | Call | Inspect) and self.records(step.name) for step in self.steps)
        return all(call.is_observed for call in self.calls) and all(used)

    def records(self, name: str) -> bool:
        """Return whether every use of ``object``, ``object.method`` or ``Class.method`` is recorded."""
        return name.partition(".")[0] in self.recorded

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of the classes that are made but not called: parts of what is called."""
        return frozenset(step.name for step in self.steps if isinstance(step, Make)) - self.classes

    def target(self, call: Call) -> str:
        """Return the name of what a call calls, such as ``LuongAttention.score`` or ``stable_softmax``."""
        first, _, rest = call.name.partition(".")
        made = self.named.get(first)
        return f"{made.name}.{rest or 'forward'}" if isinstance(made, Make) else first

    def with_calls(self, **changes: Any) -> Program:
        """Return the program with these fields of every call changed."""
        steps = tuple(
            msgspec.structs.replace(step, **changes) if isinstance(step, Call) else step for step in self.steps
        )
        return msgspec.structs.replace(self, steps=steps)

    def calls_of(self, names: Sequence[str]) -> tuple[Call, ...]:
        """Return the calls of functions with these names, and of objects of classes with these names."""
        made = {step.into: step.name for step in self.steps if isinstance(step, Make)}
        roots = ((step, step.name.split(".")[0]) for step in self.calls)
        return tuple(step for step, root in roots if made.get(root, root) in names)


class RightParts(Message, frozen=True):
    """Right parts that take the place of a submission's own.

    ``source`` defines all parts of the assignment. Those in ``names`` are replaced. Those in ``kept`` stay the
    submission's own, and the right parts use them too. ``given`` names are no parts: code that students get complete.
    """

    source: bytes
    names: tuple[str, ...]
    kept: tuple[str, ...]
    given: tuple[str, ...] = ()


class Load(Message, frozen=True, tag_field="is", tag="load"):
    """Run a submission's source once, before any program."""

    nonce: str
    module: str
    kind: Kind
    filename: str
    cells: tuple[bytes, ...]
    cell_seconds: float  # a notebook's cell that takes longer is interrupted
    right: RightParts | None = None


class Ask(Message, frozen=True, tag_field="is", tag="ask"):
    """Run one program. The answer must have the same nonce.

    ``more``: the frame of another question follows, so the worker may send the answers together.
    """

    nonce: str
    program: Program
    more: bool = False
