"""What runs in a Dask worker, called directly: graders for each thread, refusals, and secrets."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from autograder import model
from autograder.grading.suite import SuiteError
from autograder.protocol import wire
from autograder.runs import pool
from autograder.runs.cluster import host
from autograder.runs.cluster.post import Reply, Versions, WorkerSetup, difference, versions
from autograder.sandbox.limits import Limits

SEED = "a seed that nobody may read in a log"
PLAN = pool.RunPlan("bahdanau", SEED, Limits(), timing=False, causes=False)
WORKS = [msgspec.msgpack.encode(model.Submission(name, "ready", "script", "b.py", (b"x = 1",))) for name in "abcd"]


def setup(plan: pool.RunPlan = PLAN, **other: str) -> bytes:
    return msgspec.msgpack.encode(WorkerSetup(plan, msgspec.structs.replace(versions(), **other)))


def reply(answer: bytes) -> Reply:
    return wire.decode(answer, Reply)


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    yield
    host._close()
    host._graders = None


class TestGrading:
    """With real fork servers."""

    def test_each_thread_has_a_grader_and_all_are_let_go(self, monkeypatch: pytest.MonkeyPatch) -> None:
        together = threading.Barrier(2, timeout=60)
        busy: set[int] = set()
        both: list[int] = []
        grade = pool.Grader.grade

        def met(self: pool.Grader, submission: model.Submission) -> model.Grade:
            assert id(self) not in busy
            busy.add(id(self))
            together.wait()  # two of them are at work at once
            both.append(len(busy))
            together.wait()
            found = grade(self, submission)
            busy.discard(id(self))
            return found

        monkeypatch.setattr(pool.Grader, "grade", met)
        with ThreadPoolExecutor(2) as threads:
            found = [reply(answer) for answer in threads.map(host.grade, [setup()] * 4, WORKS)]
            graders = host._graders
            assert graders is not None
            assert len(graders.idle) == 2
            assert both[0] == 2
            servers = [graders.first, *(grader.server for grader in graders.idle)]
            assert reply(host.part(setup(msgspec.structs.replace(PLAN, seed="other")))) == Reply()
            assert host._graders is graders  # another run's word is not for it
            host.part(setup())
        assert [(one.grade.student, one.grade.status, one.grade.score) for one in found if one.grade] == [
            (name, "graded", 0.0) for name in "abcd"
        ]
        assert host._graders is None
        assert all(server._control.fileno() == -1 for server in servers)
        assert servers[0]._process is not None
        assert servers[0]._process.poll() is not None

    def test_another_plan_takes_the_place_of_the_first(self) -> None:
        assert reply(host.hello(setup())) == Reply()
        first = host._graders
        assert first is not None
        with first.grader() as grader:  # busy while the other plan arrives
            other = msgspec.structs.replace(PLAN, limits=Limits(case_seconds=5.0))
            assert reply(host.hello(setup(other))) == Reply()
            assert host._graders is not first
            assert first.first._control.fileno() == -1
            assert grader.server._control.fileno() != -1
        assert grader.server._control.fileno() == -1


class TestRefusing:
    """Nothing is graded, and the reason is for people."""

    @pytest.mark.parametrize("ask", [host.hello, lambda told: host.grade(told, WORKS[0])])
    def test_other_files_or_versions(self, ask) -> None:  # type: ignore[no-untyped-def]
        found = reply(ask(setup(sources="older")))
        assert "other files of the grader" in found.refused
        assert found.machine
        assert found.grade is None
        assert host._graders is None

    def test_the_differing_version_is_reported(self) -> None:
        ours = Versions("s", {"torch": "2.13.0", "numpy": "2.4.6"})
        theirs = Versions("t", {"torch": "2.12.0", "numpy": "2.4.6"})
        assert difference(ours, theirs, "bahdanau") == "torch 2.12.0 there, 2.13.0 here"
        assert difference(ours, ours, "bahdanau") == ""

    @pytest.mark.parametrize(
        ("here", "there", "refused"),
        [
            ("1", "1", ""),
            ("1", "2", "other files of norm there than here"),
            ("1", None, "no assignment norm there"),
            (None, "1", "no assignment norm here"),
        ],
    )
    def test_of_a_course_only_the_graded_assignment_matters(
        self, here: str | None, there: str | None, refused: str
    ) -> None:
        ours, theirs = (
            Versions("s", {}, {"other": digest} if own is None else {"norm": own, "other": digest})
            for own, digest in ((here, "3"), (there, "4"))
        )
        assert difference(ours, theirs, "norm") == refused
        assert difference(ours, theirs, "bahdanau") == ""

    def test_what_is_no_setup(self) -> None:
        assert "another version" in reply(host.hello(b"\x00")).refused

    @pytest.mark.parametrize("error", [SuiteError("no references here"), RuntimeError(SEED)])
    def test_errors_are_reported_without_secrets(self, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(plan: pool.RunPlan) -> None:
            raise error

        monkeypatch.setattr(pool, "server_of", lambda plan: type("Server", (), {"close": lambda self: None})())
        monkeypatch.setattr(pool, "suite_of", fail)
        for answer in (host.hello(setup()), host.grade(setup(), WORKS[0])):
            assert SEED.encode() not in answer
            assert reply(answer).refused in ("no references here", "RuntimeError in the grader")
