"""The properties that a hold can demand. Each raises ``Unmet`` with the facts, and is otherwise silent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder import compare, model
from autograder.judge.calls import untouched
from autograder.judge.view import (
    Unmet,
    View,
    arrays,
    devices_due,
    dtype_due,
    exception,
    is_missing,
    is_stub,
    kind_of,
    nothing_failed_before,
    outputs,
    tensor,
)


def shapes(view: View, of: str, only: Any = None) -> None:
    """Every output is a tensor of the due shape."""
    for _ in arrays(view, of, only):
        pass


def dtypes(view: View, of: str, only: Any = None) -> None:
    """Every output has the inputs' dtype and device; integer results may have any integer dtype."""
    devices = devices_due(view, of)
    for output in outputs(view, of, only):
        came, due = tensor(of, output)
        kinds = compare.KINDS
        wanted = dtype_due(view, due)
        fits = came.dtype == wanted or (kinds.get(due.dtype) == "int" == kinds.get(came.dtype))
        if not fits:
            raise Unmet("wrong-dtype", of, output=output.name, came=came.dtype, due=wanted)
        if came.device not in devices:
            raise Unmet("wrong-device", of, output=output.name, came=came.device, due=view.program.device)


def values(view: View, of: str, only: Any = None, relative: float = 0.0, of_largest: float = 0.0) -> None:
    """Every output equals the reference's, in the tolerance of the program's dtype or a wider one."""
    base = compare.tolerance(view.program)
    tolerance = compare.Tolerance(max(base.relative, relative), max(base.of_largest, of_largest))
    for name, came, due in arrays(view, of, only):
        found = compare.difference(came, due, tolerance)
        floating = {came.dtype.kind, due.dtype.kind} == {"f"} and due.shape  # a Python float has no dtype
        if found and floating and came.dtype.name != view.program.dtype:
            raise Unmet("wrong-dtype", of, output=name, came=came.dtype.name, due=view.program.dtype)
        if found:
            raise Unmet("wrong-values", of, output=name, difference=found, shape=due.shape)


def device(view: View, of: str) -> None:
    """Every output is on the inputs' device, and no tensor of another one was mixed in. On ``meta`` there are no
    numbers, so code that must look at some raises there, and is not to blame; elsewhere values are held too."""
    if view.program.device != "meta":
        nothing_failed_before(view, of)
        values(view, of)
        return
    for into, seen in view.came.items():
        raised = seen.raised
        if raised and any(words in raised.message for words in OTHER_DEVICE):
            raise Unmet("mixed-devices", into, raised=raised)
    if view.came[of].raised or any(seen.raised for seen in view.came.values()):
        return
    for output in outputs(view, of):
        if isinstance(output.came, model.Tensor) and output.came.array.device != view.program.device:
            came = output.came.array.device
            raise Unmet("wrong-device", of, output=output.name, came=came, due=view.program.device)


def sums(view: View, of: str, output: str, axis: int = -1, tolerance: float = 1e-5) -> None:
    """Rows sum to 1 where the reference's do (a fully masked one sums to 0), and no entry is negative."""
    for _, came, due in arrays(view, of, [output]):
        with np.errstate(invalid="ignore"):  # infinities of both signs
            total = compare.wide(came).sum(axis)
        found = compare.difference(total, due.sum(axis), compare.Tolerance(0.0, tolerance))
        if found:
            raise Unmet("wrong-sum", of, output=output, difference=found, axis=axis)
        if (came < 0).any():
            raise Unmet("negative-weights", of, output=output)


def zeros(view: View, of: str, only: Any = None) -> None:
    """Entries that are due to be exactly 0 are: no small number, no NaN."""
    for name, came, due in arrays(view, of, only):
        place = compare.first_nonzero(came, due == 0)
        if place is not None:
            raise Unmet("not-zero", of, output=name, index=place, came=came[place].item())


