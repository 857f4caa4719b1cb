"""Assertions about results, gradients and inputs. Each raises AssertionFailed with the facts, or returns None.

All take the ``case`` to look at and the name of a ``step``. ``only`` restricts them to these outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from autograder import protocol
from autograder.judge import remarks, tolerances
from autograder.judge.comparison import (
    AssertionFailed,
    Comparison,
    array_pair,
    is_missing,
    is_stub,
    kind_of,
    mismatch,
    unexpected_exception,
)
from autograder.judge.registry import assertion

Only = Collection[str] | None

# What torch says about tensors on two devices, or about a device that does not exist here.
OTHER_DEVICE = (
    "is not on the expected device",
    "to be on the same device",
    "CUDA",
    "NVIDIA",
    "indices should be",
    "non-meta tensor",
)


@assertion
def shapes(case: Comparison, step: str, only: Only = None) -> None:
    """Every output is a tensor of the expected shape."""
    for _ in case.arrays(step, only):
        pass


@assertion
def dtypes(case: Comparison, step: str, only: Only = None) -> None:
    """Every output has the inputs' dtype and device. Integer results may have any integer dtype."""
    for output in case.outputs(step, only):
        actual, expected = array_pair(step, output)
        wanted = case.expected_dtype(expected)
        both_integers = tolerances.KINDS.get(expected.dtype) == "int" == tolerances.KINDS.get(actual.dtype)
        if actual.dtype != wanted and not both_integers:
            raise mismatch("wrong-dtype", step, output, actual.dtype, wanted)
        case.require_device(step, output)


@assertion
def values(
    case: Comparison, step: str, only: Only = None, relative: float = 0.0, of_largest: float = 0.0, scale: float = 0.0
) -> None:
    """Every output equals the reference's, in the tolerance of the program's dtype or a wider one.

    ``scale``: the size of the numbers that a result comes from, where they cancel to 0.
    """
    tolerance = case.tolerance(relative, of_largest)
    pairs, right = case.arrays(step, only), []
    for name, actual, expected in pairs:
        difference = case.difference(actual, expected, tolerance, scale)
        if not difference:
            right.append(name)
            continue
        floating = {actual.dtype.kind, expected.dtype.kind} == {"f"} and expected.shape  # a Python float has no dtype
        wanted = case.program.dtype
        if floating and actual.dtype.name != wanted:
            raise AssertionFailed("wrong-dtype", step, output=name, actual=actual.dtype.name, expected=wanted)
        also = remarks.remarks(case, step, (name, actual, expected), pairs, tolerance, scale, right)
        raise AssertionFailed("wrong-values", step, output=name, difference=difference, shape=expected.shape, **also)


@assertion
def device(case: Comparison, step: str) -> None:
    """Every output is on the inputs' device, and no tensor of another device is mixed in.

    Tensors on ``meta`` have no values. Code that needs values raises there without a fault of its own, so other
    exceptions pass. On other devices the values are compared too.
    """
    if case.program.device != "meta":
        case.raise_earlier_failure(step)
        values(case, step)
        return
    exceptions = {into: result.raised for into, result in case.actual.items() if result.raised}
    for into, raised in exceptions.items():
        if any(words in raised.message for words in OTHER_DEVICE):
            raise AssertionFailed("mixed-devices", into, raised=raised)
    if exceptions:
        return
    for output in case.outputs(step):
        if isinstance(output.actual, protocol.Tensor) and output.actual.array.device != case.program.device:
            raise mismatch("wrong-device", step, output, output.actual.array.device, case.program.device)


