"""Declared calls: an author says once what a function or a class takes and gives, and checks are made from that.

    cosine = function("cosine_scores", query="B T_q d", key="B T_k d", returns={"scores": "B T_q T_k"})
    norm = module("LayerNorm", init=["d"], weights={"gain": "d", "shift": "d"})
    normed = norm.call(x="B T d", returns={"result": "B T d"})

A text is the axes of an array of Gaussian numbers; ``kit.inputs`` has others, and ``kit.sizes`` rules for the sizes of
axes. Results are tensors, or NumPy arrays if the call is declared with ``numpy=True``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from autograder import model, protocol
from autograder.assignments.kit import sizes as sizes_of
from autograder.assignments.kit.inputs import Constant, Input, Sizes, names_in, normal, shape_of
from autograder.assignments.kit.keywords import known_only
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.sizes import Drawn, Rule, Rules

Given = str | Input | Constant | None | bool | int | float | list[Any]
OPTIONS = ("returns", "sizes", "numpy")  # what is no argument of the declared call


class Module(msgspec.Struct, frozen=True):
    """A class: what its constructor takes (axes or constants), and the shapes of its weights."""

    name: str
    init: tuple[str | Constant, ...]
    weights: dict[str, str]
    numpy: bool = False
    rules: dict[str, Rule] = {}
    id: str = ""

    @property
    def texts(self) -> list[str]:
        """The axes of the constructor and of each weight."""
        return [*(one for one in self.init if isinstance(one, str)), *self.weights.values()]

    @property
    def axes(self) -> list[str]:
        """The names of all axes, in the order in which they first appear."""
        return [*dict.fromkeys([*names_in(self.texts), *_of_constants(self.init)])]

    def sizes(self, **given: int) -> Drawn:
        """Return a size for each axis of the constructor and the weights."""
        return sizes_of.drawn(self.axes, self.rules, 0, given)

    def call(
        self, method: str = "", /, *, returns: Mapping[str, str], sizes: Rules | None = None, **inputs: Given
    ) -> Call:
        """Declare a call of an object of this class, or of one of its methods."""
        return _declared(self.name, method, inputs, returns, self, self.numpy, {**self.rules, **(sizes or {})})


class Call(msgspec.Struct, frozen=True):
    """A call with its inputs, by argument, and its results with their axes, in order."""

    name: str
    method: str
    inputs: dict[str, Input | Constant]
    returns: dict[str, str]
    module: Module | None = None
    numpy: bool = False
    rules: dict[str, Rule] = {}

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
        constants = _of_constants([*(self.module.init if self.module else ()), *self.inputs.values()])
        used = names_in(axis for one in self.arrays.values() for axis in one.uses)
        return [*dict.fromkeys([*self.shown, *constants, *used])]

    @property
    def shown(self) -> list[str]:
        """The axes of the module's weights, of the inputs and of the results."""
        own = self.module.texts if self.module else []
        return names_in([*own, *(one.axes for one in self.arrays.values()), *self.returns.values()])

    @property
    def described(self) -> model.CallAxes:
        """The axes, for messages about shapes."""
        return model.CallAxes(tuple(one.axes for one in self.arrays.values()), tuple(self.returns.values()))

    def sizes(self, turn: int = 0, /, **given: int) -> Drawn:
        """Return a size for each axis, other ones in each turn (see ``kit.sizes``). Raises SizesError."""
        return sizes_of.drawn(self.axes, self.rules, turn, given)

    def timed(self, builder: ProgramBuilder, calls: int, /, **given: int) -> None:
        """Call several times, each time on other inputs."""
        sizes = self.sizes(0, **given)
        name = make(builder, self, sizes)
        for number in range(calls):
            arguments = draw(builder, self, sizes, f"n{number}_")
            builder.call(f"out{number}", name, *arguments, outputs=self.shapes(sizes))

    def shapes(self, sizes: Sizes) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the results."""
        return {name: shape_of(axes, sizes) for name, axes in self.returns.items()}


def function(
    name: str, /, *, returns: Mapping[str, str], numpy: bool = False, sizes: Rules | None = None, **inputs: Given
) -> Call:
    """Declare a function: its arguments in order, and its results. ``sizes``: rules for axes (see ``kit.sizes``)."""
    return _declared(name, "", inputs, returns, None, numpy, sizes or {})


@known_only
def module(
    name: str,
    /,
    init: Sequence[str | Constant] = (),
    weights: Mapping[str, str] | None = None,
    numpy: bool = False,
    sizes: Rules | None = None,
    id: str = "",
) -> Module:
    """Declare a class. ``init``: for each argument of the constructor an axis whose size it is, or a constant.

    ``sizes``: rules for axes (see ``kit.sizes``). ``id``: how the ids of its checks begin, if not with the name.
    """
    made = Module(name, tuple(init), dict(weights or {}), numpy, id=id)
    return replace(made, rules=sizes_of.checked_rules(sizes or {}, made.axes))


def _declared(
    name: str,
    method: str,
    inputs: Mapping[str, Given],
    returns: Mapping[str, str],
    module: Module | None,
    numpy: bool,
    rules: Rules,
) -> Call:
    """Return a call. Raises TypeError for an input that is none, and ValueError for returns or rules that can't be."""
    if not returns:
        raise ValueError(f'{name} returns nothing; name its results with their axes: returns={{"result": "B d"}}')
    made = Call(name, method, {key: _input(key, one) for key, one in inputs.items()}, dict(returns), module, numpy)
    return replace(made, rules=sizes_of.checked_rules(rules, made.axes))


def _of_constants(given: Iterable[object]) -> list[str]:
    """Return the axes whose sizes some constants are."""
    values = [one.value for one in given if isinstance(one, Constant)]
    return [value[1:] for value in values if isinstance(value, str) and value.startswith("@")]


def check_id(call: Call, suffix: str) -> str:
    """Return an id for a check of a call: ``layer-norm-values``."""
    name = (call.module.id if call.module else "") or call.name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", "-".join(filter(None, (name, call.method))))
    return f"{words.lower().strip('-')}-{suffix}"


def _input(name: str, given: Given) -> Input | Constant:
    """Return what an argument gets. Raises TypeError for anything else, which is rather a keyword with a slip."""
    if isinstance(given, str):
        return normal(given)
    if isinstance(given, Input | Constant):
        return given
    if given is None or isinstance(given, bool | int | float | list):
        return Constant(given)
    near = sizes_of.suggestion(name, OPTIONS)
    raise TypeError(
        f"the input {name} is of type {type(given).__name__}{near or '.'} "
        'An input is a text of axes such as "B d", a draw such as normal("B d"), or a constant'
    )


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
    build(builder, made, sizes, train=True)
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
