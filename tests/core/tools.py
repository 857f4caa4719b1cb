"""Small submissions and small exams that the tests of the core share."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autograder import model, wire
from autograder.diagnose.record import Record
from autograder.diagnose.whole import Again, Whole
from autograder.exam import Exam
from autograder.sandbox.limits import Limits
from autograder.worker.loading import load
from autograder.worker.steps import Conversation

# Wide enough for two busy cores, small enough that an endless loop costs little.
LIMITS = Limits(
    load_seconds=10.0,
    cell_seconds=1.0,
    case_seconds=1.5,
    submission_seconds=30.0,
    memory_bytes=400 << 20,
    answer_bytes=1 << 20,
)

X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])


def script(text: str | bytes, filename: str = "small.py") -> model.Submission:
    """A script that was handed in."""
    source = text.encode() if isinstance(text, str) else text
    return model.Submission("ana", "ready", "script", filename, (source,))


def notebook(*cells: str) -> model.Submission:
    """A notebook that was handed in."""
    sources = tuple(cell.encode() for cell in cells)
    return model.Submission("ana", "ready", "notebook", "small.ipynb", sources)


def request(work: model.Submission, cell_seconds: float = 1.0, nonce: str = "n") -> model.Load:
    """What a worker is asked for a submission."""
    return model.Load(nonce, "small", work.kind, work.filename, work.cells, cell_seconds)


def loaded(
    work: model.Submission, cell_seconds: float = 1.0
) -> tuple[types.ModuleType, model.Raised | None, tuple[model.Raised, ...]]:
    """A submission loaded in this process."""
    return load(request(work, cell_seconds))


def program(*steps: model.Step, dtype: Any = "float64", device: str = "cpu", **arrays: Any) -> model.Program:
    """A program with these arrays; floating ones get its dtype."""
    values = {name: np.asarray(given) for name, given in arrays.items()}
    typed = {n: v.astype(dtype) if v.dtype.kind == "f" else v for n, v in values.items()}
    return model.Program(dtype, {n: wire.to_array(v) for n, v in typed.items()}, steps, device)


def converse(text: str, asked: model.Program) -> dict[str, model.Seen]:
    """What a script shows when a program runs on it in this process."""
    module, trouble, _ = loaded(script("import torch\n" + text))
    assert trouble is None, trouble
    return {seen.into: seen for seen in reversed(Conversation(module, "small.py", asked).run())}


def call(name: str, *args: Any, into: str = "out", **how: Any) -> model.Call:
    """A call; text among the arguments names arrays or earlier results."""
    given: list[Any] = [model.Ref(arg) if isinstance(arg, str) else arg for arg in args]
    return model.Call(into, name, given, **how)


def tensor(values: Any, **how: Any) -> model.Tensor:
    """A tensor as it travels."""
    return model.Tensor(wire.to_array(np.asarray(values), **how))


def single(text: str, name: str = "f", *args: Any, **how: Any) -> model.Seen:
    """What a single call of a function on X shows."""
    return converse(text, program(call(name, *(args or ("x",)), **how), x=X))["out"]


def numbers(value: model.Value | None) -> np.ndarray:
    """The numbers of a tensor that came back."""
    assert isinstance(value, model.Tensor), value
    return wire.to_numpy(value.array)


def check(name: str, *holds: model.Hold, points: float = 10.0, hidden: bool = False) -> model.Check:
    """A check with one case of its own name."""
    case = model.Case(name, lambda _: None)  # type: ignore[arg-type, return-value]
    visibility: Any = "hidden" if hidden else "public"
    return model.Check(name, name, "value", points, (case,), holds, visibility, "Section")


# ---------------------------------------------------------------- questions and answers without a worker


def shown(into: str, what: Any) -> model.Seen:
    """What a step shows: a result, a tuple of results, an exception, or already what was seen."""
    if isinstance(what, model.Seen):
        return what
    if isinstance(what, model.Raised):
        return model.Seen(into, raised=what)
    if isinstance(what, tuple):
        return model.Seen(into, model.Sequence("tuple", tuple(tensor(one) for one in what)))
    return model.Seen(into, tensor(what))


def gradients(into: str, value: Any, **given: Any) -> model.Seen:
    """A step with one result and gradients; None is none."""
    travel = {name: one if one is None else wire.to_array(np.asarray(one)) for name, one in given.items()}
    return model.Seen(into, tensor(value), gradients=travel)


def asked(
    name: str,
    steps: model.Step | tuple[model.Step, ...],
    due: Mapping[str, Any],
    dtype: str = "float64",
    **arrays: Any,
) -> model.Prepared:
    """A case: its steps, and what is due in them."""
    written = program(*(steps if isinstance(steps, tuple) else (steps,)), dtype=dtype, **arrays)
    return model.Prepared(name, written, tuple(shown(into, what) for into, what in due.items()))


def answered(came: Mapping[str, Any]) -> model.Answer:
    """What a submission showed in the steps of a case."""
    return model.Answer("n", tuple(shown(into, what) for into, what in came.items()))


def record(case: model.Prepared, came: Mapping[str, Any] | None = None) -> Record:
    """A case and its answer: the right one where nothing else is said."""
    return Record(case, model.Answer("n", case.expected) if came is None else answered(came))


def whole(
    records: Mapping[str, Record],
    failing: Iterable[str],
    again: Again = lambda _: (),
    own_backward: bool = False,
) -> Whole:
    """All cases of a submission."""
    return Whole(records, set(failing), again, own_backward)


def softmax(scores: np.ndarray, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    """The right one; rows of -inf give 0."""
    top = scores.max(axis, keepdims=True)
    parts: np.ndarray = np.exp(scores - np.where(np.isfinite(top), top, 0))
    weights: np.ndarray = parts / np.maximum(parts.sum(axis, keepdims=True), 1e-300)
    return weights


RIGHT = (
    "def double(x):\n    return 2 * x\n\ndef halve(x):\n    return x / 2\n\ndef negate(x):\n    return -x\n"
)
DUE = {"double": 2 * X, "halve": X / 2, "negate": -X}


def exam() -> Exam:
    """Three checks of three functions, ten points each; the last one is hidden."""
    holds = (model.Hold("shapes", "out"), model.Hold("values", "out"))
    checks = tuple(check(name, *holds, hidden=name == "negate") for name in DUE)
    prepared = {
        name: model.Prepared(name, program(call(name, "x"), x=X), (model.Seen("out", tensor(due)),))
        for name, due in DUE.items()
    }
    return Exam(model.Spec("small", "Small", checks), prepared, lambda _: ())