@assertion
def sums(case: Comparison, step: str, output: str, axis: int = -1, tolerance: float = 1e-5) -> None:
    """Rows sum to 1 where the reference's do, and no entry is negative where the reference's are not.

    A fully masked row sums to 0.
    """
    for _, actual, expected in case.arrays(step, [output]):
        with np.errstate(invalid="ignore"):  # infinities of both signs
            total = tolerances.widened(actual).sum(axis)
        difference = case.difference(total, expected.sum(axis), tolerances.Tolerance(0.0, tolerance))
        if difference:
            raise AssertionFailed("wrong-sum", step, output=output, difference=difference, axis=axis)
        if (actual < 0).any() and not (expected < 0).any():
            raise AssertionFailed("negative-weights", step, output=output)


@assertion
def zeros(case: Comparison, step: str, only: Only = None) -> None:
    """Entries are exactly 0 where the reference's are: no small number, no NaN."""
    for name, actual, expected in case.arrays(step, only):
        index = tolerances.first_nonzero(actual, expected == 0)
        if index is not None:
            raise AssertionFailed("not-zero", step, output=name, index=index, actual=actual[index].item())


@assertion
def tokens(case: Comparison, step: str, pad: int, widest: int) -> None:
    """Sentences (B, T) equal the reference's. Columns of ``pad`` alone may follow, up to ``widest`` columns."""
    for output in case.outputs(step):
        array, wanted = array_pair(step, output)
        fits = len(array.shape) == 2 and array.shape[0] == wanted.shape[0]
        if not fits or not wanted.shape[1] <= array.shape[1] <= max(widest, wanted.shape[1]):
            raise case.wrong_shape(step, output.name, array, wanted)
        actual, expected = case.numpy(array), case.numpy(wanted)
        expected = np.pad(expected, ((0, 0), (0, actual.shape[1] - expected.shape[1])), constant_values=pad)
        exactly = tolerances.Tolerance(0.0, 0.0)
        difference = tolerances.difference(actual, expected, exactly)
        if difference:
            also = remarks.remarks(case, step, (output.name, actual, expected), (), exactly, 0.0, ())
            raise AssertionFailed(
                "wrong-values", step, output=output.name, difference=difference, shape=expected.shape, **also
            )


@assertion
def gradients(
    case: Comparison,
    step: str,
    only: Only = None,
    relative: float = 0.0,
    of_largest: float = 0.0,
    finite_at_zero: bool = False,
    distributions: Mapping[str, int] | None = None,
) -> None:
    """Every requested gradient equals the reference's. A missing gradient (None) counts as 0.

    ``finite_at_zero``: where an input is exactly 0, its gradient only has to be finite. ``distributions``: inputs whose
    last axes, so many, sum to 1. What a gradient says about another sum does not count there: code may divide by it.
    """
    tolerance, scale = case.tolerance(relative, of_largest), _gradient_scale(case, step)
    for name, wanted in case.expected[step].gradients.items():
        if wanted is None or (only is not None and name not in only):
            continue
        expected, array = case.numpy(wanted), case.actual[step].gradients.get(name)
        if array is None:
            if expected.any():
                raise AssertionFailed("no-gradient", step, name=name)
            continue
        if array.shape != expected.shape:
            raise AssertionFailed("wrong-gradient-shape", step, name=name, actual=array.shape, expected=expected.shape)
        actual = case.numpy(array)
        free = np.zeros(actual.shape, dtype=bool)
        if finite_at_zero:
            free = (case.numpy(case.program.arrays[name]) == 0) & np.isfinite(actual)
        if distributions and name in distributions:
            actual = _along_simplex(actual, expected, free, distributions[name])
        expected = np.where(free, actual, expected)
        difference = case.difference(actual, expected, tolerance, scale)
        if difference:
            symptom = "wrong-gradient" if actual.any() or not expected.any() else "zero-gradient"
            if not np.isfinite(actual).all():
                symptom = "nan-gradient"
            raise AssertionFailed(symptom, step, name=name, difference=difference, shape=expected.shape)


