"""Small submissions and a small suite that many tests share."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autograder import model, protocol
from autograder.feedback.diagnose.case_record import CaseRecord
from autograder.feedback.diagnose.submission_records import Rerun, SubmissionRecords
from autograder.grading.suite import CheckSuite
from autograder.protocol import wire
from autograder.sandbox.limits import Limits
from autograder.worker.interpreter import Interpreter
from autograder.worker.loading import load

# Wide enough for two busy cores, small enough that an endless loop costs little.
LIMITS = Limits(
    load_seconds=10.0,
    cell_seconds=1.0,
    case_seconds=0.8,
    submission_seconds=30.0,
    memory_bytes=400 << 20,
    answer_bytes=1 << 20,
)

X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])


def script(text: str | bytes, filename: str = "small.py") -> model.Submission:
    """Return a submitted script."""
    source = text.encode() if isinstance(text, str) else text
    return model.Submission("ana", "ready", "script", filename, (source,))


def notebook(*cells: str) -> model.Submission:
    """Return a submitted notebook."""
    sources = tuple(cell.encode() for cell in cells)
    return model.Submission("ana", "ready", "notebook", "small.ipynb", sources)


def request(work: model.Submission, cell_seconds: float = 1.0, nonce: str = "n") -> protocol.Load:
    """Return the request that loads a submission."""
    return protocol.Load(nonce, "small", work.kind, work.filename, work.cells, cell_seconds)


def loaded(
    work: model.Submission, cell_seconds: float = 1.0
) -> tuple[types.ModuleType, protocol.Raised | None, tuple[protocol.Raised, ...]]:
    """Load a submission in this process."""
    return load(request(work, cell_seconds))


def program(*steps: protocol.Step, dtype: Any = "float64", device: str = "cpu", **arrays: Any) -> protocol.Program:
    """Return a program with these arrays. Floating arrays get its dtype."""
    values = {name: np.asarray(given) for name, given in arrays.items()}
    typed = {n: v.astype(dtype) if v.dtype.kind == "f" else v for n, v in values.items()}
    return protocol.Program(dtype, {n: wire.to_array(v) for n, v in typed.items()}, steps, device)


def converse(text: str, asked: protocol.Program) -> dict[str, protocol.StepResult]:
    """Run a program on a script in this process, and return the results by step."""
    module, trouble, _ = loaded(script("import torch\n" + text))
    assert trouble is None, trouble
    return {result.into: result for result in reversed(Interpreter(module, "small.py", asked).run())}


def call(name: str, *args: Any, into: str = "out", **how: Any) -> protocol.Call:
    """Return a call. Text among the arguments names arrays or earlier results."""
    given: list[Any] = [protocol.Ref(arg) if isinstance(arg, str) else arg for arg in args]
    return protocol.Call(into, name, given, **how)


def tensor(values: Any, **how: Any) -> protocol.Tensor:
    """Return a tensor as it travels."""
    return protocol.Tensor(wire.to_array(np.asarray(values), **how))


def single(text: str, name: str = "f", *args: Any, **how: Any) -> protocol.StepResult:
    """Return the result of a single call of a function, on X by default."""
    return converse(text, program(call(name, *(args or ("x",)), **how), x=X))["out"]


def numbers(value: protocol.Value | None) -> np.ndarray:
    """Return the values of a returned tensor."""
    assert isinstance(value, protocol.Tensor), value
    return wire.to_numpy(value.array)


def check(name: str, *assertions: model.Assertion, points: float = 10.0, hidden: bool = False) -> model.Check:
    """Return a check with one case of the same name."""
    case = model.Case(name, lambda _: None)  # type: ignore[arg-type, return-value]
    visibility: Any = "hidden" if hidden else "public"
    return model.Check(name, name, "value", points, (case,), assertions, visibility, name, "Section")


# ---------------------------------------------------------------- questions and answers without a worker


def shown(into: str, what: Any) -> protocol.StepResult:
    """Return a step result from a value, a tuple of values, an exception, or a step result."""
    if isinstance(what, protocol.StepResult):
        return what
    if isinstance(what, protocol.Raised):
        return protocol.StepResult(into, raised=what)
    if isinstance(what, tuple):
        return protocol.StepResult(into, protocol.Sequence("tuple", tuple(tensor(one) for one in what)))
    return protocol.StepResult(into, tensor(what))


def gradients(into: str, value: Any, **given: Any) -> protocol.StepResult:
    """Return a step result with a value and gradients. None: no gradient."""
    travel = {name: one if one is None else wire.to_array(np.asarray(one)) for name, one in given.items()}
    return protocol.StepResult(into, tensor(value), gradients=travel)


def asked(
    name: str,
    steps: protocol.Step | tuple[protocol.Step, ...],
    expected: Mapping[str, Any],
    dtype: str = "float64",
    **arrays: Any,
) -> model.Prepared:
    """Return a case with its steps and expected results."""
    written = program(*(steps if isinstance(steps, tuple) else (steps,)), dtype=dtype, **arrays)
    return model.Prepared(name, written, tuple(shown(into, what) for into, what in expected.items()))


def answered(actual: Mapping[str, Any]) -> protocol.Answer:
    """Return an answer with these results by step."""
    return protocol.Answer("n", tuple(shown(into, what) for into, what in actual.items()))


def record(case: model.Prepared, actual: Mapping[str, Any] | None = None) -> CaseRecord:
    """Return a case with an answer, by default the right one."""
    return CaseRecord(case, protocol.Answer("n", case.expected_results) if actual is None else answered(actual))


def submission_records(
    records: Mapping[str, CaseRecord], failing: Iterable[str], rerun: Rerun = lambda _: (), own_backward: bool = False
) -> SubmissionRecords:
    """Return all cases of a submission together."""
    return SubmissionRecords(records, set(failing), rerun, own_backward)


def softmax(scores: np.ndarray, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    """Return the softmax. Rows of -inf give 0."""
    top = scores.max(axis, keepdims=True)
    parts: np.ndarray = np.exp(scores - np.where(np.isfinite(top), top, 0))
    weights: np.ndarray = parts / np.maximum(parts.sum(axis, keepdims=True), 1e-300)
    return weights


RIGHT = "def double(x):\n    return 2 * x\n\ndef halve(x):\n    return x / 2\n\ndef negate(x):\n    return -x\n"
EXPECTED = {"double": 2 * X, "halve": X / 2, "negate": -X}


def suite() -> CheckSuite:
    """Return a suite of three checks of three functions, ten points each. The last check is hidden."""
    assertions = (model.Assertion("shapes", "out"), model.Assertion("values", "out"))
    checks = tuple(check(name, *assertions, hidden=name == "negate") for name in EXPECTED)
    prepared = {
        name: model.Prepared(name, program(call(name, "x"), x=X), (protocol.StepResult("out", tensor(expected)),))
        for name, expected in EXPECTED.items()
    }
    return CheckSuite(model.Spec("small", "Small", checks, tuple(EXPECTED)), prepared, lambda _: ())
