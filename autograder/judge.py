"""Holds one step's answer to one property: the vocabulary in which specs say what is checked.

Each function gets a ``View`` (the step, what came, what was due) and the hold's options, and returns
None or a ``Finding``: facts, not sentences and not points. ``HOLDS`` is the list of all properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograder import compare, model, wire


class View(NamedTuple):
    """What a hold may look at."""

    program: model.Program
    steps: dict[str, model.Step]
    came: dict[str, model.Seen]
    due: dict[str, model.Seen]


class Output(NamedTuple):
    """One named result of a call."""

    name: str
    came: model.Value
    due: model.Value


class Unmet(Exception):
    """Carries a finding out of the depth where it was made."""

    def __init__(self, symptom: str, step: str, status: str = "failed", **facts: Any) -> None:
        super().__init__(symptom)
        self.finding = model.Finding(symptom, step, facts, status)  # type: ignore[arg-type]


def judge(hold: model.Hold, prepared: model.Prepared, answer: model.Answer) -> model.Finding | None:
    """Whether ``answer`` has the property ``hold``; a finding where it has not."""
    steps = {getattr(step, "into", ""): step for step in prepared.program.steps}
    came = {seen.into: seen for seen in reversed(answer.seen)}  # of an object, how making it went
    view = View(prepared.program, steps, came, {seen.into: seen for seen in reversed(prepared.expected)})
    try:
        _nothing_failed_before(view, hold)
        HOLDS[hold.what](view, hold.of, **hold.options)
    except Unmet as unmet:
        return unmet.finding
    except wire.WireError as error:
        return model.Finding("unreadable-answer", hold.of, {"why": str(error)}, "error")
    return None


# ---------------------------------------------------------------- reading an answer


def _nothing_failed_before(view: View, hold: model.Hold) -> None:
    """A step that could not run is told by the step that kept it from running."""
    needed = {hold.of, hold.options.get("other", hold.of)}
    for into in view.steps:
        came, due = view.came.get(into), view.due.get(into)
        if came and due and came.raised and not due.raised and came.raised.during != "skipped":
            backward_only = came.raised.during == "backward"
            if not backward_only or (into == hold.of and hold.what == "gradients"):
                raise _raised(into, came.raised)
        needed.discard(into)
        if not needed:
            return


def _raised(step: str, raised: model.Raised) -> Unmet:
    symptom = {"backward": "backward-raised"}.get(raised.during, "raised")
    if "NotImplementedError" in raised.bases:
        symptom = "not-implemented"
    elif raised.type == "Missing" and raised.line is None:  # the worker's own, not a student's of that name
        symptom = "missing-name"
    return Unmet(symptom, step, "error", raised=raised)


def _outputs(view: View, of: str, only: tuple[str, ...] | list[str] | None = None) -> Iterator[Output]:
    step = view.steps[of]
    assert isinstance(step, model.Call)
    came, due = view.came[of].value, view.due[of].value
    assert due is not None
    names = step.outputs
    if len(names) == 1:
        pairs: list[tuple[Any, Any]] = [(came, due)]
    else:
        if not isinstance(came, model.Sequence) or len(came.items) != len(names):
            raise Unmet("wrong-structure", of, came=_kind_of(came), due=list(names))
        assert isinstance(due, model.Sequence)
        pairs = list(zip(came.items, due.items, strict=True))
    for name, (one, other) in zip(names, pairs, strict=True):
        if only is None or name in only:
            yield Output(name, one, other)


def _kind_of(value: model.Value | None) -> str:
    match value:
        case None | model.Scalar(None):
            return "None"
        case model.Tensor(array):
            return f"a tensor of shape {array.shape}"
        case model.Sequence(kind, items):
            return f"a {kind} of {len(items)}"
        case model.Scalar(scalar):
            return f"the {type(scalar).__name__} {scalar!r}"
        case model.Opaque(kind):
            return f"a {kind}"


def _arrays(view: View, of: str, only: Any = None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each tensor that came beside the one that was due, of equal shapes."""
    for output in _outputs(view, of, only):
        came, due = _tensor(of, output)
        if came.shape != due.shape:
            raise Unmet("wrong-shape", of, output=output.name, came=came.shape, due=due.shape)
        if came.device not in ("cpu", view.program.device):
            raise Unmet("wrong-device", of, output=output.name, came=came.device, due=view.program.device)
        if came.dtype not in wire.DTYPES:  # bfloat16, say
            raise Unmet("wrong-dtype", of, output=output.name, came=came.dtype, due=_dtype_due(view, due))
        if not came.data and 0 not in came.shape:
            raise Unmet("wrong-type", of, output=output.name, came="a sparse tensor", due="a dense one")
        yield output.name, wire.to_numpy(came), wire.to_numpy(due)


