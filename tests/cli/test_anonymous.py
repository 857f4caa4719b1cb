"""``attngrade grade --anonymous``: no name in all that graders see, and a key kept apart that brings them back."""

from __future__ import annotations

import csv
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.runs import anonymity, pool
from autograder.runs.anonymity import KeyFileError
from tests.command_helpers import CommandResult, Run
from tests.integrations.made_grades import grade, outcome

NAMES = ("byronada", "odeben", "vascleo")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A download from Canvas, where the names of files are the students', and one student who is only on the roster."""
    place = tmp_path / "in"
    place.mkdir()
    (place / "byronada_101_2001_luong.py").write_text("x = 1")
    (place / "odeben_102_2002_wrong name.txt").write_text("x")
    (tmp_path / "roster.csv").write_text("Student ID,Name\nbyronada,Ada Byron\nodeben,Ben Ode\nvascleo,Cleo Vas\n")
    return place


@pytest.fixture(autouse=True)
def _no_grading(monkeypatch: pytest.MonkeyPatch) -> None:
    def grade_all(plan: pool.RunPlan, works: Iterable[model.Submission], jobs: int) -> Iterator[Any]:
        for work in works:
            check = outcome("c", "failed", 1.0, 2.0, message=f"{work.filename}: wrong. {work.path}")
            yield work, grade(work.student, [check], status=work.status if work.status != "ready" else "graded")

    monkeypatch.setattr(pool, "grade_all", grade_all)


def graded(run: Run, folder: Path, *more: str) -> CommandResult:
    roster = folder.parent / "roster.csv"
    return run("grade", folder, "-a", "luong", "-o", folder.parent / "OUT", "--roster", roster, *more)


def students(out: Path) -> list[str]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return [row["student"] for row in csv.DictReader(file)]


def test_graders_see_no_name(run: Run, folder: Path) -> None:
    out = folder.parent / "OUT"
    done = graded(run, folder, "--anonymous")
    assert done.status == 0, done.err
    assert all(anonymity.ID.fullmatch(student) for student in students(out))
    assert len(students(out)) == 3
    seen = done.out + done.err
    for path in out.rglob("*"):
        seen += str(path.relative_to(out)) + (path.read_bytes().decode("latin-1") if path.is_file() else "")
    for name in (*NAMES, "Byron", "Cleo", "wrong name"):
        assert name.lower() not in seen.lower()


def test_the_progress_for_programs_has_no_name_either(run: Run, folder: Path) -> None:
    done = graded(run, folder, "--anonymous", "--json", "--log-json")
    assert not [name for name in NAMES if name in done.out + done.err]


def test_the_key_lies_beside_the_folder_for_its_owner_only(run: Run, folder: Path) -> None:
    out = folder.parent / "OUT"
    old = os.umask(0)
    try:
        done = graded(run, folder, "--anonymous")
    finally:
        os.umask(old)
    path = anonymity.key_file(out)
    assert str(path) in done.out
    assert (path.parent, path.name) == (out.parent, "OUT.key.csv")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(anonymity.read_key(path).values()) == sorted(NAMES)
    assert set(anonymity.read_key(path)) == set(students(out))


def test_show_and_export_bring_the_names_back(run: Run, folder: Path) -> None:
    out, key = folder.parent / "OUT", folder.parent / "OUT.key.csv"
    graded(run, folder, "--anonymous")
    id = next(id for id, student in anonymity.read_key(key).items() if student == "byronada")
    for asked in ("byronada", id):
        assert run("show", out, asked, "--key", key).out.startswith("byronada  luong")
        assert '"student": "byronada"' in run("show", out, asked, "--key", key, "--history", "--json").out
    assert run("show", out, "byronada").status == 2
    named = folder.parent / "named.csv"
    assert run("export", out, "--to", "csv", "--wide", "--key", key, "-o", named).status == 0
    assert students_in(named) == list(NAMES)


def students_in(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row["student"] for row in csv.DictReader(file)]


def test_names_are_not_exported_into_the_graders_folder(run: Run, folder: Path) -> None:
    out, key = folder.parent / "OUT", folder.parent / "OUT.key.csv"
    graded(run, folder, "--anonymous")
    for output in ([], ["-o", out / "named.csv"], ["-o", out / "report" / ".." / "named.csv"]):
        done = run("export", out, "--to", "csv", "--key", key, *output)
        assert done.status == 2
        assert "name an --output that is not in" in done.err
    assert not (out / "exports").exists()