def tokens(view: View, of: str, pad: int, widest: int) -> None:
    """Sentences equal the reference's; up to ``widest``, columns that hold only ``pad`` may follow."""
    for output in outputs(view, of):
        array, wanted = tensor(of, output)
        fits = len(array.shape) == 2 and array.shape[0] == wanted.shape[0]
        if not fits or not wanted.shape[1] <= array.shape[1] <= max(widest, wanted.shape[1]):
            raise Unmet("wrong-shape", of, output=output.name, came=array.shape, due=wanted.shape)
        came, due = view.numpy(array), view.numpy(wanted)
        due = np.pad(due, ((0, 0), (0, came.shape[1] - due.shape[1])), constant_values=pad)
        found = compare.difference(came, due, compare.Tolerance(0.0, 0.0))
        if found:
            raise Unmet("wrong-values", of, output=output.name, difference=found, shape=due.shape)


def gradients(
    view: View, of: str, only: Any = None, relative: float = 0.0, of_largest: float = 0.0,
    finite_at_zero: bool = False,
) -> None:  # fmt: skip
    """Every gradient that was asked for equals the reference's. None counts as 0 only where exactly 0 is due.
    ``finite_at_zero``: where an input is exactly 0, its gradient need only be finite."""
    base = compare.tolerance(view.program)
    tolerance = compare.Tolerance(max(base.relative, relative), max(base.of_largest, of_largest))
    came, scale = view.came[of].gradients, _gradient_scale(view, of)
    for name, wanted in view.due[of].gradients.items():
        if wanted is None or (only is not None and name not in only):
            continue
        due, array = view.numpy(wanted), came.get(name)
        if array is None:
            if due.any():
                raise Unmet("no-gradient", of, name=name)
            continue
        if array.shape != due.shape:
            raise Unmet("wrong-gradient-shape", of, name=name, came=array.shape, due=due.shape)
        got = view.numpy(array)
        if finite_at_zero:
            free = (view.numpy(view.program.arrays[name]) == 0) & np.isfinite(got)
            due = np.where(free, got, due)
        found = compare.difference(got, due, tolerance, scale)
        if found:
            symptom = "wrong-gradient" if got.any() or not due.any() else "zero-gradient"
            if not np.isfinite(got).all():
                symptom = "nan-gradient"
            raise Unmet(symptom, of, name=name, difference=found, shape=due.shape)


def _gradient_scale(view: View, of: str) -> float:
    """The largest number that took part in the backward pass, as far as it is known: rounding errors are
    measured by it, also in a gradient whose terms cancel."""
    step = view.steps[of]
    cotangents = step.cotangents if isinstance(step, model.Call) else ()
    arrays = [view.program.arrays[name] for name in cotangents if name]
    arrays += [gradient for gradient in view.due[of].gradients.values() if gradient is not None]
    return max((float(np.abs(view.numpy(array)).max(initial=0.0)) for array in arrays), default=0.0)


def unchanged(view: View, of: str) -> None:
    """The inputs are as they were before the call."""
    for name, wanted in view.due[of].echoes.items():
        array = view.came[of].echoes.get(name)
        if array is None:
            raise Unmet("no-echo", of, "error", name=name)
        due = view.numpy(wanted)
        if array.shape != due.shape or not np.array_equal(
            view.numpy(array), due, equal_nan=due.dtype.kind == "f"
        ):
            raise Unmet("changed-input", of, name=name)


def same(view: View, of: str, other: str) -> None:
    """Two calls that must agree gave the same results: as a rule, two with the same inputs."""
    tolerance = compare.tolerance(view.program)
    pairs = zip(arrays(view, of), arrays(view, other), strict=True)
    for (name, first, _), (_, second, _) in pairs:
        found = compare.difference(second, first, tolerance)
        if found:
            raise Unmet("not-repeatable", of, output=name, difference=found)


def permuted(view: View, of: str, other: str, order: str, axes: dict[str, Any]) -> None:
    """The results of ``other``, whose inputs were permuted by ``order``, are those of ``of`` permuted along
    ``axes`` (output -> list of axes; empty: not changed at all)."""
    order_values = view.numpy(view.program.arrays[order])
    tolerance = compare.tolerance(view.program)
    for (name, first, _), (_, second, _) in zip(arrays(view, of), arrays(view, other), strict=True):
        wanted = first
        for axis in axes[name]:
            wanted = compare.relayed(wanted, axis, order_values)
        found = compare.difference(second, wanted, tolerance)
        if found:
            raise Unmet(
                "not-equivariant" if axes[name] else "not-invariant", of, output=name, difference=found
            )


