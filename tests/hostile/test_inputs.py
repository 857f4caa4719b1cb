"""Bad inputs, each alone: a file is read, or its student is told what is wrong; a bad class is a wrong call."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import pytest

from autograder import intake, model
from autograder.cli import app
from autograder.intake import reading
from autograder.runs import grading_run, pool
from tests.hostile.submissions.inputs import CHANGES, CLASSES, INPUTS, SOLUTION
from tests.hostile.submissions.inputs.base import packed

from .planted import TOPIC, clear, ids, rows, snapshot

READY = ("graded", "partial", "import-error")
MOST_MEMORY = 700  # MB that reading one submission may take beyond what the process had
MOST_SECONDS = 120  # nothing here should take two; a hang takes for ever


class Peak:
    """The most memory that this process has had since the start, in MB; None where the system does not tell."""

    def __init__(self) -> None:
        try:
            Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew: proc(5)
        except OSError:
            self.before = None
        else:
            self.before = _status("VmRSS")

    def __call__(self) -> float:
        return 0.0 if self.before is None else _status("VmHWM") - self.before


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1000


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """An endless read ends the test and not only its worker's patience."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"it took more than {MOST_SECONDS} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(MOST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def subs(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "subs"
    folder.mkdir()
    yield folder
    clear(folder)


# ---------------------------------------------------------------- each alone


@pytest.mark.parametrize("name", INPUTS)
def test_a_bad_input_is_read_or_told(name: str, subs: Path) -> None:
    bad = INPUTS[name]
    (subs / "honest.py").write_bytes(SOLUTION)
    bad.plant(subs, name)
    before = snapshot(subs.parent)
    peak = Peak()
    found = {entry.student: intake.read(entry, TOPIC) for entry in intake.discover(subs, TOPIC)}
    used = peak()
    assert snapshot(subs.parent) == before, "reading has changed something"
    assert used < MOST_MEMORY
    honest = found.pop("honest")
    assert (honest.status, honest.cells) == ("ready", (SOLUTION,))
    expected = "ready" if bad.status in READY else bad.status
    if len(found) == len(ids(name, bad)) == 2:
        assert {work.status for work in found.values()} == {expected}
    else:
        (student,), (work,) = found, found.values()
        assert work.status == expected, work.note
        if not bad.students:
            assert student == name
        if expected != "ready":
            assert bad.says in work.note
        assert work.note.isprintable()
        assert len(work.note) <= 1000


def test_there_are_enough_of_them() -> None:
    assert len(INPUTS) + len(CLASSES) + len(CHANGES) >= 200


# ---------------------------------------------------------------- whole classes


@pytest.mark.parametrize("name", CLASSES)
def test_a_bad_class_is_a_wrong_call(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad = CLASSES[name]
    bad.build(tmp_path / "subs")
    out = tmp_path / "out"
    status = app.run(["grade", str(tmp_path / "subs"), "-a", TOPIC, "-o", str(out), *bad.options])
    said = capfd.readouterr()
    assert (status, said.out) == (2, "")
    assert said.err.startswith("attngrade: ")
    assert said.err.count("\n") == 1
    assert bad.says in said.err
    assert "subs" in said.err
    assert not out.exists(), "a wrong call writes nothing"


# ---------------------------------------------------------------- changed meanwhile


@pytest.mark.parametrize("where", ["lone", "folder", "zip"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_before_it_is_read(name: str, where: str, subs: Path) -> None:
    change, expected = CHANGES[name]
    path = {"lone": subs / "ana.py", "folder": subs / "ana" / "bahdanau.py", "zip": subs / "ana.zip"}[where]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(SOLUTION)
    (entry,) = intake.discover(subs, TOPIC)
    change(path)
    work = intake.read(entry, TOPIC)
    if where == "zip" and expected == "ready":
        expected = "unreadable"  # it is no zip
    assert work.status == expected, work.note
    assert expected == "ready" or work.note


@pytest.mark.parametrize("where", ["folder", "zip"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_while_it_is_read(name: str, where: str, subs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the choice and before the bytes are taken."""
    path = {"folder": subs / "ana" / "bahdanau.py", "zip": subs / "ana.zip"}[where]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(packed({"bahdanau.py": SOLUTION}) if where == "zip" else SOLUTION)
    change, _ = CHANGES[name]
    real = reading.load

    def load(*args: object) -> model.Submission:
        change(path)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "load", load)
    (entry,) = intake.discover(subs, TOPIC)
    work = intake.read(entry, TOPIC)
    assert work.status in ("ready", "unreadable")
    assert work.status == "ready" or work.note
    assert b"root:" not in b"".join(work.cells)


# ---------------------------------------------------------------- our own faults


def test_a_submission_that_cannot_be_read_for_a_reason_of_ours_costs_nobody_else(
    subs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real: Callable[..., model.Submission] = grading_run.read

    def read(entry: model.Entry, assignment: str) -> model.Submission:
        if entry.student == "bo":
            raise MemoryError
        return real(entry, assignment)

    def grade_all(_: object, works: Iterable[model.Submission], jobs: int) -> Iterator[object]:
        """Those that are not there need no worker, and no exam."""
        for work in works:
            lost = pool.infrastructure_error(work, TOPIC, MemoryError())
            yield work, msgspec.structs.replace(lost, status=work.status, score=0.0)

    monkeypatch.setattr(grading_run, "read", read)
    monkeypatch.setattr(pool, "grade_all", grade_all)
    for student in ("ana", "bo", "chen"):
        (subs / student).mkdir()
    status = app.run(["grade", str(subs), "-a", TOPIC, "-o", str(tmp_path / "out"), "-j1", "--allow-empty"])
    capfd.readouterr()
    assert status == 1
    assert {row["student"]: row["status"] for row in rows(tmp_path / "out")} == {
        "ana": "missing",
        "bo": "infrastructure-error",
        "chen": "missing",
    }