def test_ids_stay_and_new_students_get_new_ones(run: Run, folder: Path) -> None:
    out, key = folder.parent / "OUT", folder.parent / "OUT.key.csv"
    graded(run, folder, "--anonymous")
    first = anonymity.read_key(key)
    (folder / "newcomer.py").write_text("y = 1")
    assert graded(run, folder, "--anonymous", "--resume").status == 0
    later = anonymity.read_key(key)
    assert first.items() < later.items()
    assert sorted({*later} - {*first}) == sorted({*students(out)} - {*first})
    assert graded(run, folder, "--anonymous").status == 0  # a new run; the earlier one in previous/ keeps its key
    assert anonymity.read_key(key) == later


def test_ids_tell_nothing_of_the_names() -> None:
    ids = [list(anonymity.with_new({}, NAMES)) for _ in range(20)]
    assert len({id for those in ids for id in those}) == 60
    assert len({tuple(those.index(id) for id in sorted(those)) for those in ids}) > 1


@pytest.mark.parametrize(("before", "now"), [(["--anonymous"], []), ([], ["--anonymous"])])
def test_a_run_stays_what_it_began_as(run: Run, folder: Path, before: list[str], now: list[str]) -> None:
    out = folder.parent / "OUT"
    graded(run, folder, *before)
    rows = (out / "grades.csv").read_bytes()
    done = graded(run, folder, "--resume", *now)
    assert done.status == 2
    assert "--anonymous" in done.err
    assert (out / "grades.csv").read_bytes() == rows


def test_without_the_key_nothing_goes_on(run: Run, folder: Path) -> None:
    out, key = folder.parent / "OUT", folder.parent / "OUT.key.csv"
    graded(run, folder, "--anonymous")
    rows = (out / "grades.csv").read_bytes()
    key.rename(folder.parent / "safe.csv")
    for done in (graded(run, folder, "--anonymous", "--resume"), run("regrade", out)):
        assert done.status == 2
        assert str(key) in done.err
    assert (out / "grades.csv").read_bytes() == rows
    assert not key.exists()


@pytest.mark.parametrize("text", ["", "id,student\n", "id,student,exact\na,b\n", "id,student,exact\nbo,b,\n", "\x00"])
def test_another_file_is_no_key(run: Run, folder: Path, text: str) -> None:
    graded(run, folder, "--anonymous")
    other = folder.parent / "other.csv"
    other.write_text(text)
    assert run("show", folder.parent / "OUT", "byronada", "--key", other).status == 2
    with pytest.raises(KeyFileError):
        anonymity.read_key(other)


def test_a_key_of_another_run_is_refused(run: Run, folder: Path) -> None:
    graded(run, folder, "--anonymous")
    other = folder.parent / "other.csv"
    anonymity.write_key(other, {"anon-00000000": "byronada"})
    done = run("export", folder.parent / "OUT", "--to", "csv", "--key", other, "-o", folder.parent / "x.csv")
    assert (done.status, "key of this run" in done.err) == (2, True)


@pytest.mark.parametrize("name", ["=1+1", "a;=b", "Ünal, Çem", '"q"', "line\nbreak", "'quoted", "-5", "＝x"])
def test_any_name_comes_back_and_none_is_a_formula(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.csv"
    anonymity.write_key(path, {"anon-00000000": name, "anon-00000001": "'" + name})
    assert anonymity.read_key(path) == {"anon-00000000": name, "anon-00000001": "'" + name}
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "＝")) or ";=" in cell]


def test_deadlines_name_students_whom_graders_do_not_see(run: Run, folder: Path) -> None:
    due = folder.parent / "due.csv"
    (folder / "byronada_101_2001_luong.py").rename(folder / "byronada_LATE_101_2001_luong.py")
    out, key = folder.parent / "OUT", folder.parent / "OUT.key.csv"
    late = {}
    for name in ("Ada Byron", "odeben", "nobody"):
        due.write_text(f"student,deadline\n{name},2026-02-01T12:00Z\n")
        done = graded(run, folder, "--anonymous", "--deadlines", str(due), "--resume")
        assert ("names 1 who are no student here" in done.err) == (name == "nobody")
        who = anonymity.read_key(key)
        with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
            late[name] = {who[row["student"]]: row["days_late"] for row in csv.DictReader(file)}["byronada"]
    assert late == {"Ada Byron": "0", "odeben": "1", "nobody": "1"}  # an extension overrules the mark LATE
    assert not [word for word in NAMES if word in (out / "journal.sqlite").read_bytes().decode("latin-1")]
