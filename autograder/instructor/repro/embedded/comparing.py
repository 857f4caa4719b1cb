"""Compares what the steps of a case gave with what a right submission gives, as the check does."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from autograder.instructor.repro.embedded.running import Run, Step, numbers

SHOWN = 64  # entries of an array that are printed in full
OTHER_DEVICE = (
    *("is not on the expected device", "to be on the same device", "CUDA", "NVIDIA", "indices should be"),
    "non-meta tensor",
)


class Differs(Exception):
    """An assertion does not hold. The text says what was got and what was expected."""


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

    def shapes(self, step: str, only: Collection[str] = ()) -> None:
        with self._holds("shapes", step):
            for _ in self._arrays(step, only):
                pass

    def dtypes(self, step: str, only: Collection[str] = ()) -> None:
        with self._holds("dtypes", step):
            for name, value, expected in self._outputs(step, only):
                wanted = self.dtype if expected.dtype.kind == "f" else str(expected.dtype)
                got = str(value.dtype).removeprefix("torch.") if isinstance(value, torch.Tensor) else wanted
                if got != wanted and not (expected.dtype.kind in "iu" and "int" in got):
                    raise Differs(f"`{name}`: Got dtype {got}, expected {wanted}")

    def values(self, step: str, relative: float, of_largest: float, only: Collection[str] = ()) -> None:
        with self._holds("values", step):
            for name, actual, expected in self._arrays(step, only):
                compare(f"`{name}`", actual, expected, relative, of_largest)

    def device_kept(self, step: str) -> None:
        """The assertion ``device``, on tensors without values."""
        with self._holds("device", step, also_failed=True):
            errors = {into: found.error for into, found in self.steps.items() if found.error}
            for into, error in errors.items():
                if any(words in str(error) for words in OTHER_DEVICE):
                    raise Differs(f"step `{into}`: Got {type(error).__name__}: {error}; expected one device")
            for name, value, _ in [] if errors else self._outputs(step):
                if isinstance(value, torch.Tensor) and value.device.type != self.device:
                    raise Differs(f"`{name}`: Got a tensor on {value.device.type}, expected {self.device}")

    def sums(self, step: str, output: str, axis: int, relative: float, of_largest: float) -> None:
        with self._holds("sums", step):
            for name, actual, expected in self._arrays(step, [output]):
                compare(f"sum of `{name}`", actual.sum(axis), expected.sum(axis), relative, of_largest)
                if (actual < 0).any() and not (expected < 0).any():
                    raise Differs(f"`{name}`: Got {actual.min()}, expected no negative entry")

    def zeros(self, step: str, only: Collection[str] = ()) -> None:
        with self._holds("zeros", step):
            for name, actual, expected in self._arrays(step, only):
                for index in np.argwhere((expected == 0) & (actual != 0))[:1]:
                    raise Differs(f"`{name}`{list(index)}: Got {actual[tuple(index)]}, expected exactly 0")

    def tokens(self, step: str, pad: int, widest: int) -> None:
        with self._holds("tokens", step):
            for name, value, expected in self._outputs(step):
                actual, rows, width = tensor_of(name, value), *expected.shape
                if actual.ndim != 2 or len(actual) != rows or not width <= actual.shape[1] <= max(widest, width):
                    raise Differs(f"`{name}`: Got shape {actual.shape}, expected {expected.shape}")
                wider = ((0, 0), (0, actual.shape[1] - width))
                compare(f"`{name}`", actual, np.pad(expected, wider, constant_values=pad), 0.0, 0.0)

    def same(self, step: str, other: str, relative: float, of_largest: float) -> None:
        with self._holds(f"the same as `{other}`", step, other):
            for (name, first, _), (_, second, _) in zip(self._arrays(step), self._arrays(other), strict=True):
                compare(f"`{name}`", second, first, relative, of_largest)

    def permuted(
        self, step: str, other: str, order: str, axes: Mapping[str, Sequence[int]], relative: float, of_largest: float
    ) -> None:
        with self._holds(f"permuted in `{other}`", step, other):
            for (name, first, _), (_, second, _) in zip(self._arrays(step), self._arrays(other), strict=True):
                for axis in axes[name]:
                    first = np.take(first, self.arrays[order], axis=axis)
                compare(f"`{name}` of `{other}`", second, first, relative, of_largest)

    def python_float(self, step: str) -> None:
        with self._holds("python_float", step):
            if type(value := self.steps[step].value) is not float:
                raise Differs(f"Got {type(value).__name__}, expected a Python float")

    def gradients_right(
        self,
        step: str,
        relative: float,
        of_largest: float,
        scale: float,
        only: Collection[str] = (),
        finite_at_zero: bool = False,
    ) -> None:
        """The assertion ``gradients``. ``scale`` is the largest number of the backward pass."""
        with self._holds("gradients", step):
            for name, expected in self.expected[step][0].gradients.items():
                if expected is None or (only and name not in only):
                    continue
                actual = self.steps[step].gradients.get(name)
                actual = np.zeros(expected.shape) if actual is None else actual
                if finite_at_zero and actual.shape == expected.shape:
                    expected = np.where((self.arrays[name] == 0) & np.isfinite(actual), actual, expected)
                compare(f"gradient of `{name}`", actual, expected, relative, of_largest, scale)

    def unchanged(self, step: str, inputs: Sequence[str]) -> None:
        with self._holds("unchanged", step):
            for name in inputs:
                actual, expected = numbers(self.steps[step].inputs[name]), self.arrays[name]
                if actual.shape != expected.shape:
                    raise Differs(f"input `{name}`: Got shape {actual.shape}, expected {expected.shape}")
                if not np.array_equal(actual, expected, equal_nan=expected.dtype.kind == "f"):
                    raise Differs(f"input `{name}`: Got\n{actual}\nexpected, as before the call\n{expected}")

    def raises(self, step: str, error: str) -> None:
        with self._holds("raises", step):
            raised = self.steps[step].error
            if error not in {base.__name__ for base in type(raised).__mro__}:
                got = f"{type(raised).__name__}: {raised}" if raised else "no exception"
                raise Differs(f"Got {got}, expected {error}")

    def untouched(
        self, steps: Sequence[str], words: Sequence[str], later: Sequence[str] = (), allowed: Sequence[str] = ()
    ) -> None:
        """No operation whose name contains one of the words. The grader's own record holds more than this one."""
        for step in steps:
            with self._holds("untouched", step, also_failed=True):
                found = self.steps[step]
                for names, wanted in ((found.operations, words), (found.later, later)):
                    used = [name for name in sorted(names - {*allowed}) if plain(name, wanted)]
                    if used:
                        raise Differs(f"Got {', '.join(used)}, expected nothing with one of {', '.join(wanted)}")

    def signature(self, step: str) -> None:
        with self._holds("signature", step):
            actual, expected = self.steps[step].interface, self.expected[step][0].interface
            if expected["kind"] == "class" != actual["kind"]:
                raise Differs(f"Got a {actual['kind']}, expected a class")
            have, want = actual.get("arguments", []), list(expected["arguments"])
            want = want[: len(have)] if actual.get("variadic") else want
            if have[: len(want)] != want or set(actual.get("required", [])) - set(expected["required"]):
                raise Differs(f"Got arguments {have}, expected {list(expected['arguments'])}")

    def parameters(self, step: str) -> None:
        with self._holds("parameters", step):
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

    def state_right(self, step: str, relative: float, of_largest: float) -> None:
        """The assertion ``state``: the parameters have the expected values."""
        with self._holds("state", step):
            for name, expected in self.expected[step][0].parameters.items():
                if name not in self.steps[step].parameters:
                    raise Differs(f"Got no parameter `{name}`, expected one of shape {expected.shape}")
                compare(f"parameter `{name}`", self.steps[step].parameters[name], expected, relative, of_largest)

    def mode_kept(self, step: str) -> None:
        """The assertion ``mode``."""
        with self._holds("mode", step):
            words = {True: "train", False: "eval", None: "no"}
            got, expected = self.steps[step].training, self.expected[step][0].training
            if got is not expected:
                raise Differs(f"Got {words[got]} mode, expected {words[expected]} mode")

    # ------------------------------------------------------------ what they share

    @contextlib.contextmanager
    def _holds(self, what: str, step: str, other: str = "", also_failed: bool = False) -> Iterator[None]:
        """Report whether an assertion holds. The first exception up to its steps fails it, unless ``also_failed``."""
        try:
            if not also_failed:
                self._raise_earlier(what, step, other or step)
            yield
        except Differs as error:
            self.failed += 1
            print(f"  FAIL  {what} of `{step}`: {error}")
        else:
            print(f"  ok    {what} of `{step}`: equal")

    def _raise_earlier(self, what: str, step: str, other: str) -> None:
        needed = {step, other}
        for into, found in self.steps.items():
            ignored = {"skipped"} if (into, what) == (step, "gradients") else {"skipped", "backward"}
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


