"""Check that a CUDA device works inside a confined worker, before and after each submission."""

from __future__ import annotations

import glob

from autograder import model, protocol
from autograder.grading.responses import NoAnswer, import_trouble
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.sandbox.launch import Launcher

PROBE = b"""
import torch


def works():
    sums = torch.ones(64, 64, device="cuda") @ torch.ones(64, 64, device="cuda")
    return bool((sums == 64).all())
"""
PROGRAM = protocol.Program("float32", {}, (protocol.Call("works", "works"),), "cuda")


def present() -> bool:
    """Whether the kernel knows a device. ``GPU`` checks whether it works."""
    return bool(glob.glob("/dev/nvidia[0-9]*"))


class GPU:
    """The CUDA device of one run, shared by its submissions. ``trouble`` says why it can't be used; "" if it works."""

    def __init__(self, suite: CheckSuite, launcher: Launcher) -> None:
        self.suite, self.launcher = suite, launcher
        self.trouble = self.check() if present() else "there is no CUDA device on this machine"

    def check(self) -> str:
        """Multiply two matrices on the device in a new worker. Return why that failed, or ""."""
        work = model.Submission("probe", "ready", "script", "probe.py", (PROBE,))
        session = Session(self.suite, self.launcher, work)
        try:
            trouble = import_trouble(session.begin())
            return trouble or failure(session.ask(PROGRAM))
        finally:
            session.end()


def failure(reply: protocol.Answer | NoAnswer) -> str:
    """Return why the device does not work, or ""."""
    if isinstance(reply, NoAnswer):
        return f"the CUDA device does not answer a confined worker ({reply.facts.get('why', reply.symptom)})"
    (result,) = reply.results
    if result.value == protocol.Scalar(True):
        return ""
    why = result.raised.message if result.raised else "a product of matrices is wrong"
    return f"the CUDA device does not work in a confined worker ({why})"
