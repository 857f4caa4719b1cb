"""``attngrade grade --roster``: students without a submission get a row, and strangers are listed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from autograder import model
from autograder.runs import pool, results
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import table

ROSTER = "Student ID,Name,Email\nana,Ana Lima,ana@x.edu\ns-2,Bo Li,bo@x.edu\nzoe,Zoe Au,zoe@x.edu\nb1,Bea,bea@x.edu\n"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with submissions and a roster. The grading is replaced."""

    def grade_all(
        plan: pool.RunPlan, submissions: Iterable[model.Submission], jobs: int
    ) -> Iterator[tuple[model.Submission, model.Grade]]:
        for one in submissions:
            status: model.GradeStatus = "graded" if one.status == "ready" else one.status
            yield one, model.Grade(one.student, plan.assignment, 0.0, 100.0, status, (), {}, message=one.note)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    for name in ("ana", "BO", "stranger", "Bea", "BEA"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "bahdanau.py").write_text(f"# {name}")
    (tmp_path / "roster.csv").write_text(ROSTER)
    return tmp_path


def graded(course: Path, run: Run, *more: object) -> tuple[int, str, str]:
    return run("grade", course / "in", "-a", "bahdanau", "-o", course / "out", "-j", 1, *more)


def test_non_submitters_get_a_row_and_strangers_a_word(course: Path, run: Run) -> None:
    status, _, err = graded(course, run, "--roster", course / "roster.csv")
    rows = {row["student"]: row["status"] for row in table(course / "out" / "grades.csv")}
    assert rows == {
        "ana": "graded",
        "BO": "graded",
        "stranger": "graded",
        "zoe": "missing",
        "Bea": "graded",
        "BEA": "graded",
    }
    assert results.read_result(course / "out" / "results" / "zoe.json").message == "handed nothing in"
    assert "1 of 4 on the roster handed nothing in: Zoe Au" in err
    assert "1 are not on the roster: stranger" in err
    assert "BEA may be Bea (b1)" in err
    assert "Bea may be Bea" in err
    assert status == 0


def test_a_program_reads_the_same(course: Path, run: Run) -> None:
    _, out, _ = graded(course, run, "--roster", course / "roster.csv", "--json")
    done = json.loads(out)
    assert (done["absent"], done["unmatched"], done["ambiguous"]) == (["zoe"], ["stranger"], ["BEA", "Bea"])
    assert done["students"] == 6


def test_who_hands_in_later_is_graded_and_the_others_stay(course: Path, run: Run) -> None:
    graded(course, run, "--roster", course / "roster.csv")
    (course / "in" / "zoe.py").write_text("# late")
    graded(course, run, "--roster", course / "roster.csv", "--resume")
    rows = {row["student"]: row["status"] for row in table(course / "out" / "grades.csv")}
    assert (rows["zoe"], len(rows)) == ("graded", 6)


def test_who_handed_nothing_in_is_not_gone_when_regrading(course: Path, run: Run) -> None:
    graded(course, run, "--roster", course / "roster.csv")
    shutil.rmtree(course / "in" / "stranger")
    assert json.loads(run("regrade", course / "out", "--json").out)["gone"] == ["stranger"]


def test_a_roster_that_is_none_stops_before_anything_is_written(course: Path, run: Run) -> None:
    (course / "roster.csv").write_text("Shoe\n1\n")
    status, _, err = graded(course, run, "--roster", course / "roster.csv")
    assert status == 2
    assert "found 'Shoe'" in err
    assert not (course / "out").exists()


def test_without_a_roster_nothing_is_said(course: Path, run: Run) -> None:
    _, out, err = graded(course, run, "--json")
    assert "roster" not in err
    assert "absent" not in json.loads(out)


def written(course: Path) -> bool:
    return (course / "out").exists()


