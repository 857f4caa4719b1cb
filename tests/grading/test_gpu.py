"""Grading on CUDA, as far as it can be tested without a device.

What moves to the device, the messages without a device, and the confinement that lets the driver through.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

import numpy as np
import pytest

from autograder import judge, model, protocol
from autograder.grading import gpu, suite
from autograder.grading.gpu import GPU
from autograder.grading.runner import Runner
from autograder.judge import score, tolerances
from autograder.protocol import wire
from autograder.sandbox import availability, syscalls
from autograder.sandbox.config import devices
from autograder.sandbox.forkserver import ForkServer
from tests.small_suite_helpers import LIMITS, X, call, program, script

SPEC = model.Spec("small", "Small", (model.Check("one", "One", "value", 10.0, (), ()),))
EMPTY = suite.CheckSuite(SPEC, {}, lambda case: (), device="cuda")


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    running = ForkServer(LIMITS, device="cuda")
    yield running
    running.close()


def test_a_machine_without_a_device_is_reported_at_once(server: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "glob", types.SimpleNamespace(glob=lambda pattern: []))
    assert GPU(EMPTY, server).trouble == "there is no CUDA device on this machine"


def test_a_broken_device_is_reported_with_the_message_of_torch(
    server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    if devices("cuda"):
        pytest.skip("there is a CUDA device here")
    monkeypatch.setattr(gpu, "glob", types.SimpleNamespace(glob=lambda pattern: ["/dev/nvidia0"]))
    trouble = GPU(EMPTY, server).trouble
    assert trouble.startswith("the CUDA device does not work in a confined worker (")
    assert "CUDA" in trouble.partition("(")[2]


@pytest.mark.parametrize(
    ("value", "raised", "fine"),
    [
        (protocol.Scalar(True), None, True),
        (protocol.Scalar(False), None, False),
        (None, protocol.Raised("RuntimeError", (), "out of memory"), False),
    ],
)
def test_only_a_right_product_is_a_working_device(
    value: protocol.Value | None, raised: protocol.Raised | None, fine: bool
) -> None:
    problem = gpu.failure(protocol.Answer("n", (protocol.StepResult("works", value, raised),)))
    assert (problem == "") is fine
    assert raised is None or raised.message in problem


class Device:
    """A device with these problems, one for each check."""

    def __init__(self, *troubles: str) -> None:
        self.trouble, *self.later = troubles

    def check(self) -> str:
        return self.later.pop(0)


def test_without_a_device_all_is_skipped_and_nothing_passes(server: ForkServer) -> None:
    grade = Runner(EMPTY, server, gpu=Device("there is none")).grade(script("x = 1"))  # type: ignore[arg-type]
    assert {check.status for check in grade.checks} == {"skipped"}
    assert (grade.score, grade.max_score, grade.status) == (0, 0, "graded")
    assert "there is none" in grade.checks[0].message
    assert "there is none" in grade.message


def test_a_device_that_fails_during_grading_is_our_fault(server: ForkServer) -> None:
    runner = Runner(EMPTY, server, gpu=Device("", "", "it hangs"))  # type: ignore[arg-type]
    assert runner.grade(script("x = 1")).status == "graded"
    grade = runner.grade(script("x = 2"))
    assert (grade.status, grade.score) == ("infrastructure-error", None)
    assert "it hangs" in grade.message


def test_everything_moves_except_programs_on_meta() -> None:
    there = program(call("f", "x"), x=X).on("cuda")
    assert there.device == there.arrays["x"].device == "cuda"
    assert there.on("cpu") == program(call("f", "x"), x=X)
    meta = program(call("f", "x"), device="meta", x=X)
    assert meta.on("cuda") == meta


@pytest.mark.parametrize(
    ("arguments", "actual", "told"),
    [(("x",), "cuda", None), (("x",), "cpu", "wrong-device"), ((3,), "cpu", None), ((3,), "cuda", None)],
)
@pytest.mark.parametrize("what", ["shapes", "dtypes"])
def test_results_are_where_the_inputs_are(
    what: str, arguments: tuple[object, ...], actual: str, told: str | None
) -> None:
    asked = program(call("f", *arguments, into="out"), x=X).on("cuda")
    expected = model.Prepared("case", asked, (protocol.StepResult("out", protocol.Tensor(wire.to_array(X))),))
    answer = protocol.Answer("n", (protocol.StepResult("out", protocol.Tensor(wire.to_array(X, actual))),))
    found = judge.first_failure((model.Assertion(what, "out"),), expected, answer)
    assert (found.symptom if found else None) == told


def test_cuda_has_tolerances_of_its_own() -> None:
    asked = program(call("f", "x"), x=X, dtype="float32")
    here, there = tolerances.tolerance(asked), tolerances.tolerance(asked.on("cuda"))
    assert here.relative < there.relative < 1e-3
    assert here == tolerances.TOLERANCES["cpu", "float32"]


def test_a_worker_that_may_use_the_driver_is_still_confined(server: ForkServer) -> None:
    """It answers, and cannot reach files, sockets and programs."""
    text = """
        import os, socket, subprocess, torch

        def tried(what):
            try:
                what()
            except BaseException as error:
                return type(error).__name__
            return "done"

        def f(x):
            return [tried(lambda: open("/etc/passwd")), tried(socket.socket),
                    tried(lambda: os.execv("/bin/true", ["true"])), tried(lambda: os.kill(os.getppid(), 0)),
                    tried(lambda: open("/dev/shm/x", "w"))]
    """
    import textwrap

    from autograder.grading.session import Session

    session = Session(EMPTY, server, script(textwrap.dedent(text)))
    try:
        session.begin()
        reply = session.ask(program(call("f", "x", into="out"), x=X))
    finally:
        session.end()
    assert isinstance(reply, protocol.Answer)
    value = reply.results[0].value
    assert isinstance(value, protocol.Sequence)
    assert protocol.Scalar("done") not in value.items
    assert len(value.items) == 5


@pytest.mark.parametrize(
    ("actual", "symptom"),
    [
        (protocol.Scalar(2.0), None),  # a Python number is on no device
        (protocol.Tensor(wire.to_array(np.asarray(2.0))), None),  # a single number goes with every device
        (protocol.Tensor(wire.to_array(np.asarray(2.0), "cuda")), None),
        (protocol.Tensor(wire.to_array(np.asarray([2.0]))), "wrong-device"),
        (protocol.Tensor(wire.to_array(np.asarray([2.0]), "cuda")), None),
    ],
)
def test_which_results_must_be_on_the_device(actual: protocol.Value, symptom: str | None) -> None:
    shape = actual.array.shape if isinstance(actual, protocol.Tensor) else ()
    array = protocol.Tensor(wire.to_array(np.full(shape, 2.0)))
    expected = protocol.StepResult("out", array if shape else protocol.Scalar(2.0))
    prepared = model.Prepared("case", program(call("f", "x", into="out"), x=X).on("cuda"), (expected,))
    answer = protocol.Answer("n", (protocol.StepResult("out", actual),))
    finding = judge.first_failure((model.Assertion("values", "out"),), prepared, answer)
    assert (finding and finding.symptom) == symptom


@pytest.mark.skipif("seccomp" in availability.missing("cuda"), reason="needs seccomp")
def test_only_the_driver_gets_further_system_calls() -> None:
    assert not set(syscalls.CUDA) & set(syscalls.ALLOWED)
    assert len(syscalls.compiled(device="cuda")) > len(syscalls.compiled())


def test_skipped_points_leave_the_maximum() -> None:
    skipped = model.Outcome("a", "A", "timing", "public", "skipped", 0.0, 5.0)
    passed = model.Outcome("b", "B", "value", "public", "passed", 10.0, 10.0)
    assert score.total([skipped, passed]) == (10.0, 10.0)
    assert np.isfinite(score.total([skipped])).all()
