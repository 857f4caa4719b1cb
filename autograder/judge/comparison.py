"""One case's expected and actual results side by side, read as plain arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from autograder import model, protocol
from autograder.judge import relations, tolerances
from autograder.judge.tolerances import Difference, Tolerance
from autograder.protocol import wire


class Output(NamedTuple):
    """One named result of a call."""

    name: str
    actual: protocol.Value
    expected: protocol.Value


class AssertionFailed(Exception):
    """Carries a finding from the place that makes it to ``first_failure``."""

    def __init__(
        self, symptom: str, step: str, status: Literal["failed", "error", "timeout"] = "failed", **facts: Any
    ) -> None:
        super().__init__(symptom)
        self.finding = model.Finding(symptom, step, facts, status)


class Comparison:
    """One case and one answer to it, for all assertions of a check. Each array is decoded once."""

    def __init__(
        self,
        prepared: model.Prepared,
        answer: protocol.Answer,
        work: model.Submission | None = None,
        guarded: bool = False,
    ) -> None:
        """``guarded`` leaves room for a guard (``tolerances.GUARD``)."""
        self.work = work
        self.guarded = guarded
        self.program = prepared.program
        self.steps = prepared.program.named
        self.actual = protocol.by_step(answer.results)
        self.expected = prepared.expected
        self._decoded: dict[int, tuple[protocol.Array, np.ndarray]] = {}  # keeps the array, so its id stays unique

    def numpy(self, array: protocol.Array) -> np.ndarray:
        """Return the values of an array of this case or answer. Raises WireError."""
        if id(array) not in self._decoded:
            self._decoded[id(array)] = array, wire.to_numpy(array)
        return self._decoded[id(array)][1]

    def tolerance(self, relative: float = 0.0, of_largest: float = 0.0) -> Tolerance:
        """Return how far this case's results may be off: the table's tolerance, or a wider one."""
        return tolerances.tolerance(self.program, relative, of_largest, self.guarded)

    def difference(
        self, actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance, scale: float = 0.0
    ) -> Difference | None:
        """Return how two arrays differ by more than the tolerance, or than rounded inputs would change them."""
        found = tolerances.difference(actual, expected, tolerance, scale)
        if found is None:
            return None
        floating = [array for array in self.program.arrays.values() if tolerances.KINDS[array.dtype] == "float"]
        largest = max((float(np.abs(self.numpy(array)).max(initial=0.0)) for array in floating), default=0.0)
        room = tolerances.condition(self.program.dtype, largest)
        wider = Tolerance(max(tolerance.relative, room), max(tolerance.of_largest, room))
        return found if wider == tolerance else tolerances.difference(actual, expected, wider, scale)

    def raise_earlier_failure(self, step: str, assertion: str = "", other: str | None = None) -> None:
        """Raise AssertionFailed for the first unexpected exception, up to ``step`` and ``other``.

        So the finding names the step that failed, not the steps that depend on it. A failed backward pass of ``step``
        counts only for the assertion ``gradients``, and a failed call hides no ``parameters``. Results of another shape
        make the backward pass fail too, with words about numbers that are not the student's, so they are named instead.
        """
        needed = {step, other or step}
        for into in self.steps:
            actual, expected = self.actual.get(into), self.expected.get(into)
            raised = actual.raised if actual and expected and not expected.raised else None
            ignored = {"skipped"} if (into, assertion) == (step, "gradients") else {"skipped", "backward"}
            ignored |= {"call"} if assertion == "parameters" else set()
            if raised and raised.during not in ignored:
                if raised.during == "backward" and actual and actual.value is not None:
                    deque(self.arrays(into), maxlen=0)
                raise unexpected_exception(into, raised)
            needed.discard(into)
            if not needed:
                return

    def outputs(self, step: str, only: Collection[str] | None = None) -> Iterator[Output]:
        """Yield the named results of a call. Raises AssertionFailed if their number is wrong."""
        call = self.steps[step]
        assert isinstance(call, protocol.Call)
        actual, expected = self.actual[step].value, self.expected[step].value
        assert expected is not None
        pairs: list[tuple[Any, Any]] = [(actual, expected)]
        if len(call.outputs) > 1:
            if not isinstance(actual, protocol.Sequence) or len(actual.items) != len(call.outputs):
                raise AssertionFailed("wrong-structure", step, actual=kind_of(actual), expected=list(call.outputs))
            assert isinstance(expected, protocol.Sequence)
            pairs = list(zip(actual.items, expected.items, strict=True))
        for name, pair in zip(call.outputs, pairs, strict=True):
            if only is None or name in only:
                yield Output(name, *pair)

    def arrays(self, step: str, only: Collection[str] | None = None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Yield name, actual and expected values of each result, of equal shapes. Raises AssertionFailed otherwise."""
        for output in self.outputs(step, only):
            actual, expected = array_pair(step, output)
            if actual.shape != expected.shape:
                raise self.wrong_shape(step, output.name, actual, expected)
            self.require_device(step, output)
            one_is_mask = "bool" in (actual.dtype, expected.dtype)  # ones and zeros are not a mask
            if actual.dtype not in wire.DTYPES or (one_is_mask and actual.dtype != expected.dtype):  # such as bfloat16
                raise mismatch("wrong-dtype", step, output, actual.dtype, self.expected_dtype(expected))
            if not actual.data and 0 not in actual.shape:
                raise mismatch("wrong-type", step, output, "a sparse tensor", "a dense one")
            yield output.name, self.numpy(actual), self.numpy(expected)

    def wrong_shape(self, step: str, name: str, actual: protocol.Array, expected: protocol.Array) -> AssertionFailed:
        """Return the failure for a result of another shape."""
        found = []
        if actual.dtype in wire.DTYPES and (actual.data or 0 in actual.shape):
            found = relations.of_other_length(self.numpy(actual), self.numpy(expected), self.tolerance())
        told: dict[str, Any] = {"relations": (name, found)} if found else {}
        return AssertionFailed("wrong-shape", step, output=name, actual=actual.shape, expected=expected.shape, **told)

    def inputs(self, step: str) -> dict[str, np.ndarray]:
        """Return the arrays that a call takes, by name."""
        call = self.steps[step]
        names = [ref.name for ref in call.refs] if isinstance(call, protocol.Call) else []
        return {name: self.numpy(self.program.arrays[name]) for name in names if name in self.program.arrays}

    def require_device(self, step: str, output: Output) -> None:
        """Raise AssertionFailed unless a tensor is on its inputs' device. A single number goes with every device.

        On ``meta``, results on the CPU pass: the assertion ``device`` looks at those. A CUDA call without tensors has
        no device to follow, so the CPU passes there too.
        """
        if not isinstance(output.actual, protocol.Tensor):
            return
        actual, call, device = output.actual.array.device, self.steps[step], self.program.device
        if not output.actual.array.shape and actual in ("cpu", "cuda"):
            return
        of_module = isinstance(self.steps.get(getattr(call, "name", "")), protocol.Make)
        has_tensors = of_module or (isinstance(call, protocol.Call) and bool(call.refs))
        if actual != device and (actual != "cpu" or (device == "cuda" and has_tensors)):
            raise mismatch("wrong-device", step, output, actual, device)

    def expected_dtype(self, expected: protocol.Array) -> str:
        """Return the dtype that a result must have: references compute in float64, whatever the program's dtype."""
        return self.program.dtype if tolerances.KINDS.get(expected.dtype) == "float" else expected.dtype


