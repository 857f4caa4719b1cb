"""The output folder: who holds it, what is written when, and what a failed run leaves."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.cli import app
from autograder.model import run_files
from autograder.runs import history, lock, pool, results, run_folder
from autograder.runs.journal import JournalError
from tests.paths import ROOT

HOLD = "import sys; from pathlib import Path; from autograder.runs.lock import hold; kept = hold(Path(sys.argv[1]))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three submissions."""
    (tmp_path / "in").mkdir()
    for name in ("ana", "bo", "chen"):
        (tmp_path / "in" / f"{name}.py").write_text(f"# {name}")
    return tmp_path / "in"


@pytest.fixture(autouse=True)
def graded_students(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the grading, and return the list of students that it grades."""
    students: list[str] = []

    def grade_all(plan: pool.RunPlan, works: Iterable[model.Submission], jobs: int) -> Iterator[Any]:
        for work in works:
            students.append(work.student)
            text = "x" * 20_000  # so that a few fill a small disk
            check = model.Outcome("c", "C", "value", "public", "failed", 0, 100, text)
            yield work, model.Grade(work.student, plan.assignment, 50.0, 100.0, "graded", (check,), {}, 0.5)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    return students


def grade(folder: Path, *more: str, out: Path | None = None) -> int:
    place = out or folder.parent / "out"
    return app.run(["grade", str(folder), "-a", "luong", "-o", str(place), "-j1", "--json", *more])


@contextlib.contextmanager
def held(out: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process has the folder."""
    out.mkdir(exist_ok=True)
    code = f"{HOLD}; print(); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(out)], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_a_second_grader_is_refused_and_changes_nothing(
    folder: Path, graded_students: list[str], capfd: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    out = folder.parent / "out"
    assert grade(folder) == 0
    before = sorted(path.name for path in out.iterdir())
    capfd.readouterr()
    with held(out) as process:
        assert grade(folder, *more) == 2
        stderr = capfd.readouterr().err
        assert stderr.count("\n") == 1
        assert f"in use by another attngrade (process {process.pid} on " in stderr
        assert "wait until it has ended" in stderr
    assert len(graded_students) == 3
    assert sorted(path.name for path in out.iterdir()) == before


def test_a_lock_ends_with_its_process_even_if_killed(folder: Path) -> None:
    out = folder.parent / "out"
    with held(out) as process:
        process.kill()
        process.wait()
        assert (out / run_files.LOCK).exists()
        assert grade(folder) == 0
    assert grade(folder) == 0  # and with the run that had it


def test_a_forked_child_does_not_keep_the_lock_of_its_parent(tmp_path: Path) -> None:
    """The pool's processes are forked while the lock is held, and may end a little later than a killed run."""
    code = f"{HOLD}; import os, time; child = os.fork(); print(child, flush=True) if child else time.sleep(60)"
    done = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    assert done.stdout
    child = int(done.stdout.readline())
    assert done.wait() == 0
    os.kill(child, 0)  # it is still there
    lock.hold(tmp_path).release()
    os.kill(child, signal.SIGKILL)


def test_an_unwritable_folder_is_a_usage_error(
    folder: Path, graded_students: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    for place in ("/proc/self", "/proc/self/out"):  # where not even root can
        assert grade(folder, out=Path(place)) == 2
        stderr = capfd.readouterr().err
        assert stderr.count("\n") == 1
        assert f"can't write to {place}" in stderr
        assert "choose another --out" in stderr
    assert not graded_students


@contextlib.contextmanager
def room(size: int) -> Iterator[None]:
    """No file can grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [50_000, 80_000, 130_000])  # the journal, or a result; early or late
def test_on_a_full_disk_the_run_ends_and_goes_on_later(
    folder: Path, graded_students: list[str], capfd: pytest.CaptureFixture[str], size: int
) -> None:
    for number in range(5):
        (folder / f"more{number}.py").write_text(f"# {number}")
    with room(size):
        assert grade(folder) == 1
    assert "correct that and go on with --resume" in capfd.readouterr().err
    out = folder.parent / "out"
    assert not list(out.rglob(f"*{results.PART}"))
    done = len(graded_students)
    assert grade(folder, "--resume") == 0
    assert len((out / "grades.csv").read_text().splitlines()) == 9
    assert len(list((out / "results").iterdir())) == 8
    assert len(graded_students) in (8, 9)  # one may be graded but not recorded
    assert done < 8


def test_half_written_files_go_and_a_lost_result_is_written_again(folder: Path, graded_students: list[str]) -> None:
    assert grade(folder) == 0
    place = folder.parent / "out" / "results"
    (place / "ana.json").unlink()
    (place / f"gone.json{results.PART}").write_text("{")  # of a student without a submission
    assert grade(folder, "--resume") == 0
    assert sorted(path.name for path in place.iterdir()) == ["ana.json", "bo.json", "chen.json"]
    assert len(graded_students) == 3


def test_a_run_killed_while_it_removes_a_student_finishes_that_when_resumed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grade(folder) == 0
    (folder / "chen.py").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(run_folder.Journal, "forget", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert grade(folder, "--resume") == 1
    assert grade(folder, "--resume") == 0
    out = folder.parent / "out"
    assert sorted(path.name for path in (out / "results").iterdir()) == ["ana.json", "bo.json"]
    assert len(list(out.rglob("chen.json"))) == 1


def test_each_result_is_on_disk_before_the_next_is_graded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, graded_students: list[str]
) -> None:
    seen: list[int] = []
    place = folder.parent / "out" / "results"
    real = pool.grade_all

    def watched(*given: Any) -> Iterator[Any]:
        for found in real(*given):
            seen.append(len(list(place.iterdir())))
            yield found

    monkeypatch.setattr(pool, "grade_all", watched)
    assert grade(folder) == 0
    assert seen == [0, 1, 2]


def events(stderr: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stderr.splitlines()]


def test_events_are_json_whatever_happens(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "dara.py").write_text("# ana")  # the same as ana's
    assert grade(folder, "--log-json") == 0
    found = events(capfd.readouterr().err)
    assert [event["event"] for event in found] == ["started", *["graded"] * 4, "finished"]
    assert found[0]["submissions"] == 4
    plain = {name: found[1][name] for name in ("student", "status", "score", "max_score", "seconds", "how")}
    assert plain == {
        "student": "ana",
        "status": "graded",
        "score": 50.0,
        "max_score": 100.0,
        "seconds": 0.5,
        "how": "graded",
    }
    assert (found[4]["student"], found[4]["how"]) == ("dara", "copy")
    assert found[-1]["statuses"] == {"graded": 4}
    assert found[-1]["how"] == {"graded": 3, "copy": 1}
    (folder / "bo.py").write_text("# another")
    with room(60_000):
        assert grade(folder, "--log-json", "--resume") == 1
    found = events(capfd.readouterr().err)
    assert found[-1]["event"] == "failed"
    assert "--resume" in found[-1]["message"]


def test_a_folder_that_is_graded_into_is_not_read_for_a_regrade(tmp_path: Path) -> None:
    """Its journal's files would be copied in the midst of a write."""
    with held(tmp_path) as process:
        stderr = f"in use by another attngrade .process {process.pid} on .*; wait until it has ended$"
        with pytest.raises(JournalError, match=stderr), history.untouched(tmp_path):
            raise AssertionError("it was opened")
        process.kill()
        process.wait()
        with pytest.raises(JournalError, match="holds no journal"), history.untouched(tmp_path):
            raise AssertionError("it was opened")


def test_an_out_folder_that_holds_a_submission_is_a_wrong_call(
    folder: Path, capfd: pytest.CaptureFixture[str], graded_students: list[str]
) -> None:
    (folder / "dora").mkdir()
    (folder / "dora" / "luong.py").write_text("# dora")
    assert grade(folder, out=folder / "dora") == 2
    assert "is the folder of a submission, dora" in capfd.readouterr().err
    assert graded_students == []


def test_what_is_passed_over_is_named(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in (".git", "env"):
        (folder / name).mkdir()
    (folder / "eve\x1b[2J.rar").touch()
    grade(folder, out=folder / "last week")
    grade(folder, out=folder / "out")
    said = capfd.readouterr().err
    assert "attngrade: last week is an output folder and is passed over\n" in said
    assert "attngrade: passed over, as nobody's submission: .git, env, eve\\u001b[2J.rar\n" in said