def tensor_of(name: str, value: Any) -> np.ndarray:
    if not isinstance(value, torch.Tensor):
        raise Differs(f"`{name}`: Got {type(value).__name__}, expected a tensor")
    if value.layout != torch.strided:
        raise Differs(f"`{name}`: Got a sparse tensor, expected a dense one")
    return numbers(value)


def plain(name: str, words: Sequence[str]) -> bool:
    name = name.lower().replace("_", "")
    return any(word.lower().replace("_", "") in name for word in words)


def compare(
    what: str, actual: np.ndarray, expected: np.ndarray, relative: float, of_largest: float, scale: float = 0.0
) -> None:
    """Raise Differs if an entry is off by more than ``relative`` of itself plus ``of_largest`` of the largest one."""
    if actual.shape != expected.shape:
        raise Differs(f"{what}: Got shape {actual.shape}, expected {expected.shape}")
    if {actual.dtype.kind, expected.dtype.kind} & set("fc"):
        wide = np.complex128 if "c" in (actual.dtype.kind, expected.dtype.kind) else np.float64
        got, right = actual.astype(wide), expected.astype(wide)
        size, finite = np.abs(right), np.isfinite(right)
        largest = max(scale, float(size.max(initial=0.0, where=finite)))
        with np.errstate(invalid="ignore", over="ignore"):
            gap = np.abs(got - right)
            wrong = ~np.where(finite, gap <= relative * size + of_largest * largest, got == right)
    else:
        wrong = actual != expected
        gap = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    if not wrong.any():
        return
    worst = np.where(wrong, np.where(np.isnan(gap), np.inf, gap), -1.0)
    index = tuple(int(at) for at in np.unravel_index(int(worst.argmax()), worst.shape))
    place = f"{what}{list(index)}" if index else what
    text = f"{place}: Got {actual[index]}, expected {expected[index]} ({wrong.sum()} of {wrong.size} entries differ)"
    if 1 < wrong.size <= SHOWN:
        text += f"\nGot\n{actual}\nexpected\n{expected}"
    raise Differs(text)
