"""Compares what the steps of a case gave with what a right submission gives, as the check does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from autograder.instructor.repro.embedded.arrays import Differs, compare, contains, tensor_of, without_shared_nan
from autograder.instructor.repro.embedded.properties import OF_ONE, OF_TWO, OF_VALUE
from autograder.instructor.repro.embedded.running import Run, Step, numbers

OTHER_DEVICE = (
    *("is not on the expected device", "to be on the same device", "CUDA", "NVIDIA", "indices should be"),
    "non-meta tensor",
)


def reported(also_failed: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a method print whether its assertion holds. An earlier exception fails it, unless ``also_failed``."""

    def decorate(method: Callable[..., None]) -> Callable[..., None]:
        what = method.__name__

        @functools.wraps(method)
        def assertion(case: Case, step: str, **options: Any) -> None:
            other = options.get("other", step)
            name = f"{what} of `{step}`" + (f" and `{other}`" if other != step else "")
            try:
                if not also_failed:
                    case.raise_earlier(what, step, other)
                method(case, step, **options)
            except Differs as error:
                case.failed += 1
                print(f"  FAIL  {name}: {error}")
            else:
                print(f"  ok    {name}: equal")

        return assertion

    return decorate


class Case(Run):
    """A case with what a right submission gives, and the assertions of the check. ``failed`` counts those that fail."""

    failed = 0

    def expect(
        self,
        into: str,
        outputs: Mapping[str, Any] | None = None,
        count: int = 1,
        gradients: Mapping[str, np.ndarray] | None = None,
        parameters: Mapping[str, np.ndarray] | None = None,
        training: bool | None = None,
        interface: Mapping[str, Any] | None = None,
    ) -> None:
        """Say what a step must give; a call with several results returns a tuple of ``count``."""
        right = Step(outputs or {}, gradients=dict(gradients or {}), parameters=dict(parameters or {}))
        right.training, right.interface = training, dict(interface or {})
        self.expected: dict[str, tuple[Step, int]] = {**getattr(self, "expected", {}), into: (right, count)}

    # ------------------------------------------------------------ assertions, each named as in the check

    @reported()
    def shapes(self, step: str, only: Collection[str] = ()) -> None:
        for _ in self._arrays(step, only):
            pass

    @reported()
    def dtypes(self, step: str, only: Collection[str] = ()) -> None:
        for name, value, expected in self._outputs(step, only):
            wanted = self.dtype if expected.dtype.kind == "f" else str(expected.dtype)
            got = str(value.dtype).removeprefix("torch.") if isinstance(value, torch.Tensor) else wanted
            if got != wanted and not (expected.dtype.kind in "iu" and "int" in got):
                raise Differs(f"`{name}`: Got dtype {got}, expected {wanted}")

    @reported()
    def values(self, step: str, relative: float, of_largest: float, scale: float = 0.0, **which: Any) -> None:
        for name, actual, expected in self._arrays(step, **which):
            compare(f"`{name}`", actual, expected, relative, of_largest, scale)

    @reported(also_failed=True)
    def device_kept(self, step: str) -> None:
        """The assertion ``device``, on tensors without values."""
        errors = {into: found.error for into, found in self.steps.items() if found.error}
        for into, error in errors.items():
            if any(words in str(error) for words in OTHER_DEVICE):
                raise Differs(f"step `{into}`: Got {type(error).__name__}: {error}; expected one device")
        for name, value, _ in [] if errors else self._outputs(step):
            if isinstance(value, torch.Tensor) and value.device.type != self.device:
                raise Differs(f"`{name}`: Got a tensor on {value.device.type}, expected {self.device}")

    @reported()
    def sums(self, step: str, output: str, axis: int, relative: float, of_largest: float) -> None:
        for name, actual, expected in self._arrays(step, [output]):
            compare(f"sum of `{name}`", actual.sum(axis), expected.sum(axis), relative, of_largest)
            if (actual < 0).any() and not (expected < 0).any():
                raise Differs(f"`{name}`: Got {actual.min()}, expected no negative entry")

    @reported()
    def zeros(self, step: str, only: Collection[str] = ()) -> None:
        for name, actual, expected in self._arrays(step, only):
            for index in np.argwhere((expected == 0) & (actual != 0))[:1]:
                raise Differs(f"`{name}`{list(index)}: Got {actual[tuple(index)]}, expected exactly 0")

    @reported()
    def tokens(self, step: str, pad: int, widest: int) -> None:
        for name, value, expected in self._outputs(step):
            actual, rows, width = tensor_of(name, value), *expected.shape
            if actual.ndim != 2 or len(actual) != rows or not width <= actual.shape[1] <= max(widest, width):
                raise Differs(f"`{name}`: Got shape {actual.shape}, expected {expected.shape}")
            wider = ((0, 0), (0, actual.shape[1] - width))
            compare(f"`{name}`", actual, np.pad(expected, wider, constant_values=pad), 0.0, 0.0)

    @reported()
    def same(self, step: str, other: str, relative: float, of_largest: float) -> None:
        for (name, first, _), (_, second, _) in zip(self._arrays(step), self._arrays(other), strict=True):
            compare(f"`{name}`", *without_shared_nan(second, first), relative, of_largest)

    @reported()
    def permuted(
        self, step: str, other: str, order: str, axes: Mapping[str, Sequence[int]], relative: float, of_largest: float
    ) -> None:
        for (name, first, _), (_, second, _) in zip(self._arrays(step), self._arrays(other), strict=True):
            for axis in axes[name]:
                first = np.take(first, self.arrays[order], axis=axis)
            compare(f"`{name}` of `{other}`", *without_shared_nan(second, first), relative, of_largest)

    @reported()
    def python_float(self, step: str) -> None:
        if type(value := self.steps[step].value) is not float:
            raise Differs(f"Got {type(value).__name__}, expected a Python float")

    @reported()
    def gradients_right(
        self,
        step: str,
        relative: float,
        of_largest: float,
        scale: float,
        only: Collection[str] = (),
        finite_at_zero: bool = False,
        distributions: Mapping[str, int] | None = None,
    ) -> None:
        """The assertion ``gradients``. ``scale`` is the largest number of the backward pass."""
        for name, expected in self.expected[step][0].gradients.items():
            if expected is None or (only and name not in only):
                continue
            actual = self.steps[step].gradients.get(name)
            actual = np.zeros(expected.shape) if actual is None else actual
            if finite_at_zero and actual.shape == expected.shape:
                expected = np.where((self.arrays[name] == 0) & np.isfinite(actual), actual, expected)
            if name in (distributions or {}):  # what it says about another sum does not count
                over = tuple(range(-(distributions or {})[name], 0))
                actual = actual - (actual - expected).mean(over, keepdims=True)
            compare(f"gradient of `{name}`", actual, expected, relative, of_largest, scale)

    @reported()
    def unchanged(self, step: str, inputs: Sequence[str]) -> None:
        for name in inputs:
            actual, expected = numbers(self.steps[step].inputs[name]), self.arrays[name]
            if actual.shape != expected.shape:
                raise Differs(f"input `{name}`: Got shape {actual.shape}, expected {expected.shape}")
            if not np.array_equal(actual, expected, equal_nan=expected.dtype.kind == "f"):
                raise Differs(f"input `{name}`: Got\n{actual}\nexpected, as before the call\n{expected}")

    @reported()
    def raises(self, step: str, error: str) -> None:
        raised = self.steps[step].error
        if error not in {base.__name__ for base in type(raised).__mro__}:
            got = f"{type(raised).__name__}: {raised}" if raised else "no exception"
            raise Differs(f"Got {got}, expected {error}")

    @reported(also_failed=True)
    def untouched(self, step: str, words: Sequence[str], later: Sequence[str], allowed: Sequence[str] = ()) -> None:
        """No operation whose name contains one of the words. The grader's own record holds more than this one."""
        found = self.steps[step]
        for names, wanted in ((found.operations, words), (found.later, later)):
            if used := [name for name in sorted(names - {*allowed}) if contains(name, wanted)]:
                raise Differs(f"Got {', '.join(used)}, expected nothing with one of {', '.join(wanted)}")

    @reported()
    def fits(self, step: str, megabytes: float, beside: str = "") -> None:
        """Only the grader measures memory, in a process of its own."""

    @reported()
    def signature(self, step: str) -> None:
        actual, expected = self.steps[step].interface, self.expected[step][0].interface
        if expected["kind"] == "class" != actual["kind"]:
            raise Differs(f"Got a {actual['kind']}, expected a class")
        have, want = actual.get("arguments", []), list(expected["arguments"])
        want = want[: len(have)] if actual.get("variadic") else want
        if have[: len(want)] != want or set(actual.get("required", [])) - set(expected["required"]):
            raise Differs(f"Got arguments {have}, expected {list(expected['arguments'])}")

    @reported()
    def parameters(self, step: str) -> None:
        actual, expected = self.steps[step].interface, self.expected[step][0].interface
        if actual.get("kind") != "module":
            raise Differs(f"Got a {actual.get('kind')}, expected a torch.nn.Module")
        if actual["parameters"] != expected["parameters"]:
            raise Differs(f"Got {actual['parameters']}, expected {expected['parameters']}")
        for what in ("frozen", "buffers", "paddings"):
            if actual[what]:
                raise Differs(f"Got {what} {actual[what]}, expected none")
        if actual["dtypes"] - {"torch.float32"}:
            raise Differs(f"Got parameters of {actual['dtypes']} when made, expected torch.float32")

    @reported()
    def state_right(self, step: str, relative: float, of_largest: float) -> None:
        """The assertion ``state``: the parameters have the expected values."""
        for name, expected in self.expected[step][0].parameters.items():
            if name not in self.steps[step].parameters:
                raise Differs(f"Got no parameter `{name}`, expected one of shape {expected.shape}")
            compare(f"parameter `{name}`", self.steps[step].parameters[name], expected, relative, of_largest)

    @reported()
    def mode_kept(self, step: str) -> None:
        """The assertion ``mode``."""
        words = {True: "train", False: "eval", None: "no"}
        got, expected = self.steps[step].training, self.expected[step][0].training
        if got is not expected:
            raise Differs(f"Got {words[got]} mode, expected {words[expected]} mode")

    # ------------------------------------------------------------ what they share

    def raise_earlier(self, what: str, step: str, other: str) -> None:
        """Raise Differs for the first exception that was not expected, up to ``step`` and ``other``."""
        needed = {step, other}
        for into, found in self.steps.items():
            ignored = {"skipped"} if (into, what) == (step, "gradients_right") else {"skipped", "backward"}
            ignored |= {"call"} if what == "parameters" else set()
            if found.error and not found.wanted and found.during not in ignored:
                raise Differs(f"Got {type(found.error).__name__}: {found.error} in step `{into}`, expected a result")
            needed.discard(into)
            if not needed:
                return

    def _outputs(self, step: str, only: Collection[str] = ()) -> Iterator[tuple[str, Any, np.ndarray]]:
        """Yield the name, the result and the expected values of each output."""
        right, count = self.expected[step]
        value = self.steps[step].value
        if count > 1 and (not isinstance(value, tuple | list) or len(value) != count):
            raise Differs(f"Got {type(value).__name__}, expected {count} results: {', '.join(right.value)}")
        for number, (name, expected) in enumerate(right.value.items()):
            if expected is not None and (not only or name in only):
                yield name, value[number] if count > 1 else value, np.asarray(expected)

    def _arrays(self, step: str, only: Collection[str] = ()) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        for name, value, expected in self._outputs(step, only):
            is_number = isinstance(value, int | float) and not isinstance(value, bool) and expected.shape == ()
            actual = np.asarray(float(value)) if is_number else tensor_of(name, value)
            if actual.shape != expected.shape:
                raise Differs(f"`{name}`: Got shape {actual.shape}, expected {expected.shape}")
            if "b" in (actual.dtype.kind, expected.dtype.kind) and actual.dtype != expected.dtype:
                raise Differs(f"`{name}`: Got dtype {actual.dtype}, expected {expected.dtype}")
            if isinstance(value, torch.Tensor) and value.device.type not in (self.device, "cpu"):
                raise Differs(f"`{name}`: Got a tensor on {value.device.type}, expected {self.device}")
            yield name, actual, expected


def _of_one(judge: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(judge)
    def method(case: Case, step: str, only: Collection[str] = (), **options: Any) -> None:
        judge(list(case._arrays(step, only)), **options)

    return method


def _of_two(judge: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(judge)
    def method(case: Case, step: str, other: str, **options: Any) -> None:
        judge(list(case._arrays(step)), list(case._arrays(other)), **options)

    return method


def _undrawn(case: Case, step: str, says: str, **_: Any) -> None:
    if case.steps[step].drew:
        raise Differs(f"Got another state of torch's random numbers, expected: {says}")


def _of_value(judge: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(judge)
    def method(case: Case, step: str, **options: Any) -> None:
        judge(case.steps[step].value, case.expected[step][0].value, **options)

    return method


_undrawn.__name__ = "undrawn"
_PROPERTIES = [*map(_of_one, OF_ONE), *map(_of_two, OF_TWO), *map(_of_value, OF_VALUE), _undrawn]
for _property in _PROPERTIES:
    setattr(Case, _property.__name__, reported()(_property))
