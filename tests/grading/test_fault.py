"""Whose fault a missing answer is, for each kind of evidence."""

from __future__ import annotations

import signal

import msgspec
import pytest

from autograder.grading.connection import retry
from autograder.grading.fault import Evidence, Fault, decide
from autograder.grading.responses import NoAnswer
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import Ended
from autograder.sandbox.limits import Limits

GIB = 1 << 30
KILLED = Ended(
    -signal.SIGKILL, by_itself=True, cpu_seconds=1.0, peak_bytes=GIB // 10, life_seconds=3.0, can_signal=False
)
BY_US = msgspec.structs.replace(KILLED, by_itself=False)
NO_SERVER = Ended(None, by_itself=False, can_signal=False)


def ended(before: Ended = KILLED, **changes: object) -> Ended:
    return msgspec.structs.replace(before, **changes)


def evidence(end: Ended, late: bool = False, closed: bool = True, machine: int = 16 * GIB) -> Evidence:
    """The defaults: 60 s, which the kernel ends after 65 s of CPU time, and 4 GiB."""
    return Evidence(end, late, closed, Limits(), machine)


CASES: dict[str, tuple[Evidence, Fault]] = {
    "another user, or a kernel without memory, killed it": (evidence(KILLED), "ours"),
    "something outside asked it to end": (evidence(ended(status=-signal.SIGTERM)), "ours"),
    "its server died, which it cannot reach": (evidence(NO_SERVER), "ours"),
    "it computed for long before it was killed": (evidence(ended(cpu_seconds=63.0, life_seconds=63.5)), "ours"),
    "it used little memory of a small container": (evidence(KILLED, machine=GIB), "ours"),
    # The student's: it can bring all of these about.
    "it closed its connection and lived on: the grader killed it": (evidence(BY_US), "student"),
    "it left": (evidence(ended(status=0)), "student"),
    "it left with an error": (evidence(ended(status=3)), "student"),
    "it crashed": (evidence(ended(status=-signal.SIGSEGV)), "student"),
    "it set a timer": (evidence(ended(status=-signal.SIGALRM)), "student"),
    "it made a call that is not allowed": (evidence(ended(status=-signal.SIGSYS)), "student"),
    "the kernel killed it at its CPU limit": (evidence(ended(cpu_seconds=64.9, life_seconds=70.0)), "student"),
    "it held 3 GB below its limit of 4": (evidence(ended(peak_bytes=3 * GIB)), "student"),
    "it held a third of a small container": (evidence(ended(peak_bytes=GIB // 3), machine=GIB), "student"),
    "a limit had passed": (evidence(BY_US, late=True), "student"),
    "a limit had passed, and then it died": (evidence(KILLED, late=True), "student"),
    "a limit had passed, and its server is gone": (evidence(NO_SERVER, late=True), "student"),
    "it sent something else": (evidence(BY_US, closed=False), "student"),
    "it sent something else, and died": (evidence(KILLED, closed=False), "student"),
    # Nothing keeps these from sending signals: they may have killed themselves, or their server.
    "it may have killed itself": (evidence(ended(can_signal=True)), "student"),
    "it may have ended itself": (evidence(ended(status=-signal.SIGTERM, can_signal=True)), "student"),
    "it may have killed its server": (evidence(ended(NO_SERVER, can_signal=True)), "unclear"),
    # Ticks: a program that runs only while the kernel counts reaches the limit with hardly any CPU time.
    "it lived long enough to reach the kernel's limit": (evidence(ended(life_seconds=64.5)), "unclear"),
}


@pytest.mark.parametrize("case", CASES)
def test_whose_fault_it_is(case: str) -> None:
    found, expected = CASES[case]
    assert decide(found) == expected


def reply(fault: Fault) -> NoAnswer:
    return NoAnswer("crashed", "error", {"why": "gone"}, fault)


@pytest.mark.parametrize(("first", "asked"), [("student", 1), ("unclear", 2), ("ours", 2)])
@pytest.mark.parametrize("second", ["student", "unclear"])
def test_only_what_may_be_our_fault_is_asked_again_and_once(first: Fault, asked: int, second: Fault) -> None:
    replies = iter((reply(first), reply(second), reply("student")))
    assert retry(lambda: next(replies)) == reply(first if asked == 1 else second)
    assert len(list(replies)) == 3 - asked


def test_our_fault_twice_is_no_grade() -> None:
    with pytest.raises(SandboxError, match="gone"):
        retry(lambda: reply("ours"))
