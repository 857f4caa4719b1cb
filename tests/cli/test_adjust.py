"""``attngrade adjust``: what people decide is kept, shown, and survives whatever the grader does later."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.course.lateness import LateRule
from autograder.course.marks import Rules
from autograder.runs import pool, run_folder
from autograder.runs.run_folder import RunFolder
from tests.command_helpers import CommandResult, Run
from tests.course.course_helpers import check

ROSTER = """Student,ID,SIS User ID,SIS Login ID,Section,Email
"Lima, Ana",101,S1,ana,CS 1,al@x.edu
"Li, Bo",102,S2,bo,CS 2,bl@x.edu
"Chen, Anna",103,S3,chen,CS 1,ac@x.edu
"Ito, Dan",104,S4,dan,CS 1,di@x.edu
"""
WHY = ("--reason", "why", "--by", "Kim")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three works and a roster. A work's number is its points, of 60, at the check ``values``."""

    def grade_all(
        plan: pool.RunPlan, works: Iterable[model.Submission], jobs: int
    ) -> Iterator[tuple[model.Submission, model.Grade]]:
        for work in works:
            points = float(work.cells[0].split()[-1]) if work.cells else 0.0
            checks = (check("values", points, 60.0, diagnosis="missing-tanh"), check("sums", 40.0, 40.0, "softmax"))
            checks = checks if work.status == "ready" else ()
            status: model.GradeStatus = "graded" if work.status == "ready" else work.status
            score = sum(one.points for one in checks)
            yield work, model.Grade(work.student, plan.assignment, score, 100.0, status, checks, {}, message=work.note)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    for name, points in {"ana": 10, "bo": 20, "chen": 60}.items():
        hand_in(tmp_path, name, points)
    (tmp_path / "roster.csv").write_text(ROSTER)
    return tmp_path


def hand_in(course: Path, name: str, points: int) -> None:
    (course / "in" / name).mkdir(parents=True, exist_ok=True)
    (course / "in" / name / "luong.py").write_text(f"# {points}")


@pytest.fixture
def out(course: Path, run: Run) -> Path:
    """The class, graded."""
    assert graded(course, run).status == 0
    return course / "out"


def graded(course: Path, run: Run, *more: object) -> CommandResult:
    roster = ("--roster", course / "roster.csv")
    return run("grade", course / "in", "-a", "luong", "-o", course / "out", "-j", 1, *roster, "--json", *more)


def rows(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def finals(out: Path) -> dict[str, str]:
    """The final scores of the table, which results and the report have too."""
    found = {student: row["final_score"] for student, row in rows(out).items()}
    for student, final in found.items():
        assert result(out, student)["final_score"] == (float(final) if final else None)
    return found


def result(out: Path, student: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "results" / f"{student}.json").read_text())
    return found


def files(out: Path) -> dict[str, bytes]:
    """All that a wrong call must leave as it is."""
    return {str(path): path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name != ".lock"}


def test_the_roster_says_who_and_the_intake_what(out: Path) -> None:
    row = rows(out)["chen"]
    assert (row["name"], row["email"], row["section"], row["sis_id"]) == ("Chen, Anna", "ac@x.edu", "CS 1", "S3")
    assert (row["file"], len(row["sha256"])) == ("luong.py", 64)
    assert (rows(out)["dan"]["status"], rows(out)["dan"]["sis_id"]) == ("missing", "S4")
    assert result(out, "chen")["name"] == "Chen, Anna"
    assert "Chen, Anna" in (out / "report" / "index.html").read_text()