def test_a_roster_that_matches_nobody_stops_before_anything_is_written(course: Path, run: Run) -> None:
    (course / "roster.csv").write_text("Student ID,Name\nx-1,Quinn Ray\nx-2,Pia Moe\n")
    status, _, err = graded(course, run, "--roster", course / "roster.csv")
    assert (status, written(course)) == (1, False)
    assert "the roster matches none of the 5 submissions (BEA, BO, Bea, ana, stranger)" in err
    assert graded(course, run, "--roster", course / "roster.csv", "--allow-empty")[0] == 0
    assert written(course)


def test_a_class_without_work_stops_and_says_what_it_looks_like(course: Path, run: Run) -> None:
    done = run("grade", course / "in", "-a", "luong", "-o", course / "out", "-j", 1)
    assert (done.status, written(course)) == (1, False)
    assert "none of the 5 submissions holds work for luong; these look like bahdanau: use --assignment" in done.err
    assert run("grade", course / "in", "-a", "luong", "-o", course / "out", "-j", 1, "--allow-empty").status == 0


def test_one_entry_without_work_is_missing(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in" / "ana").mkdir(parents=True)
    assert run("grade", tmp_path / "in", "-a", "luong", "-o", tmp_path / "out", "-j", 1).status == 0
    assert [row["status"] for row in table(tmp_path / "out" / "grades.csv")] == ["missing"]


def test_canvas_files_are_matched_by_number_where_names_are_spelled_otherwise(course: Path, run: Run) -> None:
    uploads = course / "canvas"
    uploads.mkdir()
    for name in ("ivanovpyotr_101_5001_bahdanau.py", "limaana_102_5002_bahdanau.py"):
        (uploads / name).write_text(f"# {name}")
    gradebook = 'Student,ID,SIS Login ID\n"Иванов, Пётр",101,pi\n"Lima, Ana",102,al\n'
    (course / "roster.csv").write_text(gradebook, encoding="utf-8")
    done = run(
        *("grade", uploads, "-a", "bahdanau", "-o", course / "out", "-j", 1),
        *("--roster", course / "roster.csv", "--json"),
    )
    facts = json.loads(done.out)
    assert (facts["absent"], facts["unmatched"], facts["ambiguous"]) == ([], [], [])


@pytest.mark.parametrize("form", ["folders", "folders with texts", "flat"])
def test_moodle_is_matched_by_the_participations_number_and_by_name(course: Path, run: Run, form: str) -> None:
    names = {"Ana Lima_4711": "ana", "Participant_12": "bo"}
    for name, text in names.items():
        flat = form == "flat"
        place = course / "moodle" / (f"{name}_assignsubmission_file" + ("_bahdanau.py" if flat else "/bahdanau.py"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# {text}")
        if form == "folders with texts":
            (online := course / "moodle" / f"{name}_assignsubmission_onlinetext").mkdir()
            (online / "onlinetext.html").write_text("<p>see file</p>")
    worksheet = "Identifier,Full name,Email address\nParticipant 4711,Ana Lima,a@x.edu\nParticipant 12,Bo Li,b@x.edu\n"
    (course / "roster.csv").write_text(worksheet)
    done = run(
        *("grade", course / "moodle", "-a", "bahdanau", "-o", course / "out", "-j", 1),
        *("--roster", course / "roster.csv", "--json"),
    )
    facts = json.loads(done.out)
    assert (facts["absent"], facts["unmatched"], facts["ambiguous"]) == ([], [], [])
    assert facts["statuses"] == {"graded": 2}


def test_a_class_may_be_a_zip(course: Path, run: Run) -> None:
    path = shutil.make_archive(str(course / "class"), "zip", course / "in")
    done = run("grade", path, "-a", "bahdanau", "-o", course / "out", "-j", 1)
    assert done.status == 0, done.err
    assert [row["student"] for row in table(course / "out" / "grades.csv")] == ["BEA", "BO", "Bea", "ana", "stranger"]


WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 41,Ana Lima,ana@x.edu,Submitted,,100.00,Yes,"Monday, 2 February 2026, 10:00 AM",-,\n'
    'Participant 42,Bo Li,bo@x.edu,Submitted,,100.00,Yes,"Sunday, 1 February 2026, 11:30 PM",-,\n'
    "Participant 43,Zoe Au,zoe@x.edu,No submission,,100.00,Yes,-,-,\n"
)


@pytest.fixture
def moodle(course: Path) -> Path:
    """A download of Moodle with its worksheet, and a late rule whose deadline is 2026-02-01T23:00 in Berlin."""
    shutil.rmtree(course / "in")
    for name in ("Ana Lima_41", "Bo Li_42"):
        place = course / "in" / f"{name}_assignsubmission_file"
        place.mkdir(parents=True)
        (place / "bahdanau.py").write_text(f"# {name}")
    (course / "sheet.csv").write_text(WORKSHEET)
    rule = '[late]\ndeadline = "2026-02-01T23:00+01:00"\npoints_per_day = 5\n'
    (course / "in" / "assignment.toml").write_text(f'{rule}timezone = "Europe/Berlin"\n')
    return course


def days(course: Path) -> dict[str, tuple[str, str]]:
    return {row["email"]: (row["handed_in"], row["days_late"]) for row in table(course / "out" / "grades.csv")}


def test_moodles_worksheet_says_when_each_work_was_handed_in(moodle: Path, run: Run) -> None:
    expected = {
        "ana@x.edu": ("2026-02-02T09:00:00Z", "1"),
        "bo@x.edu": ("2026-02-01T22:30:00Z", "1"),
        "zoe@x.edu": ("", "0"),
    }
    assert graded(moodle, run, "--roster", moodle / "sheet.csv")[0] == 0
    assert days(moodle) == expected
    assert graded(moodle, run, "--resume")[0] == 0  # without the worksheet, what is known stays
    assert days(moodle) == {email: when for email, when in expected.items() if email != "zoe@x.edu"}


def test_a_new_work_has_no_time_of_an_earlier_one(moodle: Path, run: Run) -> None:
    graded(moodle, run, "--roster", moodle / "sheet.csv")
    (moodle / "in" / "Bo Li_42_assignsubmission_file" / "bahdanau.py").write_text("# new")
    graded(moodle, run, "--resume")
    assert days(moodle)["bo@x.edu"] == ("", "0")


def test_times_without_a_zone_are_not_guessed(moodle: Path, run: Run) -> None:
    (moodle / "in" / "assignment.toml").write_text('[late]\ndeadline = "2026-02-01T23:00+01:00"\n')
    status, _, err = graded(moodle, run, "--roster", moodle / "sheet.csv")
    assert (status, days(moodle)["ana@x.edu"]) == (0, ("", "0"))
    assert 'write timezone = "Europe/Berlin" or the like under [late]' in err


def test_canvas_students_are_found_by_number_in_exports_too(course: Path, run: Run) -> None:
    """The download spells a name in other letters than the gradebook."""
    shutil.rmtree(course / "in")
    (course / "in").mkdir()
    for name in ("muelleranna_101_9001_bahdanau.py", "libo_LATE_102_9002_bahdanau.py"):
        (course / "in" / name).write_text(f"# {name}")
    heading = "Student,ID,SIS User ID,SIS Login ID,Section,Bahdanau (7)\n    Points Possible,,,,,100\n"
    (course / "book.csv").write_text(f'{heading}"Мюллер, Анна",101,,am,CS,\n"Li, Bo",102,,bl,CS,\n')
    assert graded(course, run)[0] == 0
    done = run("export", course / "out", "--to", "canvas", "--roster", course / "book.csv")
    assert done.status == 0, done.err
    scores = {row["ID"]: row["Bahdanau (7)"] for row in table(course / "out" / "exports" / "canvas.csv")}
    assert scores == {"": "100", "101": "0", "102": "0"}