def is_stub(raised: protocol.Raised) -> bool:
    """Whether a stub was left as it is. torch raises NotImplementedError itself for dtypes that it lacks."""
    return "NotImplementedError" in raised.bases and (raised.line is None or "NotImplementedError" in raised.code)


def is_missing(raised: protocol.Raised) -> bool:
    """Whether the worker did not find a name or a parameter. A student's own ``Missing`` has a line."""
    return raised.type == "Missing" and raised.line is None


def unexpected_exception(step: str, raised: protocol.Raised) -> AssertionFailed:
    """Return the failure for an exception that was not expected."""
    symptom = "backward-raised" if raised.during == "backward" else "raised"
    if is_stub(raised):
        symptom = "not-implemented"
    elif is_missing(raised):
        symptom = "missing-name"
    return AssertionFailed(symptom, step, "error", raised=raised)


def mismatch(symptom: str, step: str, output: Output, actual: object, expected: object) -> AssertionFailed:
    """Return the failure for one result that is not as expected."""
    return AssertionFailed(symptom, step, output=output.name, actual=actual, expected=expected)


def kind_of(value: protocol.Value | None) -> str:
    """Return what kind of object a value is, in words."""
    match value:
        case None | protocol.Scalar(None):
            return "None"
        case protocol.Tensor(array):
            return f"a tensor of shape {array.shape}"
        case protocol.Sequence(kind, items):
            return f"a {kind} of {len(items)}"
        case protocol.Scalar(scalar):
            return f"the {type(scalar).__name__} {scalar!r}"
        case protocol.Opaque(kind):
            return f"a {kind}"


def array_pair(step: str, output: Output) -> tuple[protocol.Array, protocol.Array]:
    """Return actual and expected result as arrays. A number passes for a scalar. Raises AssertionFailed."""
    match output.expected, output.actual:
        case protocol.Tensor(expected), protocol.Tensor(actual):
            return actual, expected
        case protocol.Scalar(float() | int() as expected), protocol.Scalar(float() | int() as actual):
            return wire.to_array(np.asarray(float(actual))), wire.to_array(np.asarray(float(expected)))
        case protocol.Scalar(float() | int() as expected), protocol.Tensor(actual) if actual.shape == ():
            return actual, wire.to_array(np.asarray(float(expected)))
    raise mismatch("wrong-type", step, output, kind_of(output.actual), kind_of(output.expected))