@pytest.mark.parametrize(
    ("words", "final", "adjustment"),
    [
        (("ana", "+5"), "55.00", "5.00"),
        (("ana", "-5"), "45.00", "-5.00"),
        (("ana", "-2.5"), "47.50", "-2.50"),
        (("Lima, Ana", "=80"), "80.00", "30.00"),
        (("al@x.edu", "values", "=60"), "100.00", "50.00"),
        (("S1", "Attention", "+5"), "55.00", "5.00"),
        (("ana", "values", "--exempt"), "100.00", "50.00"),
        (("ana", "--excuse"), "", ""),
        (("ana", "--extend", "2d"), "50.00", "0.00"),
        (("ana", "--exempt"), "50.00", "0.00"),
    ],
)
def test_a_decision_is_in_table_result_and_report(
    out: Path, run: Run, words: tuple[str, ...], final: str, adjustment: str
) -> None:
    done = run("adjust", out, *words, "--reason", "said <so>", "--by", "Kim")
    assert (done.status, done.err) == (0, "")
    assert "Lima, Ana (ana)" in done.out
    assert finals(out)["ana"] == final
    row = rows(out)["ana"]
    assert (row["score"], row["adjustment"]) == ("50", adjustment)
    assert [(one["reason"], one["by"]) for one in result(out, "ana")["decisions"]] == [("said <so>", "Kim")]
    assert "said &lt;so&gt;" in (out / "report" / "students" / "ana.html").read_text()
    assert finals(out)["bo"] == "60.00"
    shown = run("show", out, "ana").out
    assert "Kim" in shown
    assert "said <so>" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ana",), "no single change"),
        (("ana", "5"), "5 says no single change; expected +POINTS"),
        (("ana", "+5", "--excuse"), "no single change"),
        (("ana", "values", "sums", "+5"), "no single change"),
        (("ana", "+500"), "luong is worth 100 points, not 500"),
        (("ana", "values", "=61"), "values is worth 60 points, not 61"),
        (("ana", "value", "+5"), "no check or part value; did you mean values?"),
        (("ana", "values", "--excuse"), "excuse is about the whole work"),
        (("ana", "--extend", "soon"), "'soon' is no time"),
        (("an", "+5"), "did you mean"),
        (("zzzzzzzz", "+5"), "there is no student zzzzzzzz"),
        (("dan", "values", "+5"), "dan has no check or part values"),
        (("ana", "+5", "--reson", "x"), "No such option '--reson'"),
        (("--accept", "value"), "no result has the check or the cause value; did you mean values?"),
        (("--accept", "values", "--undo"), "nothing was decided about everybody about values"),
        (("ana", "--undo"), "nothing was decided about ana"),
        (("ana", "--accept", "values"), "name one of"),
        (("--excuse",), "name one of"),
        (("--csv", "none.csv"), "none.csv"),
    ],
)
def test_a_wrong_call_changes_nothing(out: Path, run: Run, words: tuple[str, ...], said: str) -> None:
    before = files(out)
    done = run("adjust", out, *words, "--reason", "why")
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert files(out) == before


def test_a_decision_needs_a_reason_and_a_run(out: Path, run: Run, tmp_path: Path) -> None:
    assert "needs a reason" in run("adjust", out, "ana", "+5").err
    assert "holds no journal" in run("adjust", tmp_path / "other", "ana", "+5", *WHY).err
    assert not (tmp_path / "other").exists()


def test_who_is_exempt_from_everything_must_be_excused(out: Path, run: Run) -> None:
    assert run("adjust", out, "ana", "values", "--exempt", *WHY).status == 0
    assert "use --excuse" in run("adjust", out, "ana", "softmax", "--exempt", *WHY).err


