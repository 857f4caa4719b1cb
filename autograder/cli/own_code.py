"""A student's own code, checked by the public checks on the student's own machine. So missing layers don't matter."""

from autograder import protocol
from autograder.grading import suite
from autograder.grading.gpu import GPU
from autograder.grading.runner import Runner
from autograder.grading.usual import usual_limits
from autograder.sandbox.launch import Launcher, SingleLauncher


def runner(
    assignment: str, device: protocol.Device = "cpu", launcher: Launcher | None = None, *, causes: bool = True
) -> Runner:
    """Return a runner of the public checks. Without ``launcher`` each submission gets a process. Raises SuiteError."""
    public = suite.public(assignment, device)
    own = launcher or SingleLauncher(usual_limits(assignment), unconfined=True, device=device)
    return Runner(public, own, causes, gpu=GPU(public, own) if device == "cuda" else None)