def raises(view: View, of: str, error: str) -> None:
    """The step raised ``error``, and nothing else."""
    raised = view.came[of].raised
    if raised is None:
        raise Unmet("did-not-raise", of, wanted=error)
    if is_stub(raised) or is_missing(raised):
        raise exception(of, raised)
    if error not in raised.bases:
        raise Unmet("raised-other", of, wanted=error, raised=raised)


def signature(view: View, of: str) -> None:
    """Argument names and order are the contract's; further ones are optional. Of a function that takes
    anything (``*args``, or a scripted one), only the calls can tell."""
    came, due = view.came[of].interface, view.due[of].interface
    if came is None or due is None:
        raise Unmet("no-interface", of, "error")
    if came.kind != due.kind and due.kind == "class":
        raise Unmet("wrong-kind", of, came=came.kind, due=due.kind)
    due_names = due.arguments[: len(came.arguments)] if came.variadic else due.arguments
    head = came.arguments[: len(due_names)]
    surplus = [name for name in came.required if name not in due.required]
    if head != due_names or surplus:
        raise Unmet("wrong-signature", of, came=", ".join(came.arguments), due=", ".join(due.arguments))


def parameters(view: View, of: str) -> None:
    """A module has exactly the parameters of the contract, trainable, and no further persistent state."""
    came, due = view.came[of].interface, view.due[of].interface
    if came is None or due is None or came.kind != "module":
        raise Unmet("not-a-module", of)
    have = {p.name: p for p in came.parameters}
    want = {p.name: p for p in due.parameters}
    missing, extra = sorted(want.keys() - have.keys()), sorted(have.keys() - want.keys())
    wrong = {n: [have[n].shape, want[n].shape] for n in want if n in have and have[n].shape != want[n].shape}
    frozen = [n for n in want if n in have and not have[n].requires_grad]
    buffers = list(came.persistent_buffers)
    extra += [f"{name}.padding_idx" for name, kind in came.modules.items() if kind.endswith("padding_idx")]
    if missing or extra or wrong or frozen or buffers:
        raise Unmet(
            "wrong-parameters", of, missing=missing, extra=extra, wrong=wrong, frozen=frozen, buffers=buffers
        )
    for name, parameter in have.items():
        if parameter.dtype != DEFAULT_DTYPE:
            raise Unmet("made-in-dtype", of, name=name, came=parameter.dtype, due=DEFAULT_DTYPE)


def state(view: View, of: str, relative: float = 1e-6, of_largest: float = 1e-6) -> None:
    """The module's parameters have the due values."""
    base = compare.tolerance(view.program)
    tolerance = compare.Tolerance(max(base.relative, relative), max(base.of_largest, of_largest))
    for name, wanted in view.due[of].parameters.items():
        array = view.came[of].parameters.get(name)
        due = view.numpy(wanted)
        if array is None or array.shape != due.shape:
            raise Unmet("wrong-parameters", of, missing=[name], extra=[], wrong={}, frozen=[], buffers=[])
        found = compare.difference(view.numpy(array), due, tolerance)
        if found:
            raise Unmet("wrong-update", of, name=name, difference=found)


def mode(view: View, of: str) -> None:
    """The module is in the mode, train or eval, in which it was."""
    if view.came[of].training is not view.due[of].training:
        raise Unmet("changed-mode", of, due="train" if view.due[of].training else "eval")


def python_float(view: View, of: str) -> None:
    """The result is a Python float, not a tensor that drags its graph along."""
    value = view.came[of].value
    if not (isinstance(value, model.Scalar) and type(value.value) is float):
        raise Unmet("wrong-type", of, output="result", came=kind_of(value), due="a Python float")


DEFAULT_DTYPE = "float32"  # torch's: of a module that nobody has brought to another

# What torch says where tensors of two devices meet, or where one is asked for that is not there.
OTHER_DEVICE = (
    "is not on the expected device",
    "to be on the same device",
    "CUDA",
    "NVIDIA",
    "indices should be",
    "non-meta tensor",
)

HOLDS: dict[str, Callable[..., None]] = {
    function.__name__: function
    for function in (
        shapes, dtypes, values, device, sums, zeros, tokens, gradients, unchanged, same, permuted, raises, signature,
        parameters, untouched, state, mode, python_float,
    )
}  # fmt: skip
