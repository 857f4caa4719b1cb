"""What is written into nbgrader's gradebook, when, and what is left alone: in SQLite and in a real PostgreSQL.

Grades are made up here; that they are the right ones is the matter of test_nbgrader_course.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from autograder import assignments, model
from autograder.cli import app as command_line
from autograder.grading import fingerprints
from autograder.runs import pool
from tests.grading_helpers import outcome
from tests.integrations.nbgrader import database_helpers as databases
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(
    not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'"
)

TOPIC = "bahdanau"
only_sqlite = pytest.mark.parametrize("course", ["sqlite"], indirect=True)  # where the database is of no matter
CHECKS = assignments.load(TOPIC, True).checks


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose assignment nobody has handed in."""
    course = tmp_path_factory.mktemp("released") / "course"
    assert command_line.run(["nbgrader", "init", str(course), "--topic", TOPIC]) == 0
    generate(course)
    return course


def generate(course: Path) -> None:
    """``nbgrader generate_assignment``."""
    from nbgrader.apps import GenerateAssignmentApp

    with contextlib.chdir(course):
        app = GenerateAssignmentApp()
        app.initialize([TOPIC, "--force", "--log-level=ERROR"])
        app.start()


@pytest.fixture(scope="module")
def server(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server with a gradebook named ``released``, in which the assignment is; its URL."""
    with databases.postgres() as url:
        course = tmp_path_factory.mktemp("postgres") / "course"
        shutil.copytree(released, course)
        use(course, databases.new_database(url, "released"))
        generate(course)
        yield url


def use(course: Path, url: str) -> None:
    """Takes another gradebook for a course."""
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(f"c.CourseDirectory.db_url = {url!r}\n")
    (course / "gradebook.db").unlink()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.thorough)])
def course(request: pytest.FixtureRequest, released: Path, tmp_path: Path) -> Path:
    """A course of its own, in which ana and bo have handed in."""
    course = tmp_path / "course"
    shutil.copytree(released, course)
    if request.param == "postgres":
        url = request.getfixturevalue("server")
        use(course, databases.new_database(url, uuid.uuid4().hex, "released"))
    for student in ("ana", "bo"):
        hand_in(course, student)
    return course


HALF = """
from nbgrader.plugins import LateSubmissionPlugin
class Half(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score / 2
c.AssignLatePenalties.plugin_class = Half
"""


def hand_in(course: Path, student: str, timestamp: str = "2026-01-02 12:00:00 UTC") -> Path:
    """The skeleton, as a student's work."""
    folder = course / "submitted" / student / TOPIC
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text(timestamp)
    shutil.copyfile(course / "release" / TOPIC / f"{TOPIC}.ipynb", folder / f"{TOPIC}.ipynb")
    return folder


def made_up(student: str, lost: tuple[str, ...] = (), status: str = "graded") -> model.Grade:
    """A grade in which the checks ``lost`` were not passed."""
    passed = [check for check in CHECKS if check.id not in lost]
    outcomes = tuple(
        outcome(check, "passed" if check in passed else "failed", check.points * (check in passed), "wrong")
        for check in CHECKS
    )
    score = None if status == "infrastructure-error" else 1.0
    return model.Grade(student, TOPIC, score, 100.0, status, outcomes, {}, message="so it was")  # type: ignore[arg-type]


Grades = dict[str, model.Grade]
Grading = Callable[..., int]


@pytest.fixture
def grading(course: Path, monkeypatch: pytest.MonkeyPatch) -> Grading:
    """``attngrade nbgrader grade``, with grades that are made up; who has none gets everything."""

    def grade(*options: str, afresh: bool = True, **grades: model.Grade) -> int:
        monkeypatch.setattr(
            pool,
            "grade_all",
            lambda plan, works, jobs: ((work, grades.get(work.student, made_up(work.student))) for work in works),
        )
        # Both students hand in the skeleton, but each gets a grade of their own.
        monkeypatch.setattr(fingerprints, "of_work", lambda submission: "")
        if afresh:
            shutil.rmtree(course / "attngrade", ignore_errors=True)
        return command_line.run(["nbgrader", "grade", str(course), TOPIC, *options])

    return grade


@contextlib.contextmanager
def gradebook(course: Path) -> Iterator[Any]:
    """The gradebook, through nbgrader's own door."""
    from nbgrader.api import Gradebook
    from nbgrader.apps import NbGrader

    with contextlib.chdir(course):
        app = NbGrader()
        app.initialize(["--log-level=ERROR"])
        with Gradebook(app.coursedir.db_url, app.coursedir.course_id) as book:
            yield book
            book.db.commit()


def of(book: Any, student: str) -> Any:
    """A student's notebook."""
    return book.find_submission_notebook(TOPIC, TOPIC, student)


def grade_of(book: Any, student: str, cell: str) -> Any:
    return book.find_grade(cell, TOPIC, TOPIC, student)


def test_scores_are_written_cell_by_cell(course: Path, grading: Grading) -> None:
    assert grading(bo=made_up("bo", ("softmax-values", "vjp-values"))) == 0
    with gradebook(course) as book:
        assert (of(book, "ana").score, of(book, "bo").score) == (100.0, 94.0)
        assert grade_of(book, "bo", "test-stable_softmax").auto_score == 23.0
        assert not of(book, "bo").needs_manual_grade
        assert book.find_submission(TOPIC, "ana").timestamp.isoformat() == "2026-01-02T12:00:00"
        assert book.find_comment("softmax_vjp", TOPIC, TOPIC, "ana").auto_comment == "No response."
    folder = course / "autograded" / "bo" / TOPIC
    assert (folder / "timestamp.txt").is_file()
    assert (folder / "README.md").is_file()
    assert (folder / f"{TOPIC}.ipynb").stat().st_mode & 0o777 == 0o444


def test_what_a_person_has_said_is_kept(course: Path, grading: Grading) -> None:
    grading()
    with gradebook(course) as book:
        grade = grade_of(book, "ana", "test-softmax_vjp")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 5.0, 2.0, False
        book.find_comment("softmax_vjp", TOPIC, TOPIC, "ana").manual_comment = "as we agreed"
        of(book, "ana").late_submission_penalty = 3.0  # by hand: the course has no rule
    grading()
    with gradebook(course) as book:
        assert not grade_of(book, "ana", "test-softmax_vjp").needs_manual_grade  # nothing has changed
    grading(ana=made_up("ana", ("vjp-values",)))
    with gradebook(course) as book:
        grade = grade_of(book, "ana", "test-softmax_vjp")
        assert (grade.manual_score, grade.extra_credit, grade.auto_score) == (5.0, 2.0, 21.0)
        assert grade.needs_manual_grade  # to be looked at again
        assert of(book, "ana").score == 100.0 - 24.0 + 5.0 + 2.0
        assert book.find_comment("softmax_vjp", TOPIC, TOPIC, "ana").comment == "as we agreed"
        assert of(book, "ana").late_submission_penalty == 3.0


@only_sqlite
def test_the_courses_rule_for_late_work_is_followed(course: Path, grading: Grading) -> None:
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(HALF)
    with gradebook(course) as book:
        book.update_or_create_assignment(TOPIC, duedate="2026-01-03 12:00:00 UTC")
    shutil.rmtree(course / "submitted" / "bo")
    hand_in(course, "bo", "2026-01-04 12:00:00 UTC")
    grading(bo=made_up("bo", ("softmax-values",)))
    with gradebook(course) as book:
        assert of(book, "ana").late_submission_penalty is None
        assert of(book, "bo").late_submission_penalty == 97.0 / 2
        book.grant_extension(TOPIC, "bo", days=2)
    grading(bo=made_up("bo", ("softmax-values",)))
    with gradebook(course) as book:
        assert of(book, "bo").late_submission_penalty is None


@only_sqlite
def test_a_dry_run_tells_whose_score_would_change_and_why_and_writes_nothing(
    course: Path, grading: Grading, capsys: pytest.CaptureFixture[str]
) -> None:
    grading()
    before = {path: path.read_bytes() for path in (course / "autograded").rglob("*") if path.is_file()}
    capsys.readouterr()
    assert grading("--dry-run", afresh=False, bo=made_up("bo", ("softmax-values",))) == 0
    reported = capsys.readouterr().out
    assert "bo: 100.00 -> 97.00 (-3.00)\n    test-stable_softmax: 26.00 -> 23.00\n" in reported
    assert "ana:" not in reported
    assert "2 graded, 1 scores would change, 0 without a score" in reported
    with gradebook(course) as book:
        assert of(book, "bo").score == 100.0
    assert before == {path: path.read_bytes() for path in (course / "autograded").rglob("*") if path.is_file()}


@only_sqlite
def test_our_own_fault_changes_no_score_and_is_marked_for_a_person(
    course: Path, grading: Grading, capsys: pytest.CaptureFixture[str]
) -> None:
    grading()
    hand_in(course, "chen")
    lost = {name: made_up(name, status="infrastructure-error") for name in ("bo", "chen")}
    assert grading(**lost) == 1
    assert "bo: no score (our own fault" in capsys.readouterr().err
    with gradebook(course) as book:
        assert of(book, "bo").score == 100.0
        assert of(book, "bo").needs_manual_grade
        assert not of(book, "ana").needs_manual_grade
        assert [student.id for student in book.students] == ["ana", "bo"]  # no row, so no 0, for chen
    assert not (course / "autograded" / "chen").exists()


KILLED = """
import os, signal, sys
from autograder.cli import app as cli
from autograder.integrations.nbgrader.gradebook import CourseGradebook
from tests.integrations.nbgrader import test_gradebook as ours
from autograder.grading import fingerprints
from autograder.runs import pool
pool.grade_all = lambda plan, works, jobs: ((work, ours.made_up(work.student)) for work in works)
def killed(self, table, submitted):
    if submitted.student.id == "bo" and table.__name__ == "Comment":  # its scores are written by now, and not committed
        self.db.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return rows(self, table, submitted)
rows, CourseGradebook._rows = CourseGradebook._rows, killed
cli.run(["nbgrader", "grade", sys.argv[1], "bahdanau"])
"""


@only_sqlite
def test_a_run_that_is_killed_leaves_whole_students_and_goes_on(course: Path, grading: Grading) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", KILLED, str(course)], env=environment, cwd=ROOT, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with gradebook(course) as book:
        assert [student.id for student in book.students] == ["ana"]
        assert of(book, "ana").score == 100.0
    assert not (course / "autograded" / "bo").exists()
    assert grading(afresh=False) == 0
    with gradebook(course) as book:
        assert [(student.id, student.score) for student in book.students] == [("ana", 100.0), ("bo", 100.0)]
    assert (course / "autograded" / "bo" / TOPIC / f"{TOPIC}.ipynb").is_file()


class Fake:
    """Stands for a grading process with its fork server."""

    made: list[Fake] = []

    def __init__(self, plan: pool.RunPlan) -> None:
        self.plan, self.closed = plan, False
        self.made.append(self)

    def grade(self, work: model.Submission) -> model.Grade:
        return made_up(work.student, status="infrastructure-error" if work.student == "bo" else "graded")

    def close(self) -> None:
        self.closed = True


def test_nbgrader_autograde_uses_one_fork_server_and_engine_and_fails_for_whom_we_failed(
    course: Path, grading: Grading, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbgrader import api
    from nbgrader.apps import AutogradeApp
    from nbgrader.converters import autograde

    grading(bo=made_up("bo", ("vjp-values",)))
    monkeypatch.setattr(pool, "Grader", Fake)
    monkeypatch.setattr(Fake, "made", [])
    hand_in(course, "chen")
    made: list[str] = []
    create = api.create_engine
    monkeypatch.setattr(api, "create_engine", lambda url, **more: made.append(url) or create(url, **more))
    with contextlib.chdir(course):
        app = AutogradeApp()
        app.initialize([TOPIC, "--force", "--log-level=CRITICAL"])
        with pytest.raises(SystemExit) as ended:
            app.start()
    assert ended.value.code == 1
    assert len(made) == 6  # nbgrader's five for the first student, and the run's; no more for two others
    [server] = Fake.made
    with gradebook(course) as book:
        assert (of(book, "ana").score, of(book, "chen").score) == (100.0, 100.0)
        assert grade_of(book, "bo", "test-softmax_vjp").auto_score == 21.0
        assert not of(book, "ana").needs_manual_grade
        assert of(book, "bo").needs_manual_grade
    assert not (course / "autograded" / "bo" / TOPIC).exists()
    del ended, app
    gc.collect()
    assert server.closed
    assert autograde.Gradebook is api.Gradebook


@only_sqlite
def test_a_cell_of_the_instructors_own_is_for_a_person_and_never_full_points(course: Path, grading: Grading) -> None:
    path = course / "source" / TOPIC / f"{TOPIC}.ipynb"
    notebook = json.loads(path.read_text())
    own = {
        "grade": True,
        "grade_id": "own",
        "locked": True,
        "points": 7,
        "solution": False,
        "task": False,
        "schema_version": 3,
        "cell_type": "code",
    }
    notebook["cells"].append(
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "own",
            "outputs": [],
            "metadata": {"nbgrader": own},
            "source": "assert stable_softmax",
        }
    )
    path.write_text(json.dumps(notebook))
    generate(course)
    assert grading() == 0
    with gradebook(course) as book:
        grade = grade_of(book, "ana", "own")
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)
        assert of(book, "ana").score == 100.0


@only_sqlite
def test_a_slip_in_a_test_cell_is_told_before_anybody_is_graded(
    course: Path, grading: Grading, capsys: pytest.CaptureFixture[str]
) -> None:
    path = course / "source" / TOPIC / f"{TOPIC}.ipynb"
    path.write_text(path.read_text().replace("%attngrade bahdanau", "%attngrade bahdnau"))
    generate(course)
    capsys.readouterr()
    assert grading() == 2
    reported = capsys.readouterr().err
    assert "the test cell test-stable_softmax: there is no assignment 'bahdnau' here" in reported
    assert reported.count("\n") == 1


@only_sqlite
@pytest.mark.parametrize("way", ["nbgrader autograde", "attngrade nbgrader grade"])
def test_links_of_a_student_are_not_followed_and_pages_are_not_served(
    course: Path, grading: Grading, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The formgrader serves what lies in autograded, to somebody who may change grades."""
    folder = course / "submitted" / "ana" / TOPIC
    (folder / "notes.txt").symlink_to(course / "gradebook.db")
    (folder / "README.md").symlink_to(course / "gradebook.db")
    for name in ("page.html", "PAGE.HTM", "picture.svg", "data.xml", "data.csv", "plot.png"):
        (folder / name).write_text("<script>x()</script>")
    if way == "nbgrader autograde":
        monkeypatch.setattr(pool, "Grader", Fake)
        monkeypatch.setattr(Fake, "made", [])
        autograde(course, "ana")
    else:
        assert grading() == 0
    laid = course / "autograded" / "ana" / TOPIC
    assert {path.name for path in laid.iterdir()} == {
        *("AGENTS.md", "README.md", f"{TOPIC}.ipynb", "data.csv", "figure.svg", "plot.png", "timestamp.txt")
    }
    assert (laid / "README.md").read_bytes() == (course / "source" / TOPIC / "README.md").read_bytes()


def autograde(course: Path, student: str) -> None:
    """``nbgrader autograde`` for one student."""
    from nbgrader.apps import AutogradeApp

    with contextlib.chdir(course):
        app = AutogradeApp()
        app.initialize([TOPIC, f"--student={student}", "--log-level=CRITICAL"])
        app.start()


@only_sqlite
@pytest.mark.filterwarnings("error::sqlalchemy.exc.SAWarning")
def test_the_gradebook_has_nothing_to_warn_of(course: Path, grading: Grading) -> None:
    assert grading() == 0


@only_sqlite
def test_no_folder_of_a_students_stops_the_class(course: Path, grading: Grading) -> None:
    """Folders where files are to be, and the other way round; what can't be written as deep as it was handed in."""
    folder = course / "submitted" / "ana" / TOPIC
    for name in ("README.md", f"{TOPIC}.ipynb.part"):
        (folder / name).mkdir()
        (folder / name / "x.txt").write_text("x")
    os.mkfifo(folder / "fifo")
    (folder / "data").write_text("a file")
    (folder / "more").mkdir()
    (folder / "more" / "x.txt").write_text("x")
    assert grading() == 0
    (folder / "data").unlink()
    (folder / "data").mkdir()
    (folder / "data" / "x.txt").write_text("now a folder")
    shutil.rmtree(folder / "more")
    (folder / "more").write_text("now a file")
    assert grading() == 0
    laid = course / "autograded" / "ana" / TOPIC
    assert (laid / "README.md").read_bytes() == (course / "source" / TOPIC / "README.md").read_bytes()
    assert (laid / "data" / "x.txt").read_text() == "now a folder"
    assert (laid / "more").read_text() == "now a file"
    with gradebook(course) as book:
        assert (of(book, "ana").score, of(book, "bo").score) == (100.0, 100.0)


@only_sqlite
def test_a_name_that_no_gradebook_can_hold_is_told_and_stops_nobody(
    course: Path, grading: Grading, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "submitted" / "bo").rename(course / "submitted" / os.fsdecode(b"jos\xe9"))
    for student in ("a b", "José ö", "two\nlines", "'; DROP TABLE student"):
        hand_in(course, student)
    capsys.readouterr()
    assert grading() == 1
    assert r"jos\udce9: no score" in capsys.readouterr().err
    with gradebook(course) as book:
        expected = {"ana", "a b", "José ö", "two\nlines", "'; DROP TABLE student"}
        assert {student.id: student.score for student in book.students} == dict.fromkeys(expected, 100.0)


@only_sqlite
def test_files_that_the_course_keeps_as_handed_in_are_kept(course: Path, grading: Grading) -> None:
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(f"c.Autograde.exclude_overwriting = {{{TOPIC!r}: ['README.md']}}\n")
    (course / "submitted" / "ana" / TOPIC / "README.md").write_text("mine")
    assert grading() == 0
    assert (course / "autograded" / "ana" / TOPIC / "README.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["nbgrader", "grade", "EMPTY", TOPIC], "is no nbgrader course"),
        (["nbgrader", "grade", "COURSE", "luong"], "run: nbgrader generate_assignment luong"),
        (["nbgrader", "init", "COURSE", "--topic", TOPIC], "already exists; move it"),
        (["nbgrader", "grade", "LIMITS", TOPIC], "there is no limit case_secs"),
        (["nbgrader", "grade", "BROKEN", TOPIC], "can't use the gradebook: file is not a database"),
        (["nbgrader", "init", "OTHER"], "was not made by attngrade; add these lines to it"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(
    released: Path, tmp_path: Path, arguments: list[str], reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "nbgrader_config.py").write_text("c = get_config()\n")
    limits = tmp_path / "limits"
    shutil.copytree(released, limits)
    hand_in(limits, "ana")
    with (limits / "nbgrader_config.py").open("a") as config:
        config.write("c.AttnGrade.limits = {'case_secs': 1}\n")
    broken = tmp_path / "broken"
    shutil.copytree(released, broken)
    (broken / "gradebook.db").write_text("what a crash or a wrong copy left " * 100)
    places = {
        "LIMITS": str(limits),
        "BROKEN": str(broken),
        "EMPTY": str(tmp_path / "empty"),
        "OTHER": str(tmp_path / "other"),
        "COURSE": str(released),
    }
    assert command_line.run([places.get(word, word) for word in arguments]) == 2
    error = capsys.readouterr().err
    assert reported in error
    assert error.count("\n") == 1
