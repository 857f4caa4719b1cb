"""The programs of most cases: one call of a function, or of a module, on drawn inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from autograder import model, protocol
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import RIGHT, expect
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.programs import CallOptions, Outputs, ProgramBuilder

MADE = "layer"  # the name of a case's module


class Call(NamedTuple):
    """What is called, its arguments, and the shapes of its results by name; None for those without a shape."""

    name: str
    args: Sequence[protocol.Argument]
    outputs: Outputs


class UsualPrograms:
    """Writes calls of an assignment's functions. A case names a function, and the sizes of its inputs."""

    def __init__(
        self,
        draws: Mapping[str, Callable[..., Call]],
        takes: Mapping[str, str],
        makes: Mapping[str, Callable[..., None]] | None = None,
        methods: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        """``draws`` draws the inputs of a call. It takes a builder, what the names of arrays begin with, and sizes.

        ``takes``: the arguments of a function, as its check says them. ``makes`` builds the module of a call, MADE,
        from a builder and sizes. ``methods``: the methods of a class, each behind a dot.
        """
        self.draws, self.takes, self.makes, self.methods = draws, takes, makes or {}, methods or {}

    # ---- programs

    def make(self, builder: ProgramBuilder, name: str, size: Sequence[Any]) -> None:
        """Build the module of a call, if it has one."""
        if name in self.makes:
            self.makes[name](builder, *size)

    def once(
        self, builder: ProgramBuilder, name: str, *size: Any, call: CallOptions | None = None, **options: Any
    ) -> None:
        """Call a function or a module once. ``call``: how it is called; ``options``: of its inputs."""
        self.make(builder, name, size)
        made = self.draws[name](builder, "", *size, **options)
        builder.call("out", made.name, *made.args, outputs=made.outputs, **(call or {}))

    def examined(self, builder: ProgramBuilder, name: str, *size: Any) -> None:
        """Look at the arguments of a function, or of a class and its methods, and call it once."""
        builder.inspect("arguments", _root(name), *self._methods(name))
        self.once(builder, name, *size)
        if name in self.makes:
            builder.inspect("parameters", MADE)

    def refused(self, builder: ProgramBuilder, name: str, bad: Sequence[Sequence[Any]], good: Sequence[Any]) -> None:
        """Call a function with arguments that it must refuse, as ``bad0``..., then with others."""
        for i, size in enumerate(bad):
            made = self.draws[name](builder, f"bad{i}_", *size)
            builder.call(f"bad{i}", made.name, *made.args, outputs=made.outputs)
        self.once(builder, name, *good)

    # ---- cases and checks

    def both(
        self, id: str, name: str, *size: Any, gradient: bool = True, **options: Any
    ) -> tuple[model.Case, model.Case]:
        """Return a case in double precision, with gradients if there are any, and one in single precision."""
        return (
            case(id, self.once, name, *size, call={"gradient": gradient, "echo": True}, **options),
            case(f"{id}-float32", self.once, name, *size, dtype="float32", **options),
        )

    def interface(self, id: str, name: str, points: float, *size: Any) -> model.Check:
        """Return the check of the arguments of a function, or of a class and its parameters. It must also be right."""
        takes = self.takes.get(name)
        title = f"{name} takes {takes}" if takes else f"{_root(name)} has its arguments and parameters"
        signatures = expect("signature", "arguments", *(f"arguments{method}" for method in self._methods(name)))
        of_module = expect("parameters", "parameters") if name in self.makes else ()
        draft = kinds.interface(f"{id}-interface", points, title)
        return draft.on(case(f"{id}-interface", self.examined, name, *size)).expects(signatures, of_module, RIGHT)

    def _methods(self, name: str) -> tuple[str, ...]:
        return self.methods.get(_root(name), ())


def _root(name: str) -> str:
    """Return the class of a method; of anything else its name."""
    return name.partition(".")[0]
