"""Declared calls: an author says once what a function or a class takes and gives, and checks are made from that.

    cosine = function("cosine_scores", query="B T_q d", key="B T_k d", returns={"scores": "B T_q T_k"})
    norm = module("LayerNorm", init=["d"], weights={"gain": "d", "shift": "d"})
    normed = norm.call(x="B T d", returns={"result": "B T d"})

A text is the axes of an array of Gaussian numbers; ``kit.inputs`` has others. Results are tensors, or NumPy arrays if
the call is declared with ``numpy=True``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from autograder import model, protocol
from autograder.assignments.kit.inputs import Constant, Input, Sizes, normal, shape_of
from autograder.assignments.kit.programs import ProgramBuilder

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)  # sizes differ, so an axis can be told from its length
BATCH = "B"
Given = str | Input | Constant | None | bool | int | float | list[Any]


class Module(msgspec.Struct, frozen=True):
    """A class: what its constructor takes (axes or constants), and the shapes of its weights."""

    name: str
    init: tuple[str | Constant, ...]
    weights: dict[str, str]
    numpy: bool = False

    @property
    def texts(self) -> list[str]:
        """The axes of the constructor and of each weight."""
        return [*(one for one in self.init if isinstance(one, str)), *self.weights.values()]

    def sizes(self) -> dict[str, int]:
        """Return a size for each axis of the constructor and the weights."""
        return dict(zip(names_in(self.texts), PRIMES, strict=False))

    def call(self, method: str = "", /, *, returns: Mapping[str, str], **inputs: Given) -> Call:
        """Declare a call of an object of this class, or of one of its methods."""
        return Call(self.name, method, _inputs(inputs), dict(returns), self, self.numpy)


class Call(msgspec.Struct, frozen=True):
    """A call with its inputs, by argument, and its results with their axes, in order."""

    name: str
    method: str
    inputs: dict[str, Input | Constant]
    returns: dict[str, str]
    module: Module | None = None
    numpy: bool = False

    @property
    def target(self) -> str:
        """What is called, as messages and axes name it: ``cosine_scores``, ``LayerNorm.forward``."""
        return f"{self.name}.{self.method or 'forward'}" if self.module and not self.numpy else self._called

    @property
    def _called(self) -> str:
        return f"{self.name}.{self.method}" if self.method else self.name

    @property
    def method_name(self) -> str:
        """The method that runs."""
        return self.method or ("__call__" if self.numpy else "forward")

    @property
    def arrays(self) -> dict[str, Input]:
        """The inputs that are arrays."""
        return {name: one for name, one in self.inputs.items() if isinstance(one, Input)}

    @property
    def axes(self) -> list[str]:
        """The names of all axes, in the order in which they first appear."""
        own = self.module.texts if self.module else []
        return names_in([*own, *(one.axes for one in self.arrays.values()), *self.returns.values()])

    @property
    def described(self) -> model.CallAxes:
        """The axes, for messages about shapes."""
        return model.CallAxes(tuple(one.axes for one in self.arrays.values()), tuple(self.returns.values()))

    def sizes(self, turn: int = 0, **given: int) -> dict[str, int]:
        """Return a size for each axis: primes that differ, other ones in each turn; ``given`` ones come first.

        The batch, an axis named B, is 2 in the first turn.
        """
        free = [prime for prime in PRIMES[turn % 3 :] if prime not in given.values()]
        found: dict[str, int] = {}
        for axis in self.axes:
            found[axis] = given.get(axis) or (2 if axis == BATCH and not turn else free.pop(0))
        return found

    def timed(self, builder: ProgramBuilder, calls: int, **sizes: int) -> None:
        """Call several times, each time on other inputs."""
        name = make(builder, self, sizes)
        for number in range(calls):
            given = draw(builder, self, sizes, f"n{number}_")
            builder.call(f"out{number}", name, *given, outputs=self.shapes(sizes))

    def shapes(self, sizes: Sizes) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the results."""
        return {name: shape_of(axes, sizes) for name, axes in self.returns.items()}


def function(name: str, /, *, returns: Mapping[str, str], numpy: bool = False, **inputs: Given) -> Call:
    """Declare a function: its arguments in order, and its results."""
    return Call(name, "", _inputs(inputs), dict(returns), None, numpy)


def module(
    name: str, /, init: Sequence[str | Constant] = (), weights: Mapping[str, str] | None = None, numpy: bool = False
) -> Module:
    """Declare a class. ``init``: for each argument of the constructor an axis whose size it is, or a constant."""
    return Module(name, tuple(init), dict(weights or {}), numpy)


def names_in(texts: Iterable[str]) -> list[str]:
    """Return the names of the axes in some texts, in the order in which they first appear."""
    return list(dict.fromkeys(axis for text in texts for axis in text.split() if not axis.isdigit()))


