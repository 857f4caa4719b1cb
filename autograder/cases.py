"""Draws the numbers of a case and writes them down as a program.

The only randomness of the grader: a generator seeded by a secret (or, for public checks, a fixed
text) and the case's name, so that every student of a run meets the same numbers and no case
depends on another.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder import model, wire

PUBLIC_SEED = "attngrade public checks"


class Draw:
    """A generator of numbers for one case. ``attempt`` counts redraws of inputs that were ambiguous; ``dtype`` is
    what an audit asks for, of all cases that are not pinned to theirs."""

    def __init__(
        self, seed: str, topic: str, case: str, attempt: int = 0, dtype: model.Dtype | None = None
    ) -> None:
        self.dtype = dtype
        text = "\0".join((seed, topic, case, str(attempt)))
        entropy = int.from_bytes(hashlib.sha256(text.encode()).digest())
        self.generator = np.random.Generator(np.random.PCG64(entropy))

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        """Gaussian values with standard deviation ``scale``."""
        return self.generator.normal(size=shape) * scale

    def noise(self, *shape: int) -> np.ndarray:
        """Values in single precision, evenly spread, with a standard deviation of 1: a fifth of the cost of
        ``normal``, where there are many and their distribution does not matter."""
        return (self.generator.random(shape, dtype=np.float32) - np.float32(0.5)) * np.float32(12**0.5)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """Values between ``low`` and ``high``."""
        return self.generator.uniform(low, high, size=shape)

    def integers(self, *shape: int, low: int = 0, high: int) -> np.ndarray:
        """int64 values from ``low`` up to, and without, ``high``."""
        return self.generator.integers(low, high, size=shape)

    def permutation(self, count: int) -> np.ndarray:
        """An order of ``count`` things, at least two, in which nothing keeps its place."""
        while True:
            order = self.generator.permutation(count)
            if (order != np.arange(count)).all():
                return order

    def mask(self, *shape: int, keep: float = 0.6) -> np.ndarray:
        """A random mask in which every row has at least one True and, where it has two places, one False."""
        mask = self.generator.random(shape) < keep
        first = self.generator.integers(0, shape[-1], size=shape[:-1])
        np.put_along_axis(mask, first[..., None], True, axis=-1)
        if shape[-1] > 1:
            np.put_along_axis(mask, (first[..., None] + 1) % shape[-1], False, axis=-1)
        return mask


class Script:
    """Writes a program step by step: arrays are added by name, and each step may refer to what came before."""

    def __init__(self, draw: Draw, dtype: model.Dtype = "float64", device: str = "cpu") -> None:
        self.draw = draw
        self.device = device
        self.on_cpu: set[str] = set()  # arrays that stay there, whatever the device
        self.dtype: model.Dtype = dtype
        self.arrays: dict[str, np.ndarray] = {}
        self.steps: list[model.Step] = []
        self.asides: list[model.Step] = []

    # ---- arrays

    def array(self, name: str, values: Any) -> model.Ref:
        """Adds given values; floating ones are rounded to the program's dtype."""
        values = np.asarray(values)
        self.arrays[name] = values.astype(self.dtype, copy=False) if values.dtype.kind == "f" else values
        return model.Ref(name)

    def normal(self, name: str, *shape: int, scale: float = 1.0) -> model.Ref:
        """Adds Gaussian values."""
        return self.array(name, self.draw.normal(*shape, scale=scale))

    def noise(self, name: str, *shape: int) -> model.Ref:
        """Adds values that cost little to draw."""
        return self.array(name, self.draw.noise(*shape))

    # ---- steps

    def make(
        self,
        into: str,
        name: str,
        *args: model.Argument,
        weights: Mapping[str, Sequence[int] | np.ndarray] | None = None,
        scale: float = 0.7,
        train: bool = False,
        **kwargs: model.Argument,
    ) -> model.Ref:
        """Builds an object and gives it weights: drawn where a shape is given, else the values themselves."""
        state = {}
        for key, given in (weights or {}).items():
            label = f"{into}.{key}"
            values = given if isinstance(given, np.ndarray) else self.draw.normal(*given, scale=scale)
            self.array(label, values)
            state[key] = label
        self.steps.append(model.Make(into, name, list(args), dict(kwargs), state, train))
        return model.Ref(into)

    def call(
        self,
        into: str,
        name: str,
        *args: model.Argument,
        outputs: Mapping[str, Sequence[int] | None] | None = None,
        wrt: Sequence[str] = (),
        modules: Sequence[str] = (),
        back_from: Sequence[str] | None = None,
        trace: bool = False,
        echo: bool = False,
        layout: model.Layout = "contiguous",
        **kwargs: model.Argument,
    ) -> model.Ref:
        """Calls a function or an object. ``outputs`` names the results with their shapes; where ``wrt`` or
        ``modules`` ask for gradients, a cotangent is drawn for each (or only for those in ``back_from``)."""
        outputs = outputs or {"result": None}
        cotangents: list[str | None] = []
        if wrt or modules:
            for output, shape in outputs.items():
                wanted = shape is not None and (back_from is None or output in back_from)
                label = f"{into}.cotangent.{output}"
                cotangents.append(label if wanted else None)
                if wanted and shape is not None:
                    self.normal(label, *shape)
        self.steps.append(
            model.Call(
                into, name, list(args), dict(kwargs), tuple(outputs), tuple(wrt), tuple(modules),
                tuple(cotangents), trace, echo, layout,
            )
        )  # fmt: skip
        return model.Ref(into)

    def add(self, step: model.Step) -> None:
        """Adds any other step."""
        self.steps.append(step)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Steps that are written in here are played by the reference alone, after all others."""
        asked, self.steps = self.steps, self.asides
        try:
            yield
        finally:
            self.steps = asked

    def program(self) -> model.Program:
        """The finished program."""
        arrays = {
            name: wire.to_array(values, "cpu" if name in self.on_cpu else self.device)
            for name, values in self.arrays.items()
        }
        steps, asides = tuple(self.steps), tuple(self.asides)
        return model.Program(self.dtype, arrays, steps, self.device, asides=asides)
