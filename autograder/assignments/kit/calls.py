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
from autograder.assignments.kit.inputs import Constant, Input, Lists, Sizes, names_in, normal, shape_of, size_of
from autograder.assignments.kit.keywords import known_only
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.sizes import Drawn, Rule, Rules
from autograder.model.text import suggestion

Given = str | Input | Lists | Constant | None | bool | int | float | list[Any]
OPTIONS = ("returns", "sizes", "numpy")  # what is no argument of the declared call


class Module(msgspec.Struct, frozen=True):
    """A class: what its constructor takes (axes, constants, other classes' objects), and the shapes of its weights."""

    name: str
    init: tuple[str | Constant | Module, ...]
    weights: dict[str, str]
    numpy: bool = False
    rules: dict[str, Rule] = {}
    id: str = ""

    @property
    def parts(self) -> list[Module]:
        """The classes whose objects the constructor takes, and those that they take."""
        return [each for one in self.init if isinstance(one, Module) for each in (*one.parts, one)]

    @property
    def widths(self) -> list[str]:
        """The axes of the constructor, and of the constructors of the objects that it takes."""
        return [axes for made in (*self.parts, self) for axes in made.init if isinstance(axes, str)]

    @property
    def texts(self) -> list[str]:
        """The axes of the constructor and of each weight, also of the objects that the constructor takes."""
        own = [one for one in self.init if isinstance(one, str)]
        inner = [axes for one in self.init if isinstance(one, Module) for axes in one.texts]
        return [*own, *inner, *self.weights.values()]

    @property
    def constants(self) -> list[str]:
        """The axes whose sizes are constants of the constructor, and of those of the objects that it takes."""
        return [axis for made in (*self.parts, self) for axis in _of_constants(made.init)]

    @property
    def axes(self) -> list[str]:
        """The names of all axes, in the order in which they first appear."""
        return [*dict.fromkeys([*names_in(self.texts), *self.constants])]

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
    inputs: dict[str, Input | Lists | Constant]
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
        constants = [*(self.module.constants if self.module else ()), *_of_constants(self.inputs.values())]
        lists = [one.axis for one in self.inputs.values() if isinstance(one, Lists)]
        used = names_in([*lists, *(axis for one in self.arrays.values() for axis in one.uses)])
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

    def once(self, builder: ProgramBuilder, into: str = "out", /, **given: int) -> None:
        """Call once, as the step ``into`` of a program of your own. ``given`` are sizes of axes."""
        sizes = self.sizes(0, **given)
        name = make(builder, self, sizes)
        builder.call(into, name, *draw(builder, self, sizes, f"{into}_"), outputs=self.shapes(sizes))

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
    init: Sequence[str | Constant | Module] = (),
    weights: Mapping[str, str] | None = None,
    numpy: bool = False,
    sizes: Rules | None = None,
    id: str = "",
) -> Module:
    """Declare a class. ``init``: for each argument of the constructor an axis whose size it is, a constant, or another
    declared class, of which an object is made. ``weights`` are without those of such objects.

    ``sizes``: rules for axes (see ``kit.sizes``). ``id``: how the ids of its checks begin, if not with the name.
    """
    made = Module(name, tuple(init), dict(weights or {}), numpy, id=id)
    rules = {axis: rule for one in made.parts for axis, rule in one.rules.items()}
    return replace(made, rules=sizes_of.checked_rules({**rules, **(sizes or {})}, made.axes))


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
    return names_in(one.axis for one in given if isinstance(one, Constant))


def check_id(call: Call, suffix: str) -> str:
    """Return an id for a check of a call: ``layer-norm-values``."""
    name = (call.module.id if call.module else "") or call.name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", "-".join(filter(None, (name, call.method))))
    return f"{words.lower().strip('-')}-{suffix}"


def _input(name: str, given: Given) -> Input | Lists | Constant:
    """Return what an argument gets. Raises TypeError for anything else, which is rather a keyword with a slip."""
    if isinstance(given, str):
        return normal(given)
    if isinstance(given, Input | Lists | Constant):
        return given
    if given is None or isinstance(given, bool | int | float | list):
        return Constant(given)
    near = suggestion(name, OPTIONS)
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


def build(
    builder: ProgramBuilder, module: Module, sizes: Sizes, *, train: bool = False, into: str = "object"
) -> protocol.Ref:
    """Build an object of a class with Gaussian weights, after those that its constructor takes: ``object-0``..."""
    args: list[protocol.Argument] = []
    for number, one in enumerate(module.init):
        if isinstance(one, Module):
            args.append(build(builder, one, sizes, train=train, into=f"{into}-{number}"))
        else:
            args.append(size_of(one, sizes) if isinstance(one, str) else _value(one, sizes))
    shapes = {name: shape_of(axes, sizes) for name, axes in module.weights.items()}
    return builder.make(into, module.name, *args, weights=shapes, train=train)


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
        if not isinstance(one, Input):
            given.append(_value(one, sizes) if isinstance(one, Constant) else _lists(builder, one, sizes))
            continue
        drawn = getattr(one, how.get(name, "draw"))
        given.append(builder.array(f"{of}{name}", drawn(builder.generator, one.shape(sizes), sizes)))
    return given


def _value(one: Constant, sizes: Sizes) -> Any:
    return size_of(one.axis, sizes) if one.axis else one.value


def _lists(builder: ProgramBuilder, one: Lists, sizes: Sizes) -> list[Any]:
    return one.draw(builder.generator, size_of(one.axis, sizes))
