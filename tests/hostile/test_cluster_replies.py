"""What a Dask worker or a scheduler file may say: the sending side takes a grade of its own submission, or ends.

The peers of a cluster are trusted: Dask itself unpickles what they send. But a stale, broken or mixed-up peer must not
give a student another's grade, or a score that no report can hold.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from concurrent import futures
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from autograder import model
from autograder.runs import pool
from autograder.runs.cluster import client, host
from autograder.runs.cluster.client import Cluster, ClusterError
from autograder.runs.cluster.post import Reply
from autograder.sandbox.limits import Limits

pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install -e '.[cluster]'")

PLAN = pool.RunPlan("bahdanau", "a seed that nobody may read", Limits(), timing=False, causes=False)
WORK = model.Submission("ana", "ready", "script", "b.py", (b"x = 1",))
CHECK = model.Outcome("c", "C", "value", "public", "passed", 50.0, 100.0)
GRADE = model.Grade("ana", "bahdanau", 50.0, 100.0, "graded", (CHECK,), {}, 0.1)


class Workers:
    """One worker in the place of Dask's client."""

    def nthreads(self) -> dict[str, int]:
        return {"tcp://w": 1}


class Answered(Cluster):
    """A cluster whose worker gives one answer to everything."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.patience, self.where, self.threads, self.counted = 1.0, "tcp://s", 1, 0.0
        self.alive, self.sent, self.client = time.monotonic(), weakref.WeakSet(), Workers()

    def _send(self, *_: object, **__: object) -> futures.Future[Any]:
        future: futures.Future[Any] = futures.Future()
        if isinstance(self.answer, Exception):
            future.set_exception(self.answer)
        else:
            future.set_result(self.answer)
        return future


def reply(**changes: object) -> bytes:
    return msgspec.msgpack.encode(Reply(replace(GRADE, **changes)))


REPLIES: dict[str, tuple[object, str]] = {
    "no-bytes": ("grade", "can't grade"),
    "nothing": (None, "can't grade"),
    "no-message": (b"\xc1", "malformed"),
    "deep": (b"\x81\xa5grade" + b"\x91" * 100_000, "malformed"),
    "pickle": (b"\x80\x04cposix\nsystem\n(S'id'\ntR.", "malformed"),
    "other-fields": (msgspec.msgpack.encode({"grade": None, "run": 5}), "unknown field"),
    "no-grade": (msgspec.msgpack.encode(Reply()), "belongs to no request"),
    "another-student": (reply(student="bo"), "belongs to no request"),
    "another-assignment": (reply(assignment="luong"), "belongs to no request"),
    "not-a-number": (reply(score=float("nan")), "points are below 0 or above"),
    "endless-score": (reply(score=float("inf")), "points are below 0 or above"),
    "below-zero": (reply(score=-1.0), "points are below 0 or above"),
    "above-the-maximum": (reply(score=101.0), "points are below 0 or above"),
    "endless-maximum": (reply(max_score=float("inf")), "not finite"),
    "no-score": (reply(score=None), "does not allow the score"),
    "a-score-for-our-fault": (reply(status="infrastructure-error"), "does not allow the score"),
    "points-of-a-check": (reply(checks=(replace(CHECK, points=1e9),)), "points are below 0 or above"),
    "a-check-twice": (reply(checks=(CHECK, CHECK)), "occurs twice"),
    "an-error": (ValueError("x" * 1_000_000), "can't grade: ValueError"),
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_that_is_no_grade_of_this_submission_ends_the_run(name: str) -> None:
    answer, words = REPLIES[name]
    with pytest.raises(ClusterError, match=words) as caught:
        list(Answered(answer).grade_all(PLAN, [WORK]))
    assert len(str(caught.value)) < 500
    assert PLAN.seed not in str(caught.value)


def test_a_reply_that_is_one_is_taken() -> None:
    assert list(Answered(reply()).grade_all(PLAN, [WORK])) == [(WORK, GRADE)]


@pytest.mark.parametrize("task", [host.hello, host.part, lambda setup: host.grade(setup, b"\x80\x04.")])
@pytest.mark.parametrize(
    "setup", [b"", b"\xc1", b"\x80\x04cposix\nsystem\n.", b"\x91" * 100_000, b"\xdd\xff\xff\xff\xff"]
)
def test_a_worker_refuses_what_is_no_request(task: Callable[[bytes], bytes], setup: bytes) -> None:
    answer = msgspec.msgpack.decode(task(setup), type=Reply)
    assert answer.grade is None
    assert "does not understand the request" in answer.refused


FILES: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "itself": lambda path: path.symlink_to(path.name),
    "folder": lambda path: path.mkdir(),
    "deep": lambda path: path.write_text("[" * 500_000),
    "large": lambda path: path.write_text('{"address": "tcp://' + "x" * 2_000_000 + '"}'),
    "another": lambda path: path.write_text('{"address": 5}'),
    "pickle": lambda path: path.write_bytes(b"\x80\x04cposix\nsystem\n."),
}


@pytest.mark.parametrize("name", FILES)
def test_a_scheduler_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    FILES[name](tmp_path / "scheduler.json")
    with pytest.raises(ClusterError, match=r"scheduler file|that a scheduler wrote"):
        client._address(str(tmp_path / "scheduler.json"))