def check_id(call: Call, suffix: str) -> str:
    """Return an id for a check of a call: ``layer-norm-values``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", "-".join(filter(None, (call.name, call.method))))
    return f"{words.lower().strip('-')}-{suffix}"


def _inputs(given: Mapping[str, Given]) -> dict[str, Input | Constant]:
    return {name: _input(one) for name, one in given.items()}


def _input(given: Given) -> Input | Constant:
    if isinstance(given, str):
        return normal(given)
    return given if isinstance(given, Input | Constant) else Constant(given)


# ---- programs


def make(builder: ProgramBuilder, call: Call, sizes: Sizes, *, train: bool = False) -> str:
    """Build the object that is called, with Gaussian weights, and return what the call names."""
    builder.library = "numpy" if call.numpy else "torch"
    if call.module is None:
        return call.name
    build(builder, call.module, sizes, train=train)
    return f"object.{call.method}" if call.method else "object"


def build(builder: ProgramBuilder, module: Module, sizes: Sizes, *, train: bool = False) -> None:
    """Build an object of a class, as ``object``, with Gaussian weights."""
    args = [sizes[one] if isinstance(one, str) else _value(one, sizes) for one in module.init]
    shapes = {name: shape_of(axes, sizes) for name, axes in module.weights.items()}
    builder.make("object", module.name, *args, weights=shapes, train=train)


def training(builder: ProgramBuilder, call: Call, sizes: Sizes, made: Module, steps: int) -> None:
    """Train a model with SGD and momentum, as ``out-1``, ``out-2``..., then look at its parameters, as ``after``.

    The gradients hold something before, as after an earlier backward pass.
    """
    build(builder, made, {**made.sizes(), **sizes}, train=True)
    builder.add(protocol.Optimizer("optimizer", "SGD", "object", {"lr": 0.1, "momentum": 0.9}))
    builder.add(protocol.SetGrads("object", 0.4))
    given = [protocol.Ref("object"), protocol.Ref("optimizer"), *draw(builder, call, sizes)]
    for number in range(1, steps + 1):
        builder.call(f"out-{number}", call.name, *given, outputs=dict.fromkeys(call.returns))
    builder.add(protocol.State("after", "object"))


def draw(
    builder: ProgramBuilder, call: Call, sizes: Sizes, of: str = "", draws: Mapping[str, str] | None = None
) -> list[protocol.Argument]:
    """Add the inputs and return the arguments. ``draws`` chooses another draw of an input: ``{"mask": "blank"}``."""
    how = draws or {}
    given: list[protocol.Argument] = []
    for name, one in call.inputs.items():
        if isinstance(one, Constant):
            given.append(_value(one, sizes))
            continue
        drawn = getattr(one, how[name]) if name in how else one.draw
        if drawn is None:
            raise ValueError(f"{call.target}: the input {name} has no {how[name]} draw")
        given.append(builder.array(f"{of}{name}", drawn(builder.generator, one.shape(sizes), sizes)))
    return given


def _value(one: Constant, sizes: Sizes) -> Any:
    if isinstance(one.value, str) and one.value.startswith("@"):
        return sizes[one.value[1:]]
    return one.value


def once(
    builder: ProgramBuilder, call: Call, sizes: Sizes, *, draws: Mapping[str, str] | None = None, **options: Any
) -> None:
    """Call once, as ``out``."""
    name = make(builder, call, sizes, train=bool(options.pop("train", False)))
    given = draw(builder, call, sizes, draws=draws)
    builder.call("out", name, *given, outputs=call.shapes(sizes), **options)


def interface(builder: ProgramBuilder, call: Call, sizes: Sizes) -> None:
    """Look at the arguments of the function, or of the class and its method; then call it, so a stub earns nothing."""
    methods = () if call.module is None else (f".{call.method_name}",)
    builder.inspect("arguments", call.name, *methods)
    once(builder, call, sizes)
    if call.module is not None and not call.numpy:
        builder.inspect("parameters", "object")


def in_turn(builder: ProgramBuilder, call: Call, sizes: Sizes) -> None:
    """Call on several inputs in turn (see ``ProgramBuilder.in_turn``)."""
    name = make(builder, call, sizes)
    for letter in "abc":
        given = draw(builder, call, sizes, f"{letter}_")
    words = [one.name.removeprefix("c_") if isinstance(one, protocol.Ref) else one for one in given]
    builder.in_turn(name, dict.fromkeys("abc", call.shapes(sizes)), *words)


def permuted(builder: ProgramBuilder, call: Call, sizes: Sizes, axis: str) -> None:
    """Call as ``first``, and as ``out`` with everything in another order along an axis."""
    name = make(builder, call, sizes)
    given = draw(builder, call, sizes)
    order = builder.generator.permutation(sizes[axis])
    builder.array("order", order)
    builder.call("first", name, *given, outputs=call.shapes(sizes))
    other = [
        builder.array(f"other_{one.name}", reordered(builder.arrays[one.name], call.arrays[one.name].axes, axis, order))
        if isinstance(one, protocol.Ref)
        else one
        for one in given
    ]
    builder.call("out", name, *other, outputs=call.shapes(sizes))


def reordered(values: np.ndarray, axes: str, axis: str, order: np.ndarray) -> np.ndarray:
    """Return an array in another order along each axis of this name."""
    for at, name in enumerate(axes.split()):
        values = values.take(order, at) if name == axis else values
    return values


def shifted(builder: ProgramBuilder, call: Call, sizes: Sizes, argument: str, axis: str) -> None:
    """Call as ``first``, and as ``out`` with a constant added to an input for all positions of one of its axes."""
    name = make(builder, call, sizes)
    given = draw(builder, call, sizes)
    at = call.arrays[argument].axes.split().index(axis)
    values = builder.arrays[argument]
    shape = [1 if place == at else size for place, size in enumerate(values.shape)]
    moved = builder.array("moved", values + builder.generator.normal(*shape))
    other = [moved if isinstance(one, protocol.Ref) and one.name == argument else one for one in given]
    builder.call("first", name, *given, outputs=call.shapes(sizes))
    builder.call("out", name, *other, outputs=call.shapes(sizes))
