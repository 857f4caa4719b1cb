"""The same work is graded once: which grade a student gets, and its message."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from autograder import model
from autograder.cli import app
from autograder.runs import deduplication, pool
from autograder.sandbox.availability import SandboxError

CHECK = model.Outcome("c", "C", "value", "public", "passed", 100, 100)


def outcome(status: str) -> model.Outcome:
    return model.Outcome("c", "C", "value", "public", status, 0, 100)  # type: ignore[arg-type]


class Fake:
    """Grades by the words in the source text, ``jobs`` at a time, and lists what it graded."""

    def __init__(self) -> None:
        self.graded: list[model.Submission] = []

    def __call__(
        self, plan: pool.RunPlan, works: Iterable[model.Submission], jobs: int
    ) -> Iterator[tuple[model.Submission, model.Grade]]:
        source, under_way = iter(works), deque[model.Submission]()
        while True:
            while len(under_way) < jobs and (work := next(source, None)):
                self.graded.append(work)
                under_way.append(work)
            if not under_way:
                return
            work = under_way.popleft()
            yield work, self.grade(plan, work)

    def grade(self, plan: pool.RunPlan, work: model.Submission) -> model.Grade:
        text = b"".join(work.cells).decode()
        if "our fault" in text:
            return pool.infrastructure_error(work, plan.assignment, SandboxError("no"))
        status = next((s for s in ("partial", "import-error") if s in text), "graded")
        check = next((outcome(s) for s in ("timeout", "skipped") if s in text), CHECK)
        seconds = 5.0 if "slow" in text else 0.25
        note = " ".join(filter(None, (work.note, f"graded as {work.filename}")))
        return model.Grade(work.student, plan.assignment, 50.0, 100.0, status, (check,), {}, seconds, note)

    @property
    def students(self) -> list[str]:
        return [work.student for work in self.graded]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setattr(pool, "grade_all", made)
    return made


def hand_in(folder: Path, **works: str) -> Path:
    """``ana="text"`` as ``ana/luong.py``, ``bo__2="text"`` as ``bo/luong-2.py``."""
    for name, text in works.items():
        student, _, odd = name.partition("__")
        (folder / student).mkdir(parents=True, exist_ok=True)
        (folder / student / (f"luong-{odd}.py" if odd else "luong.py")).write_text(text)
    return folder


def grade(folder: Path, *more: str, jobs: int = 1) -> int:
    out = folder.parent / "out"
    return app.run(["grade", str(folder), "-a", "luong", "-o", str(out), "-j", str(jobs), "--json", *more])


def result(folder: Path, student: str) -> dict[str, object]:
    return json.loads((folder.parent / "out" / "results" / f"{student}.json").read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_same_work_is_graded_once_and_reported_to_each_student(fake: Fake, tmp_path: Path, jobs: int) -> None:
    folder = hand_in(tmp_path / "in", ana="same", bo__2="same", chen="other", dara="same")
    assert grade(folder, jobs=jobs) == 0
    assert fake.students == ["ana", "chen"]
    assert [result(folder, name)["student"] for name in ("ana", "bo", "dara")] == ["ana", "bo", "dara"]
    assert result(folder, "ana")["message"] == result(folder, "dara")["message"] == "graded as luong.py"
    message = str(result(folder, "bo")["message"])  # each student has a note of their own on the file
    assert "luong-2.py" in message
    assert message.endswith(" graded as luong.py")
    assert result(folder, "bo")["seconds"] == 0
    assert result(folder, "bo")["score"] == 50


def test_the_one_with_the_odd_name_may_come_first(fake: Fake, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "in", ana__2="same", bo="same")
    assert grade(folder) == 0
    assert fake.students == ["ana"]
    assert "luong-2.py" in str(result(folder, "ana")["message"])
    assert result(folder, "bo")["message"] == "graded as luong.py"


def test_what_another_run_graded_is_known_under_any_name(fake: Fake, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "in", ana="same")
    grade(folder)
    (folder / "ana").rename(folder / "zoe")
    hand_in(folder, bo="same")
    assert grade(folder, "--resume") == 0
    assert fake.students == ["ana"]
    assert result(folder, "zoe")["student"] == "zoe"
    assert grade(folder, "--resume", "--case-seconds", "4") == 0  # another exam
    assert len(fake.students) == 2


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("moment", ["partial", "timeout", "skipped", "slow", "our fault"])
def test_grades_that_depend_on_timing_are_not_shared(fake: Fake, tmp_path: Path, moment: str, jobs: int) -> None:
    folder = hand_in(tmp_path / "in", ana=moment, bo=moment, chen=moment)
    grade(folder, jobs=jobs)
    assert sorted(fake.students) == ["ana", "bo", "chen"]


def test_a_file_that_cannot_be_imported_is_shared_too(fake: Fake, tmp_path: Path) -> None:
    grade(hand_in(tmp_path / "in", ana="import-error", bo="import-error"))
    assert fake.students == ["ana"]


def test_missing_submissions_are_not_shared(fake: Fake, tmp_path: Path) -> None:
    for name in ("ana", "bo"):
        (tmp_path / "in" / name).mkdir(parents=True)
    grade(tmp_path / "in", "--allow-empty", jobs=2)
    assert fake.students == ["ana", "bo"]


def test_a_waiting_submission_that_changes_is_graded_alone(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hand_in(tmp_path / "in", ana="same", bo="same")
    real = fake.grade

    def change(plan: pool.RunPlan, work: model.Submission) -> model.Grade:
        if work.student == "ana":
            hand_in(folder, bo="slow")
        return real(plan, work)

    monkeypatch.setattr(fake, "grade", change)
    assert grade(folder, jobs=2) == 0
    assert fake.students == ["ana", "bo"]
    assert fake.graded[1].cells == (b"slow",)


def test_work_that_changes_after_it_is_read_is_reported_and_graded_when_resumed(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = hand_in(tmp_path / "in", ana="first", bo="other")
    real = fake.grade

    def change(plan: pool.RunPlan, work: model.Submission) -> model.Grade:
        hand_in(folder, ana="second")
        return real(plan, work)

    monkeypatch.setattr(fake, "grade", change)
    assert grade(folder) == 0
    assert "1 submission(s) have changed since they were read (ana); grade them with --resume" in capfd.readouterr().err
    assert fake.graded[0].cells == (b"first",)
    assert grade(folder, "--resume") == 0
    assert [work.cells for work in fake.graded[2:]] == [(b"second",)]
    assert "changed" not in capfd.readouterr().err


def test_a_copy_under_another_name_is_the_same_to_the_worker() -> None:
    names = [model.Submission("a", "ready", kind, "odd.py", (b"x",), "note") for kind in ("script", "notebook")]
    assert [deduplication.anonymous(one, "luong").filename for one in names] == ["luong.py", "luong.ipynb"]