def _along_simplex(actual: np.ndarray, expected: np.ndarray, free: np.ndarray, axes: int) -> np.ndarray:
    """Return a gradient moved by a number for each distribution, so that it has the mean of the expected one."""
    over = tuple(range(-axes, 0))
    count = np.maximum((~free).sum(over, keepdims=True), 1)
    with np.errstate(invalid="ignore"):  # a gradient that is not finite stays so
        gap = np.where(free, 0.0, actual - expected).sum(over, keepdims=True) / count
        return np.where(np.isfinite(gap), actual - gap, actual)


def _gradient_scale(case: Comparison, step: str) -> float:
    """Return the largest known number of the backward pass.

    Rounding errors are relative to it, also in a gradient whose terms cancel.
    """
    call = case.steps[step]
    cotangents = call.cotangents if isinstance(call, protocol.Call) else ()
    known = [case.program.arrays[name] for name in cotangents if name]
    known += [gradient for gradient in case.expected[step].gradients.values() if gradient is not None]
    return max((float(np.abs(case.numpy(array)).max(initial=0.0)) for array in known), default=0.0)


@assertion
def unchanged(case: Comparison, step: str) -> None:
    """The inputs are as they were before the call."""
    for name, wanted in case.expected[step].echoes.items():
        array, expected = case.actual[step].echoes.get(name), case.numpy(wanted)
        if array is None:
            raise AssertionFailed("no-echo", step, "error", name=name)
        floating = expected.dtype.kind == "f"
        if array.shape != expected.shape or not np.array_equal(case.numpy(array), expected, equal_nan=floating):
            raise AssertionFailed("changed-input", step, name=name)


@assertion
def same(case: Comparison, step: str, other: str) -> None:
    """Two calls gave the same results. As a rule, they have the same inputs."""
    tolerance = case.tolerance()
    for (name, first, _), (_, second, _) in zip(case.arrays(step), case.arrays(other), strict=True):
        difference = case.difference(*_without_shared_nan(second, first), tolerance)
        if difference:
            raise AssertionFailed("not-repeatable", step, output=name, difference=difference)


def _without_shared_nan(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two results of a submission with 0 where both are NaN: there they agree, wrong as they may be."""
    if not first.dtype.kind == second.dtype.kind == "f" or first.shape != second.shape:
        return first, second
    shared = np.isnan(first) & np.isnan(second)
    return np.where(shared, 0.0, first), np.where(shared, 0.0, second)


@assertion
def permuted(case: Comparison, step: str, other: str, order: str, axes: Mapping[str, list[int]]) -> None:
    """The results of ``other`` are those of ``step``, permuted along ``axes``.

    The inputs of ``other`` are permuted by the array ``order``. ``axes`` maps an output to its permuted axes; an output
    without axes does not change at all.
    """
    indices, tolerance = case.numpy(case.program.arrays[order]), case.tolerance()
    for (name, expected, _), (_, actual, _) in zip(case.arrays(step), case.arrays(other), strict=True):
        for axis in axes[name]:
            expected = np.take(expected, indices, axis=axis)
        difference = case.difference(*_without_shared_nan(actual, expected), tolerance)
        if difference:
            symptom = "not-equivariant" if axes[name] else "not-invariant"
            raise AssertionFailed(symptom, step, output=name, difference=difference)


@assertion
def raises(case: Comparison, step: str, error: str) -> None:
    """The step raised ``error``, and nothing else."""
    raised = case.actual[step].raised
    if raised is None:
        raise AssertionFailed("did-not-raise", step, wanted=error)
    if is_stub(raised) or is_missing(raised):
        raise unexpected_exception(step, raised)
    if error not in raised.bases:
        raise AssertionFailed("raised-other", step, wanted=error, raised=raised)


@assertion
def python_float(case: Comparison, step: str) -> None:
    """The result is a Python float, not a tensor that keeps its graph alive."""
    value = case.actual[step].value
    if not (isinstance(value, protocol.Scalar) and type(value.value) is float):
        raise AssertionFailed("wrong-type", step, output="result", actual=kind_of(value), expected="a Python float")
