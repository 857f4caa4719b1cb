"""The programs of cases: an input generator draws their numbers, and a builder writes their steps.

The generator is the grader's only randomness. Its seed is a secret, or a fixed text for public checks, with the case's
name. So all students of a run get the same numbers, and no case depends on another.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy as np

from autograder import model, protocol
from autograder.protocol import wire

Outputs = Mapping[str, Sequence[int] | None]  # the names of a call's results, with their shapes
# A step of ``in_turn`` -> its inputs. The last one gets them in the tensors of the step before it.
TURNS = {"first": "a", "between": "b", "out": "a", "last": "c", "moved": "a"}
PUBLIC_SEED = "attngrade public checks"


class InputGenerator:
    """A generator of numbers for one case.

    ``attempt`` counts redraws of uninformative inputs. ``dtype`` is the one that an audit asks for, of all cases that
    are not pinned to theirs. ``redraws``: students have the numbers of the case that this one is drawn from, so numbers
    that are fixed there vary here.
    """

    def __init__(
        self, seed: str, assignment: str, case: str, attempt: int = 0, dtype: protocol.Dtype | None = None
    ) -> None:
        self.dtype = dtype
        self.redraws = case.startswith(model.REDRAWN)
        text = "\0".join((seed, assignment, case, str(attempt)))
        entropy = int.from_bytes(hashlib.sha256(text.encode()).digest())
        self.generator = np.random.Generator(np.random.PCG64(entropy))

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        """Return Gaussian values with standard deviation ``scale``."""
        return self.generator.normal(size=shape) * scale

    def noise(self, *shape: int) -> np.ndarray:
        """Return evenly spread float32 values with standard deviation 1.

        They cost a fifth of ``normal``. Use them where there are many and their distribution does not matter.
        """
        return (self.generator.random(shape, dtype=np.float32) - np.float32(0.5)) * np.float32(12**0.5)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """Return evenly spread values between ``low`` and ``high``."""
        return self.generator.uniform(low, high, size=shape)

    def integers(self, *shape: int, low: int = 0, high: int) -> np.ndarray:
        """Return int64 values from ``low`` to ``high - 1``."""
        return self.generator.integers(low, high, size=shape)

    def near(self, number: int, most: int = 12, least: int = 0) -> int:
        """Return ``number``; in a redrawn case one that is greater by ``least`` to ``most``."""
        return number + int(self.integers(low=least, high=most + 1)) if self.redraws else number

    def permutation(self, count: int) -> np.ndarray:
        """Return an order of at least two things in which nothing keeps its place."""
        while True:
            order = self.generator.permutation(count)
            if (order != np.arange(count)).all():
                return order

    def mask(self, *shape: int, keep: float = 0.6) -> np.ndarray:
        """Return a random mask. Each row has a True and, if it has two places, a False; and rows differ.

        They differ along every axis, so that a mask that is applied along the wrong one shows.
        """
        mask = self._mask(shape, keep)
        while shape[-1] > 1 and any(_alike(mask, axis) for axis in range(mask.ndim - 1)):
            mask = self._mask(shape, keep)
        return mask

    def _mask(self, shape: tuple[int, ...], keep: float) -> np.ndarray:
        mask = self.generator.random(shape) < keep
        first = self.generator.integers(0, shape[-1], size=shape[:-1])
        np.put_along_axis(mask, first[..., None], True, axis=-1)
        if shape[-1] > 1:
            np.put_along_axis(mask, (first[..., None] + 1) % shape[-1], False, axis=-1)
        return mask


def _alike(mask: np.ndarray, axis: int) -> bool:
    """Whether a mask is the same at all places of an axis, of which there are several."""
    return mask.shape[axis] > 1 and bool((mask == mask.take([0], axis)).all())


class CallOptions(TypedDict, total=False):
    """How a call is made and observed (see ``ProgramBuilder.call``)."""

    gradient: bool
    back_from: Sequence[str] | None
    trace: bool
    echo: bool
    layout: protocol.Layout
    weigh: bool  # ask for the memory that the call needs


class ProgramBuilder:
    """Writes a program step by step. Each step may refer to arrays and results by name."""

    def __init__(
        self, generator: InputGenerator, dtype: protocol.Dtype = "float64", device: protocol.ArrayDevice = "cpu"
    ) -> None:
        self.generator = generator
        self.device = device
        self.on_cpu: set[str] = set()  # arrays that stay there, whatever the device
        self.dtype: protocol.Dtype = dtype
        self.library: Literal["torch", "numpy"] = "torch"
        self.stand_ins = ""  # a source: see ``protocol.Program``
        self.arrays: dict[str, np.ndarray] = {}
        self.steps: list[protocol.Step] = []
        self.reference_steps: list[protocol.Step] = []

    # ---- arrays

    def array(self, name: str, values: Any) -> protocol.Ref:
        """Add these values. Floating ones are rounded to the program's dtype."""
        values = np.asarray(values)
        self.arrays[name] = values.astype(self.dtype, copy=False) if values.dtype.kind == "f" else values
        return protocol.Ref(name)

    def example(self, name: str, values: Any) -> protocol.Ref:
        """Add these values, which students see. In a redrawn case, floating ones are up to 1/8 off, and the rows of
        others are in another order."""
        values = np.asarray(values)
        if self.generator.redraws and values.dtype.kind == "f":
            steps = self.generator.integers(*values.shape, low=1, high=5) / 32  # small, and exact in binary
            values = values + np.where(self.generator.mask(*values.shape, keep=0.5), steps, -steps)
        elif self.generator.redraws and len(values) > 1:
            values = values[self.generator.permutation(len(values))]
        return self.array(name, values)

    def normal(self, name: str, *shape: int, scale: float = 1.0) -> protocol.Ref:
        """Add Gaussian values."""
        return self.array(name, self.generator.normal(*shape, scale=scale))

    def noise(self, name: str, *shape: int) -> protocol.Ref:
        """Add values that cost little to draw."""
        return self.array(name, self.generator.noise(*shape))

    # ---- steps

    def make(
        self,
        into: str,
        name: str,
        *args: protocol.Argument,
        weights: Mapping[str, Sequence[int] | np.ndarray] | None = None,
        scale: float = 0.7,
        train: bool = False,
        **kwargs: protocol.Argument,
    ) -> protocol.Ref:
        """Build an object and load its weights: those given, and Gaussian ones where a shape is given."""
        state = {}
        for key, given in (weights or {}).items():
            label = f"{into}.{key}"
            values = given if isinstance(given, np.ndarray) else self.generator.normal(*given, scale=scale)
            self.array(label, values)
            state[key] = label
        self.add(protocol.Make(into, name, list(args), dict(kwargs), state, train))
        return protocol.Ref(into)

    def call(
        self,
        into: str,
        name: str,
        *args: protocol.Argument,
        outputs: Outputs | None = None,
        gradient: bool = False,
        wrt: Sequence[str] | None = None,
        modules: Sequence[str] | None = None,
        back_from: Sequence[str] | None = None,
        trace: bool = False,
        echo: bool = False,
        layout: protocol.Layout = "contiguous",
        reuses: str = "",
        free: Sequence[protocol.FreeResult] = (),
        weigh: bool = False,
        **kwargs: protocol.Argument,
    ) -> protocol.Ref:
        """Call a function or an object. ``outputs``: results with their shapes. ``free``: those without right values.

        ``gradient`` asks for gradients of the floating arrays among ``args`` and of the object. ``wrt`` and ``modules``
        name others instead. A cotangent is drawn for each output that has a shape, or only for those in ``back_from``.
        Where no output has a shape, ``wrt`` only prepares its arrays for the gradients of a later call.
        """
        outputs = outputs or {"result": None}
        root = name.partition(".")[0]
        if gradient and wrt is None:
            wrt = self._floating(args)
        if gradient and modules is None:
            modules = [step.into for step in self.steps if isinstance(step, protocol.Make) and step.into == root]
        cotangents: list[str | None] = []
        if wrt or modules:
            cotangents = [
                self._cotangent(into, output, None if back_from and output not in back_from else shape)
                for output, shape in outputs.items()
            ]
        if not any(cotangents):
            cotangents = []
        observed = (
            tuple(outputs),
            tuple(wrt or ()),
            tuple(modules or ()),
            tuple(cotangents),
            trace,
            echo,
            layout,
            reuses,
        )
        self.add(protocol.Call(into, name, list(args), dict(kwargs), *observed, weigh=weigh, free=tuple(free)))
        return protocol.Ref(into)

    def _floating(self, args: Sequence[protocol.Argument]) -> list[str]:
        names = [arg.name for arg in args if isinstance(arg, protocol.Ref) and arg.name in self.arrays]
        return [name for name in dict.fromkeys(names) if self.arrays[name].dtype.kind == "f"]

    def _cotangent(self, into: str, output: str, shape: Sequence[int] | None) -> str | None:
        return None if shape is None else self.normal(f"{into}.cotangent.{output}", *shape).name

    def in_turn(self, name: str, outputs: Mapping[str, Outputs], *args: protocol.Argument) -> None:
        """Call ``name`` on inputs a, b, a again, c (of a's sizes), and a in c's tensors. ``outputs`` is by letter.

        An argument that is text names arrays without their letter: ``scores`` stands for ``a_scores``.
        """
        for into, letter in TURNS.items():
            given = [protocol.Ref(f"{letter}_{arg}") if isinstance(arg, str) else arg for arg in args]
            self.call(
                into, name, *given, outputs=outputs[letter], echo=into != "last", reuses="last" * (into == "moved")
            )

    def add(self, *steps: protocol.Step) -> None:
        """Add any other steps."""
        self.steps.extend(steps)

    def inspect(self, into: str, name: str, *methods: str) -> None:
        """Look at the arguments of ``name``, and of its ``.methods`` as ``into.method``."""
        for method in ("", *methods):
            self.add(protocol.Inspect(f"{into}{method}", f"{name}{method}"))

    @contextlib.contextmanager
    def for_reference_only(self) -> Iterator[None]:
        """Add the steps of the ``with`` block for the reference alone, which runs them after all others."""
        ours, self.steps = self.steps, self.reference_steps
        try:
            yield
        finally:
            self.steps = ours

    def program(self) -> protocol.Program:
        """Return the finished program."""
        arrays = {
            name: wire.to_array(values, "cpu" if name in self.on_cpu else self.device)
            for name, values in self.arrays.items()
        }
        steps, reference_steps = tuple(self.steps), tuple(self.reference_steps)
        return protocol.Program(
            self.dtype,
            arrays,
            steps,
            self.device,
            reference_steps=reference_steps,
            library=self.library,
            stand_ins=self.stand_ins,
        )


def inspected(
    builder: ProgramBuilder,
    into: str,
    name: str,
    write: Callable[..., None],
    *args: Any,
    methods: Sequence[str] = (),
    made: str = "",
    **kwargs: Any,
) -> None:
    """Look at the arguments of ``name``, then write a program that calls it, so that a stub earns nothing.

    ``made`` names an object of that program, at whose parameters the step ``parameters`` looks.
    """
    builder.inspect(into, name, *methods)
    write(builder, *args, **kwargs)
    if made:
        builder.inspect("parameters", made)


def with_zero_position(
    builder: ProgramBuilder, write: Callable[..., None], names: Sequence[str], *args: Any, **kwargs: Any
) -> None:
    """Write a program in which the second position of these arrays is all 0, like padding, but real."""
    write(builder, *args, **kwargs)
    for name in names:
        builder.arrays[name][..., 1, :] = 0.0
