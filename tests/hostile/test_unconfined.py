"""Submissions where workers are not confined: they lose their own points, and the next submission loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from autograder.grading.runner import Runner
from autograder.sandbox import availability, forkserver
from autograder.sandbox.forkserver import ForkServer
from tests.small_suite_helpers import LIMITS, RIGHT, script, suite

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="Linux only"), pytest.mark.thorough]

CHILD = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    {}\nos._exit(1)\n"
FLOOD = """while True:
        for fd in range(3, 20):
            try:
                os.write(fd, b'ATTN' + bytes(1000))
            except BrokenPipeError:
                os._exit(0)
            except OSError:
                pass"""
SIGNAL = "import os, signal, time\nos.{}, signal.SIGSTOP)\n"
# What runs before a right submission.
ATTACKS = {
    "child-holds-the-pipe": CHILD.format("time.sleep(20); os._exit(0)"),
    "child-floods-the-pipe": CHILD.format(FLOOD),
    "stops-itself": SIGNAL.format("kill(os.getpid()"),
    "stops-its-group": SIGNAL.format("killpg(0"),
    "stops-the-server": SIGNAL.format("kill(os.getppid()"),
    "stops-the-server-and-leaves": SIGNAL.format("kill(os.getppid()") + "os._exit(3)\n",
    "leaves-children": "import os, time\n" + "if os.fork() == 0:\n    time.sleep(20)\n    os._exit(0)\n" * 20,
}


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """One whose server is alone with its workers, and is soon given up where it stands still."""
    reasons = dict.fromkeys(("seccomp", "namespaces", "uid", "landlock"), "this test's")
    monkeypatch.setattr(availability, "missing", lambda _: reasons)
    server = ForkServer(replace(LIMITS, case_seconds=1.0, submission_seconds=8.0), unconfined=True)
    monkeypatch.setattr(forkserver, "REPLY_SECONDS", 3.0)
    yield Runner(suite(), server)
    server.close()


@pytest.mark.parametrize("name", ATTACKS)
def test_the_next_submission_keeps_all_points(name: str, runner: Runner) -> None:
    grade = runner.grade(script(ATTACKS[name] + RIGHT))
    assert grade.status in ("graded", "import-error")
    honest = runner.grade(script(RIGHT))
    assert (honest.status, honest.score) == ("graded", honest.max_score)
