"""Whether there is a CUDA device that works, as a confined worker sees it and no submission can tell it."""

from __future__ import annotations

import glob

from autograder import model
from autograder.dialogue import Dialogue
from autograder.exam import Exam
from autograder.sandbox.launch import Launcher
from autograder.transcript import Failure, import_trouble

PROBE = b"""
import torch


def works():
    sums = torch.ones(64, 64, device="cuda") @ torch.ones(64, 64, device="cuda")
    return bool((sums == 64).all())
"""
ASKED = model.Program("float32", {}, (model.Call("works", "works"),), "cuda")


def present() -> bool:
    """Whether the kernel knows of a device; whether it works, GPU tells."""
    return bool(glob.glob("/dev/nvidia[0-9]*"))


class GPU:
    """The device that submissions of one run share. ``trouble`` says why it can't be used at all; empty where it
    can."""

    def __init__(self, exam: Exam, launcher: Launcher) -> None:
        self.exam, self.launcher = exam, launcher
        self.trouble = self.check() if present() else "there is no CUDA device on this machine"

    def check(self) -> str:
        """Multiplies two matrices on the device, in a worker of its own; why that failed, or empty."""
        work = model.Submission("probe", "ready", "script", "probe.py", (PROBE,))
        dialogue = Dialogue(self.exam, self.launcher, work)
        try:
            trouble = import_trouble(dialogue.begin())
            return trouble or self._told(dialogue.ask(ASKED))
        finally:
            dialogue.end()

    def _told(self, reply: model.Answer | Failure) -> str:
        if isinstance(reply, Failure):
            return (
                f"the CUDA device does not answer a confined worker ({reply.facts.get('why', reply.symptom)})"
            )
        (seen,) = reply.seen
        if seen.value == model.Scalar(True):
            return ""
        why = seen.raised.message if seen.raised else "a product of matrices is wrong"
        return f"the CUDA device does not work in a confined worker ({why})"
