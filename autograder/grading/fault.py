"""Whose fault a missing answer is. This is the only place that decides it.

Our own fault never costs a student a point, and a student's never becomes ours. So there must be evidence that
something outside the worker ended it. What the grader killed itself is no such evidence.
"""

from __future__ import annotations

import signal
from typing import Literal

import msgspec

from autograder.sandbox.launch import Ended
from autograder.sandbox.limits import Limits

# unclear: it may be ours, but a submission can bring it about. It is asked once more; then it is the student's.
Fault = Literal["student", "unclear", "ours"]

# Signals that nothing brings about which a worker without the right to send signals can do.
FROM_OUTSIDE = {getattr(signal, name, None) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")}  # not on Windows
SIGKILL = 9
LARGE_SHARE = 0.25  # of the memory that it may use, or that there is: above that, a lack of memory is its own doing


class Evidence(msgspec.Struct, frozen=True):
    """What the grader knows about a worker that gave no answer."""

    ended: Ended
    late: bool  # whether a limit had passed, so that the grader stopped waiting
    closed: bool  # whether the connection closed; else it sent something that is no answer
    limits: Limits
    machine_bytes: int  # of memory


def decide(evidence: Evidence) -> Fault:
    """Return whose fault it is that there is no answer."""
    ended, limits = evidence.ended, evidence.limits
    if evidence.late or not evidence.closed:
        return "student"
    if ended.status is None:  # the server can be reached by signals only
        return "unclear" if ended.can_signal else "ours"
    if not ended.by_itself or ended.can_signal:  # it hung up and lived on, or it can do anything to itself
        return "student"
    if -ended.status in FROM_OUTSIDE:
        return "ours"
    if -ended.status != SIGKILL:
        return "student"
    return _killed(ended, limits, evidence.machine_bytes)


def _killed(ended: Ended, limits: Limits, machine_bytes: int) -> Fault:
    """Return whose fault a SIGKILL is that neither the grader nor the worker sent.

    The kernel sends one at its limit of CPU seconds, and where memory runs out. Else it was another user.
    """
    if ended.peak_bytes >= LARGE_SHARE * min(limits.memory_bytes, machine_bytes):
        return "student"
    if ended.cpu_seconds >= limits.kernel_seconds - 1:  # the kernel rounds
        return "student"
    # The kernel compares its limit with a count of clock ticks, which a program that sleeps between ticks drives up.
    return "unclear" if ended.life_seconds >= limits.kernel_seconds - 1 else "ours"