def _dtype_due(view: View, due: model.Array) -> str:
    """References compute in float64, whatever the program's dtype."""
    return view.program.dtype if compare.KINDS.get(due.dtype) == "float" else due.dtype


def _tensor(of: str, output: Output) -> tuple[model.Array, model.Array]:
    match output.due, output.came:
        case model.Tensor(due), model.Tensor(came):
            return came, due
        case model.Scalar(float() | int() as due), model.Scalar(float() | int() as came):
            return wire.to_array(np.asarray(float(came))), wire.to_array(np.asarray(float(due)))
        case model.Scalar(float() | int() as due), model.Tensor(came) if came.shape == ():
            return came, wire.to_array(np.asarray(float(due)))
    raise Unmet("wrong-type", of, output=output.name, came=_kind_of(output.came), due=_kind_of(output.due))


# ---------------------------------------------------------------- the properties


def shapes(view: View, of: str, only: Any = None) -> None:
    """Every output is a tensor of the due shape."""
    for _ in _arrays(view, of, only):
        pass


def dtypes(view: View, of: str, only: Any = None) -> None:
    """Every output has the inputs' dtype and device; integer results may have any integer dtype."""
    for output in _outputs(view, of, only):
        came, due = _tensor(of, output)
        kinds = compare.KINDS
        wanted = _dtype_due(view, due)
        fits = came.dtype == wanted or (kinds.get(due.dtype) == "int" == kinds.get(came.dtype))
        if not fits:
            raise Unmet("wrong-dtype", of, output=output.name, came=came.dtype, due=wanted)
        if came.device != view.program.device:
            raise Unmet("wrong-device", of, output=output.name, came=came.device, due=view.program.device)


def values(view: View, of: str, only: Any = None, relative: float = 0.0, of_largest: float = 0.0) -> None:
    """Every output equals the reference's, in the tolerance of the program's dtype or a wider one."""
    base = compare.TOLERANCES[view.program.dtype]
    tolerance = compare.Tolerance(max(base.relative, relative), max(base.of_largest, of_largest))
    for name, came, due in _arrays(view, of, only):
        found = compare.difference(came, due, tolerance)
        if found:
            raise Unmet("wrong-values", of, output=name, difference=found, shape=due.shape)


def sums(view: View, of: str, output: str, axis: int = -1, tolerance: float = 1e-5) -> None:
    """Rows sum to 1 where the reference's do (a fully masked one sums to 0), and no entry is negative."""
    for _, came, due in _arrays(view, of, [output]):
        with np.errstate(invalid="ignore"):  # infinities of both signs
            total = compare.wide(came).sum(axis)
        found = compare.difference(total, due.sum(axis), compare.Tolerance(0.0, tolerance))
        if found:
            raise Unmet("wrong-sum", of, output=output, difference=found, axis=axis)
        if (came < 0).any():
            raise Unmet("negative-weights", of, output=output)


def zeros(view: View, of: str, only: Any = None) -> None:
    """Entries that are due to be exactly 0 are: no small number, no NaN."""
    for name, came, due in _arrays(view, of, only):
        place = compare.first_nonzero(came, due == 0)
        if place is not None:
            raise Unmet("not-zero", of, output=name, index=place, came=came[place].item())


def tokens(view: View, of: str, pad: int, widest: int) -> None:
    """Sentences equal the reference's; up to ``widest``, columns that hold only ``pad`` may follow."""
    for output in _outputs(view, of):
        array, wanted = _tensor(of, output)
        fits = len(array.shape) == 2 and array.shape[0] == wanted.shape[0]
        if not fits or not wanted.shape[1] <= array.shape[1] <= max(widest, wanted.shape[1]):
            raise Unmet("wrong-shape", of, output=output.name, came=array.shape, due=wanted.shape)
        came, due = wire.to_numpy(array), wire.to_numpy(wanted)
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
    base = compare.TOLERANCES[view.program.dtype]
    tolerance = compare.Tolerance(max(base.relative, relative), max(base.of_largest, of_largest))
    came, scale = view.came[of].gradients, _gradient_scale(view, of)
    for name, wanted in view.due[of].gradients.items():
        if wanted is None or (only is not None and name not in only):
            continue
        due, array = wire.to_numpy(wanted), came.get(name)
        if array is None:
            if due.any():
                raise Unmet("no-gradient", of, name=name)
            continue
        if array.shape != due.shape:
            raise Unmet("wrong-gradient-shape", of, name=name, came=array.shape, due=due.shape)
        got = wire.to_numpy(array)
        if finite_at_zero:
            free = (wire.to_numpy(view.program.arrays[name]) == 0) & np.isfinite(got)
            due = np.where(free, got, due)
        found = compare.difference(got, due, tolerance, scale)
        if found:
            symptom = "wrong-gradient" if got.any() or not due.any() else "zero-gradient"
            if not np.isfinite(got).all():
                symptom = "nan-gradient"
            raise Unmet(symptom, of, name=name, difference=found, shape=due.shape)


