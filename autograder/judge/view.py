"""What a hold may look at: one case's steps, what came and what was due, read as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from autograder import compare, model, wire


class View:
    """One case and one answer to it, for all the holds of a check. Arrays are read once."""

    def __init__(self, prepared: model.Prepared, answer: model.Answer, cells: tuple[bytes, ...] = ()) -> None:
        self.cells = cells  # the submission's source
        self.program = prepared.program
        self.steps = prepared.program.named
        self.came = {seen.into: seen for seen in reversed(answer.seen)}  # as in Prepared.due
        self.due = prepared.due
        self._read: dict[int, tuple[model.Array, np.ndarray]] = {}  # kept, so that no id is used twice

    def numpy(self, array: model.Array) -> np.ndarray:
        """The values of an array of this case or answer. Raises WireError."""
        if id(array) not in self._read:
            self._read[id(array)] = array, wire.to_numpy(array)
        return self._read[id(array)][1]


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


def nothing_failed_before(view: View, of: str, what: str = "", other: str | None = None) -> None:
    """A step that could not run is told by the step that kept it from running."""
    needed = {of, other or of}
    for into in view.steps:
        came, due = view.came.get(into), view.due.get(into)
        if came and due and came.raised and not due.raised and came.raised.during != "skipped":
            backward_only = came.raised.during == "backward"
            if not backward_only or (into == of and what == "gradients"):
                raise exception(into, came.raised)
        needed.discard(into)
        if not needed:
            return


def is_stub(raised: model.Raised) -> bool:
    """Whether a stub was left as it is: torch has a NotImplementedError of its own, for dtypes that it can't do."""
    return "NotImplementedError" in raised.bases and (
        raised.line is None or "NotImplementedError" in raised.code
    )


def is_missing(raised: model.Raised) -> bool:
    """Whether the worker did not find a name or a parameter; a student's own ``Missing`` has a line."""
    return raised.type == "Missing" and raised.line is None


def exception(step: str, raised: model.Raised) -> Unmet:
    """An exception that was not due, as what is not met."""
    symptom = {"backward": "backward-raised"}.get(raised.during, "raised")
    if is_stub(raised):
        symptom = "not-implemented"
    elif is_missing(raised):
        symptom = "missing-name"
    return Unmet(symptom, step, "error", raised=raised)


def outputs(view: View, of: str, only: tuple[str, ...] | list[str] | None = None) -> Iterator[Output]:
    """The named results of a call, each beside the due one. Raises Unmet where their number is wrong."""
    step = view.steps[of]
    assert isinstance(step, model.Call)
    came, due = view.came[of].value, view.due[of].value
    assert due is not None
    names = step.outputs
    if len(names) == 1:
        pairs: list[tuple[Any, Any]] = [(came, due)]
    else:
        if not isinstance(came, model.Sequence) or len(came.items) != len(names):
            raise Unmet("wrong-structure", of, came=kind_of(came), due=list(names))
        assert isinstance(due, model.Sequence)
        pairs = list(zip(came.items, due.items, strict=True))
    for name, (one, other) in zip(names, pairs, strict=True):
        if only is None or name in only:
            yield Output(name, one, other)


def kind_of(value: model.Value | None) -> str:
    """What sort of thing a value is, in words."""
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


def arrays(view: View, of: str, only: Any = None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each tensor that came beside the one that was due, of equal shapes."""
    devices = devices_due(view, of)
    for output in outputs(view, of, only):
        came, due = tensor(of, output)
        if came.shape != due.shape:
            raise Unmet("wrong-shape", of, output=output.name, came=came.shape, due=due.shape)
        if came.device not in devices:
            raise Unmet("wrong-device", of, output=output.name, came=came.device, due=view.program.device)
        masks = {came.dtype, due.dtype} & {"bool"}  # ones and zeros are no mask
        if came.dtype not in wire.DTYPES or (masks and came.dtype != due.dtype):  # bfloat16, say
            raise Unmet("wrong-dtype", of, output=output.name, came=came.dtype, due=dtype_due(view, due))
        if not came.data and 0 not in came.shape:
            raise Unmet("wrong-type", of, output=output.name, came="a sparse tensor", due="a dense one")
        yield output.name, view.numpy(came), view.numpy(due)


def devices_due(view: View, of: str) -> set[str]:
    """Where results may live: where the inputs do. On ``meta`` a tensor of the CPU is another hold's affair, and a
    call without tensors has nothing to go by."""
    step, device = view.steps[of], view.program.device
    given = [*step.args, *step.kwargs.values()] if isinstance(step, model.Call) else []
    made = isinstance(view.steps.get(getattr(step, "name", "")), model.Make)
    bare = not made and not any(isinstance(arg, model.Ref) for arg in given)
    return {device} if device == "cuda" and not bare else {device, "cpu"}


def dtype_due(view: View, due: model.Array) -> str:
    """References compute in float64, whatever the program's dtype."""
    return view.program.dtype if compare.KINDS.get(due.dtype) == "float" else due.dtype


def tensor(of: str, output: Output) -> tuple[model.Array, model.Array]:
    """What came and what was due as arrays; a number may come where a scalar is due. Raises Unmet."""
    match output.due, output.came:
        case model.Tensor(due), model.Tensor(came):
            return came, due
        case model.Scalar(float() | int() as due), model.Scalar(float() | int() as came):
            return wire.to_array(np.asarray(float(came))), wire.to_array(np.asarray(float(due)))
        case model.Scalar(float() | int() as due), model.Tensor(came) if came.shape == ():
            return came, wire.to_array(np.asarray(float(due)))
    raise Unmet("wrong-type", of, output=output.name, came=kind_of(output.came), due=kind_of(output.due))