def test_a_file_is_taken_whole_or_not_at_all(out: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "decisions.csv"
    path.write_text('student,target,change,reason\nana,,+5,a\n"Li, Bo",values,=60,b\nnobody,,+1,c\nchen,gone,+1,d\n')
    before = files(out)
    done = run("adjust", out, "--csv", path)
    assert done.status == 2
    assert "line 4: there is no student nobody" in done.err
    assert "line 5: chen has no check or part gone" in done.err
    assert files(out) == before
    path.write_text('student,target,change,reason\nana,,+5,a\n"Li, Bo",values,=60,b\nchen,,excuse,c\n')
    assert run("adjust", out, "--csv", path).status == 0
    assert finals(out) == {"ana": "55.00", "bo": "100.00", "chen": "", "dan": "0.00"}


def test_undo_takes_the_last_one_back_and_keeps_it_in_the_history(out: Path, run: Run) -> None:
    run("adjust", out, "ana", "+5", *WHY)
    run("adjust", out, "ana", "=9", "--reason", "a slip")
    assert run("adjust", out, "ana", "--undo").status == 0
    assert finals(out)["ana"] == "55.00"
    lines = run("show", out, "ana", "--history").out.splitlines()
    assert ["+5 points: why" in lines[0], "set to 9 points: a slip" in lines[1], "undid" in lines[2]] == [True] * 3
    assert "Kim" in lines[0]
    assert lines[3].startswith("now: 55.00 of 100 points")
    listed = run("adjust", out, "--list").out
    assert "set to 9 points (undone): a slip" in listed
    assert len(json.loads(run("adjust", out, "--list", "--json").out)) == 3


@pytest.mark.parametrize("target", ["values", "missing-tanh"])
def test_what_is_right_for_everybody_is_shown_before_it_is_written(out: Path, run: Run, target: str) -> None:
    before = files(out)
    done = run("adjust", out, "--accept", target, *WHY)
    assert (done.status, files(out) == before) == (0, True)
    assert "Nothing has been written; --apply writes it." in done.out
    assert "Lima, Ana (ana)" in done.out
    assert "Chen" not in done.out
    assert run("adjust", out, "--accept", target, "--apply", *WHY).status == 0
    assert finals(out) == {"ana": "100.00", "bo": "100.00", "chen": "100.00", "dan": "0.00"}
    assert result(out, "chen")["decisions"] == []
    assert run("adjust", out, "--accept", target, "--undo").status == 0
    assert finals(out)["ana"] == "50.00"


def test_decisions_survive_a_resume_and_changed_work_is_flagged(course: Path, out: Path, run: Run) -> None:
    run("adjust", out, "ana", "+5", *WHY)
    run("adjust", out, "bo", "--extend", "2d", *WHY)
    hand_in(course, "ana", 30)
    hand_in(course, "bo", 30)
    done = graded(course, run, "--resume")
    assert "1 handed in other work since somebody decided about it; look again: ana" in done.err
    assert (finals(out)["ana"], finals(out)["bo"]) == ("75.00", "70.00")
    assert (result(out, "ana")["needs_look"], result(out, "bo")["needs_look"]) == (True, False)
    assert "look again" in (out / "report" / "index.html").read_text()
    run("adjust", out, "ana", "+0", "--reason", "looked")
    assert (result(out, "ana")["needs_look"], finals(out)["ana"]) == (False, "75.00")


def test_decisions_survive_a_new_run_into_the_same_folder(course: Path, out: Path, run: Run) -> None:
    run("adjust", out, "ana", "+5", *WHY)
    run("adjust", out, "bo", "=7", *WHY)
    run("adjust", out, "bo", "--undo")
    done = graded(course, run)
    assert "1 decision(s) of the earlier run still count" in done.err
    assert (finals(out)["ana"], finals(out)["bo"]) == ("55.00", "60.00")
    assert len(json.loads(run("adjust", out, "--list", "--json").out)) == 3
    assert (out / "previous").exists()
    assert not list(out.glob(".journal*"))


@pytest.mark.parametrize("at", ["move", "replace"])
def test_decisions_survive_a_kill_between_two_runs(
    course: Path, out: Path, run: Run, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    run("adjust", out, "ana", "+5", *WHY)
    with monkeypatch.context() as patch:
        module = run_folder.shutil if at == "move" else run_folder.os
        patch.setattr(module, at, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert graded(course, run).status == 1
    assert graded(course, run, "--resume").status == 0
    assert finals(out)["ana"] == "55.00"


def test_who_leaves_and_comes_back_keeps_what_was_decided(course: Path, out: Path, run: Run) -> None:
    run("adjust", out, "ana", "+5", *WHY)
    (course / "in" / "ana" / "luong.py").rename(course / "kept")
    (course / "in" / "ana").rmdir()
    (course / "roster.csv").write_text(ROSTER.replace('"Lima, Ana",101,S1,ana,CS 1,al@x.edu\n', ""))
    graded(course, run, "--resume")
    assert "ana" not in rows(out)
    assert run("adjust", out, "ana", "+5", *WHY).status == 2
    hand_in(course, "ana", 10)
    graded(course, run, "--resume")
    assert finals(out)["ana"] == "55.00"


def test_deadlines_are_told_and_cost_what_the_rule_says(course: Path, out: Path, run: Run) -> None:
    (course / "due.csv").write_text("student,deadline,extension\n*,2026-02-01T12:00Z,\nbl@x.edu,,1d\nnobody,,1d\n")
    done = graded(course, run, "--resume", "--deadlines", course / "due.csv")
    assert "--deadlines names 1 who are no student here: nobody" in done.err
    for student in ("ana", "bo", "chen"):
        late(out, student, "2026-02-02T10:00:00Z")
    assert {student: (row["days_late"], row["late_penalty"]) for student, row in rows(out).items()} == {
        "ana": ("1", "0.00"),
        "bo": ("0", "0.00"),
        "chen": ("1", "0.00"),
        "dan": ("0", "0.00"),
    }
    rule(out, Rules(LateRule(percent_per_day=10)))
    assert finals(out) == {"ana": "45.00", "bo": "60.00", "chen": "90.00", "dan": "0.00"}
    assert rows(out)["ana"]["late_penalty"] == "5.00"
    assert rows(out)["ana"]["handed_in"] == "2026-02-02T10:00:00Z"
    assert "late penalty -5, 1 day late" in run("show", out, "ana").out
    run("adjust", out, "ana", "--extend", "1d", *WHY)
    run("adjust", out, "chen", "--exempt", *WHY)
    assert finals(out) == {"ana": "50.00", "bo": "60.00", "chen": "100.00", "dan": "0.00"}


def late(out: Path, student: str, at: str) -> None:
    """As if the intake had found when the work was handed in."""
    folder = RunFolder(out, "luong", resume=True)
    work = model.Submission(student, "ready", path="luong.py", sha256="aa", handed_in=model.HandedIn(at))
    run_folder.people.note_work(folder.journal, work)
    folder.rewrite_results()
    folder.finish(lambda *_: None)
    folder.close()


def rule(out: Path, rules: Rules) -> None:
    folder = RunFolder(out, "luong", resume=True)
    folder.set_rules(rules)
    folder.rewrite_results()
    folder.finish(lambda *_: None)
    folder.close()


def test_wrong_deadlines_stop_before_anything_is_written(course: Path, out: Path, run: Run) -> None:
    (course / "due.csv").write_text("student,extension\nana,soon\n")
    before = files(out)
    done = graded(course, run, "--deadlines", course / "due.csv")
    assert (done.status, files(out) == before) == (2, True)
    assert "due.csv, line 2: 'soon' is no time" in done.err


def test_a_run_that_has_not_finished_gets_no_table(course: Path, out: Path, run: Run) -> None:
    (out / "grades.csv").unlink()
    done = run("adjust", out, "ana", "+5", *WHY)
    assert "the run has not finished" in done.err
    assert not (out / "grades.csv").exists()
    assert result(out, "ana")["final_score"] == 55.0


@pytest.mark.parametrize("name", ["Chen, Anna", "Anna Chen", "ac@x.edu", "S3", "chen", "'chen"])
def test_show_finds_her_by_any_name(out: Path, run: Run, name: str) -> None:
    assert run("show", out, name).out.startswith("Chen, Anna (chen)  luong: 100.00 of 100 points")
    assert run("show", out, name, "--history").out.startswith("now: 100.00 of 100")


def test_exports_write_the_final_score(out: Path, run: Run, course: Path) -> None:
    run("adjust", out, "ana", "+5", "--reason", "a secret of hers")
    run("adjust", out, "bo", "--excuse", *WHY)
    run("adjust", out, "dan", "=40", *WHY)
    gradebook = course / "gradebook.csv"
    lines = ["Student,ID,SIS User ID,SIS Login ID,Section,Luong attention (7)", "    Points Possible,,,,,100.00"]
    names = ("ana", "bo", "chen", "dan")
    lines += [f"{name} x,{number},,{name},CS,{50 if name == 'bo' else ''}" for number, name in enumerate(names)]
    gradebook.write_text("\n".join(lines) + "\n")
    done = run("export", out, "--to", "canvas", "--roster", gradebook)
    assert "bo x: 50 becomes EX, as they are excused" in done.err
    with (out / "exports" / "canvas.csv").open(newline="") as file:
        assert [row[-1] for row in csv.reader(file)][2:] == ["55", "EX", "100", "40"]
    done = run("export", out, "--to", "nbgrader", "--missing-as-zero")
    assert "no score is written for 1 excused" in done.err
    with (out / "exports" / "nbgrader.csv").open(newline="") as file:
        assert [row["score"] for row in csv.DictReader(file)] == ["55.0", "", "100.0", "40.0"]
    assert run("export", out, "--to", "gradescope").status == 0
    gradescope = out / "exports" / "gradescope"
    assert not (gradescope / "bo").exists()
    text = (gradescope / "ana" / "results.json").read_text()
    assert json.loads(text)["score"] == 55.0
    assert "adjustment +5" in text
    assert "secret" not in text
    assert run("export", out, "--to", "otter").status == 0
    with (out / "exports" / "final_grades.csv").open(newline="") as file:
        totals = [row["total_points_earned"] for row in csv.DictReader(file)]
    assert totals == ["100.0", "55.0", "", "100.0", "40.0"]
    for form in ("csv", "junit", "ctrf"):
        assert run("export", out, "--to", form).status == 0