def _gradient_scale(view: View, of: str) -> float:
    """The largest number that took part in the backward pass, as far as it is known: rounding errors are measured
    by it, also in a gradient whose terms cancel."""
    step = view.steps[of]
    cotangents = step.cotangents if isinstance(step, model.Call) else ()
    arrays = [view.program.arrays[name] for name in cotangents if name]
    arrays += [gradient for gradient in view.due[of].gradients.values() if gradient is not None]
    return max((float(np.abs(wire.to_numpy(array)).max(initial=0.0)) for array in arrays), default=0.0)


def unchanged(view: View, of: str) -> None:
    """The inputs are as they were before the call."""
    for name, wanted in view.due[of].echoes.items():
        array = view.came[of].echoes.get(name)
        if array is None:
            raise Unmet("no-echo", of, "error", name=name)
        due = wire.to_numpy(wanted)
        if array.shape != due.shape or not np.array_equal(wire.to_numpy(array), due, equal_nan=due.dtype.kind == "f"):
            raise Unmet("changed-input", of, name=name)


def same(view: View, of: str, other: str) -> None:
    """Two calls that must agree gave the same results: as a rule, two with the same inputs."""
    tolerance = compare.TOLERANCES[view.program.dtype]
    pairs = zip(_arrays(view, of), _arrays(view, other), strict=True)
    for (name, first, _), (_, second, _) in pairs:
        found = compare.difference(second, first, tolerance)
        if found:
            raise Unmet("not-repeatable", of, output=name, difference=found)


def permuted(view: View, of: str, other: str, order: str, axes: dict[str, Any]) -> None:
    """The results of ``other``, whose inputs were permuted by ``order``, are those of ``of`` permuted along
    ``axes`` (output -> list of axes; empty: not changed at all)."""
    order_values = wire.to_numpy(view.program.arrays[order])
    tolerance = compare.TOLERANCES[view.program.dtype]
    for (name, first, _), (_, second, _) in zip(_arrays(view, of), _arrays(view, other), strict=True):
        wanted = first
        for axis in axes[name]:
            wanted = compare.relayed(wanted, axis, order_values)
        found = compare.difference(second, wanted, tolerance)
        if found:
            raise Unmet("not-equivariant" if axes[name] else "not-invariant", of, output=name, difference=found)


def raises(view: View, of: str, error: str) -> None:
    """The step raised ``error``, and nothing else."""
    raised = view.came[of].raised
    if raised is None:
        raise Unmet("did-not-raise", of, wanted=error)
    if raised.type == "Missing" and raised.line is None:
        raise _raised(of, raised)
    if error not in raised.bases:
        raise Unmet("not-implemented" if "NotImplementedError" in raised.bases else "raised-other", of,
                    wanted=error, raised=raised)  # fmt: skip


def signature(view: View, of: str) -> None:
    """Argument names and order are the contract's; further ones are optional. Of a function that takes anything
    (``*args``, or a scripted one), only the calls can tell."""
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
    if missing or extra or wrong or frozen or buffers:
        raise Unmet("wrong-parameters", of, missing=missing, extra=extra, wrong=wrong, frozen=frozen, buffers=buffers)


def untouched(view: View, of: str, words: list[str], allowed: list[str] | None = None) -> None:
    """No operation whose name contains one of ``words`` ran while the function did."""
    seen = view.came[of].operations
    if not seen:
        raise Unmet("no-operations", of)
    for name in seen:
        if any(word in name.lower() for word in words) and name not in (allowed or ()):
            raise Unmet("forbidden-call", of, operation=name)


def state(view: View, of: str, relative: float = 1e-6, of_largest: float = 1e-6) -> None:
    """The module's parameters have the due values."""
    base = compare.TOLERANCES[view.program.dtype]
    tolerance = compare.Tolerance(max(base.relative, relative), max(base.of_largest, of_largest))
    for name, wanted in view.due[of].parameters.items():
        array = view.came[of].parameters.get(name)
        due = wire.to_numpy(wanted)
        if array is None or array.shape != due.shape:
            raise Unmet("wrong-parameters", of, missing=[name], extra=[], wrong={}, frozen=[], buffers=[])
        found = compare.difference(wire.to_numpy(array), due, tolerance)
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
        raise Unmet("wrong-type", of, output="result", came=_kind_of(value), due="a Python float")


HOLDS: dict[str, Callable[..., None]] = {
    function.__name__: function
    for function in (
        shapes, dtypes, values, sums, zeros, tokens, gradients, unchanged, same, permuted, raises, signature,
        parameters, untouched, state, mode, python_float,
    )
}  # fmt: skip
