"""Wrong calls and wrong classes: each ends with one helpful line and the right status, and writes nothing over."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import model
from autograder.grading import gpu
from autograder.runs import pool
from tests.command_helpers import Run
from tests.integrations.made_grades import outcome
from tests.paths import ROOT

GRADE = ("grade", "in", "-a", "bahdanau", "-o", "new")
AGAIN = ("grade", "in", "-a", "bahdanau", "-o", "out", "--no-timing")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two submissions and files that calls name."""
    place = tmp_path_factory.mktemp("course")
    (place / "in").mkdir()
    for student in ("ana", "bo"):
        (place / "in" / f"{student}.py").write_text(f"def stable_softmax(scores, dim=-1):\n    return '{student}'\n")
    (place / "columns.csv").write_text("a,b\n1,2\n")
    (place / "due.csv").write_text("student,deadline\nana,tomorrow\n")
    (place / "book.csv").write_text(
        "Student,ID,SIS User ID,Section,Luong (7)\n    Points Possible,,,,100\nA,1,ana,CS,\n"
    )
    (place / "new.toml").write_text("[late]\npercent_per_day = 200\n")
    return place


@pytest.fixture
def here(course: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The course with a finished run in ``out``, as the working directory. The grading is replaced."""

    def grade_all(plan: pool.RunPlan, works: list[model.Submission], jobs: int) -> object:
        for work in works:
            checks = tuple(outcome(one.id, "passed", one.points, one.points) for one in pool.suite_of(plan).spec.checks)
            yield work, model.Grade(work.student, plan.assignment, 100.0, 100.0, "graded", checks, {})

    monkeypatch.setattr(pool, "grade_all", grade_all)
    monkeypatch.setattr(gpu, "present", lambda: False)
    shutil.copytree(course, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    assert run(*AGAIN).status == 0
    assert run("export", "out", "--to", "csv").status == 0
    return tmp_path / "course"


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    """What lies in a folder: content and time of each file, but for locks and files that SQLite makes to read."""
    return {
        str(path.relative_to(folder)): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock" and not path.name.endswith(("-wal", "-shm"))
    }


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("grade", "in", "-o", "new"), "Choose from: bahdanau, luong"),
        (("grade", "in", "-a", "bahdanua", "-o", "new"), "'bahdanua' is not one of 'bahdanau', 'luong'"),
        (("gradee", "in"), "Did you mean one of: 'grade'"),
        (("grade", "nowhere", *GRADE[2:]), "nowhere does not exist: give the folder that holds the submissions"),
        ((*GRADE, "--device", "cuda"), "there is no CUDA device on this machine; grade with --device cpu"),
        ((*GRADE, "--device", "tpu"), "'tpu' is not one of 'cpu', 'cuda'"),
        ((*GRADE, "-j", "0"), "0 is not in the range 1<=x<=256"),
        ((*GRADE[:-1], "in"), "--out must be another folder than the submissions"),
        ((*GRADE, "--limit", "nonsense=3"), "there is no limit nonsense; there are load_seconds"),
        ((*GRADE, "--limit", "case_seconds=soon"), "'soon' is not a number"),
        ((*GRADE, "--config", "nowhere.toml"), "nowhere.toml cannot be opened: no such file"),
        ((*GRADE, "--config", "new.toml"), "percent_per_day is 200; expected at most 100"),
        ((*GRADE, "--roster", "columns.csv"), "no column identifies the students; found 'a', 'b'"),
        ((*GRADE, "--deadlines", "due.csv"), "due.csv, line 2: 'tomorrow' is no time; expected a time with its zone"),
        ((*GRADE, "--layout", "canvs"), "'canvs' is not one of 'auto'"),
        (("grade", "in", "-a", "luong", "-o", "out"), "out holds a run of bahdanau, not luong; choose another --out"),
        ((*AGAIN, "--only", "bob"), "there is no student bob in in; similar: bo"),
        ((*AGAIN, "--resume", "--anonymous"), "was not anonymous; leave --anonymous away"),
        (("regrade", "in"), "in holds no journal of a run; it must be the --out folder of attngrade grade"),
        (("export", "out", "--to", "canvas"), "--to canvas needs --roster, the file that Canvas exported"),
        (("export", "out", "--to", "canvas", "--roster", "book.csv", "--column", "Bah"), "'Luong (7)'"),
        (("export", "out", "--to", "csv"), "checks.csv is already there; name another --output"),
        (("adjust", "out", "anna", "+3", "--reason", "x"), "there is no student anna; did you mean ana?"),
        (("adjust", "out", "ana", "+3"), "a decision needs a reason: --reason TEXT"),
        (("adjust", "out", "ana", "lots", "--reason", "x"), "expected +POINTS, -POINTS, =POINTS, excuse"),
        (("show", "out", "anna"), "there is no student anna; did you mean ana?"),
        (("diff", "out", "ana", "anna"), "there is no student anna in this run; similar: ana"),
        (("repro", "out", "ana", "attention-value"), "similar: attention-values"),
        (("purge", "out", "anna"), "out holds nothing of 'anna'"),
        (("feedback", "in"), "in holds no results; use the --out folder of attngrade grade"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_call_ends_with_one_line_and_status_2(here: Path, run: Run, call: tuple[str, ...], words: str) -> None:
    before = everything(here)
    done = run(*call)
    assert (done.status, done.out) == (2, ""), done.err
    [line] = done.err.splitlines()
    assert line.startswith("attngrade: ")
    assert words in line
    assert everything(here) == before


def of_luong(place: Path) -> None:
    for student in ("ana", "bo"):
        shutil.copytree(ROOT / "solutions" / "luong", place / student)


def nothing(place: Path) -> None:
    place.mkdir()


def reports(place: Path) -> None:
    for student in ("ana", "bo"):
        (place / student).mkdir(parents=True)
        (place / student / "report.pdf").write_bytes(b"%PDF")


def no_zip(place: Path) -> None:
    place.write_text("hello")


def broken_metadata(place: Path) -> None:
    (place / "submission_1").mkdir(parents=True)
    (place / "submission_1" / "bahdanau.py").write_text("import torch\n")
    (place / "submission_metadata.yml").write_text(": : :")


def settings(text: str) -> Callable[[Path], None]:
    def build(place: Path) -> None:
        place.mkdir()
        (place / "ana.py").write_text("import torch\n")
        (place / "assignment.toml").write_text(text)

    return build


def strangers(place: Path) -> None:
    shutil.copytree("in", place)
    Path("strangers.csv").write_text("SIS User ID,Name\nx1,Xi\n")


@pytest.mark.parametrize(
    ("build", "more", "status", "words"),
    [
        (of_luong, (), 1, "these look like luong: use --assignment luong; if that is meant, use --allow-empty"),
        (reports, (), 1, "none of the 2 submissions holds work for bahdanau"),
        (strangers, ("--roster", "strangers.csv"), 1, "the roster matches none of the 2 submissions (ana, bo)"),
        (nothing, (), 2, "holds no submissions: expected"),
        (no_zip, (), 2, "is not a zip archive that can be opened: download it again"),
        (lambda place: shutil.copy("in/ana.py", place), (), 2, "is not a folder or a zip"),
        (lambda place: Path("out").rename(place), (), 2, "is the output of an earlier run"),
        (strangers, ("--layout", "gradescope"), 2, "expected submission_N folders and submission_metadata.yml"),
        (broken_metadata, (), 2, "submission_metadata.yml is not YAML that can be read (line 1): download the export"),
        (settings('assignment = "luong"\n'), (), 2, "these are settings of luong, not of bahdanau"),
        (settings("[parts]\nstable_sofmax = 3\n"), (), 2, "did you mean stable_softmax"),
        (settings('drop = ["attention-value"]\n'), (), 2, "did you mean attention-values"),
    ],
)
def test_a_wrong_class_is_said_before_anything_is_written(
    here: Path, run: Run, build: Callable[[Path], object], more: tuple[str, ...], status: int, words: str
) -> None:
    build(here / ("class.zip" if build is no_zip else "class"))
    place = next(path for path in (here / "class", here / "class.zip") if path.exists())
    if (here / "out").exists():
        shutil.copytree(here / "out", here / "kept")
    before = everything(here)
    done = run("grade", place.name, "-a", "bahdanau", "-o", "out", *more)
    assert (done.status, done.out) == (status, ""), done.err
    *notes, line = done.err.splitlines()
    assert all(note.startswith("attngrade: settings: ") for note in notes)
    assert line.startswith("attngrade: ")
    assert words in line
    assert everything(here) == before
