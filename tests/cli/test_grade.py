"""``attngrade grade``: what it writes, whatever the submissions do."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import msgspec
import pytest

from autograder import assignments, model
from autograder.assignments.kit.programs import InputGenerator
from autograder.runs import journal, pool, results
from autograder.sandbox.availability import SandboxError
from tests.command_helpers import Run

from .conftest import SOLUTION, Graded

HEADER = "student,assignment,score,max_score,status,failed_checks,diagnoses,seconds"
MORE = "adjustment,late_penalty,final_score,name,email,section,sis_id,file,sha256,handed_in,days_late"


def rows(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_statuses_and_scores(graded: Graded) -> None:
    table = rows(graded.out)
    statuses = {student: (row["status"], row["score"]) for student, row in table.items()}
    wrong = statuses.pop("bo")
    left = statuses.pop("ines")
    assert statuses == {
        "ana": ("graded", "100"),
        "chen": ("graded", "0"),
        "dara": ("import-error", "0"),
        "eli": ("missing", "0"),
        "'=cmd|' calc'!A1": ("import-error", "0"),
        "finn and gita": ("graded", "100"),
        "hugo": ("unreadable", "0"),
    }
    assert wrong[0] == "graded"
    assert 0 < float(wrong[1]) < 100
    assert left[0] == "graded"
    assert 50 < float(left[1]) < 100
    assert graded.status == 0


def test_header_and_line_ends(graded: Graded) -> None:
    data = (graded.out / "grades.csv").read_bytes()
    assert data.startswith(f"{HEADER},{MORE}\r\n".encode())
    assert data.count(b"\r\n") == 10


def test_failed_checks_and_diagnoses_are_lists(graded: Graded) -> None:
    chen = rows(graded.out)["chen"]
    assert "attention-values" in chen["failed_checks"].split(";")
    assert chen["diagnoses"] == "not-implemented"
    assert rows(graded.out)["ana"]["failed_checks"] == ""


def test_result_files(graded: Graded) -> None:
    found = {}
    for path in (graded.out / "results").iterdir():
        result = json.loads(path.read_text())
        found[result["student"]] = path.name
        assert set(result) >= {
            "schema_version",
            "student",
            "assignment",
            "score",
            "max_score",
            "status",
            "checks",
            "environment",
        }
        assert result["schema_version"] == 1
        assert sum(check["max_points"] for check in result["checks"]) == 100
        for check in result["checks"]:
            assert set(check) == {
                "id",
                "title",
                "part",
                "kind",
                "visibility",
                "status",
                "points",
                "max_points",
                "message",
                "diagnosis",
                "hint",
                "consequence_of",
            }
            assert len(check["message"]) <= 2000
            given = check["status"] == "passed" or check["consequence_of"] or check["status"] == "blocked"
            assert 0 <= check["points"] <= (check["max_points"] if given else 0)
    assert found["ana"] == "ana.json"
    assert found.keys() == {row.removeprefix("'") for row in rows(graded.out)}
    assert all(name.replace("~", "").replace(".json", "").replace("-", "").isalnum() for name in found.values())


def test_a_check_left_by_the_program_costs_only_its_points(graded: Graded) -> None:
    result = results.read_result(graded.out / "results" / "ines.json")
    lost = {check.id for check in result.checks if check.status == "error"}
    calling = {
        check.id
        for check in assignments.load("bahdanau", hidden=True).checks
        for case in check.cases
        if any(getattr(step, "name", "") == "softmax_vjp" for step in case.build(InputGenerator("", "", "")).steps)
    }
    assert lost == calling | {"vjp-speed"}


def test_messages_tell_nothing_of_us(graded: Graded) -> None:
    text = "".join(path.read_text() for path in (graded.out / "results").iterdir())
    for ours in ("Traceback", "site-packages", "autograder/", "reference/", str(Path.home()), str(graded.out)):
        assert ours not in text


def test_the_report_escapes_what_students_write(graded: Graded) -> None:
    page = (graded.out / "report" / "index.html").read_text()
    assert page.count("<script>") == 1  # our own
    assert "finn and gita" in page
    assert ">100.00<" in page
    student = (graded.out / "report" / "students" / f"{results.file_name('finn and gita')}.html").read_text()
    assert "<script>" not in student
    assert "&lt;script&gt;" in student.replace("</span>", "").replace('<span class="s2">', "")  # the code


def test_one_job_and_two_give_the_same_table(graded: Graded, submissions: Path, tmp_path: Path, run: Run) -> None:
    done = run("grade", submissions, "-a", "bahdanau", "-o", tmp_path / "out", "-j", 1, "--json")
    assert done.status == 0
    summary = json.loads(done.out)
    assert summary["students"] == 9
    assert summary["statuses"]["import-error"] == 2

    def without_seconds(out: Path) -> list[dict[str, str]]:
        return [{**row, "seconds": ""} for row in rows(out).values()]

    assert without_seconds(tmp_path / "out") == without_seconds(graded.out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "-a", "bahdanau", "-o", "out"], "does not exist"),
        ([".", "-a", "bahdana", "-o", "out"], "bahdanau"),
        ([".", "-a", "bahdanau"], "--out"),
        ([".", "-o", "out"], "--assignment"),
        ([".", "-a", "bahdanau", "-o", "out", "--jobs", "0"], "jobs"),
        ([".", "-a", "bahdanau", "-o", "out", "--layout", "blackboard"], "layout"),
        (["in", "-a", "bahdanau", "-o", "out", "--device", "cuda"], "there is no CUDA device on this machine"),
        ([".", "-a", "bahdanau", "-o", "out", "--nonsense"], "nonsense"),
        ([".", "-a", "bahdanau", "-o", "out", "--seed-file", "nosuch"], "nosuch does not exist"),
        (["empty", "-a", "bahdanau", "-o", "out"], "empty"),
    ],
)
def test_wrong_calls_get_one_line_and_exit_2(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    for name in ("empty", "in/ana"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    done = run("grade", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err
    assert not (tmp_path / "out").exists()


class TestGoingOn:
    """Results on disk are neither lost nor graded twice."""

    @pytest.fixture
    def fake(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Replace the grading. The list holds the students that are graded."""
        asked: list[str] = []

        def grade_all(plan: pool.RunPlan, submissions, jobs: int):  # type: ignore[no-untyped-def]
            for submission in submissions:
                asked.append(submission.student)
                if submission.cells == (b"broken grader",):
                    yield submission, pool.infrastructure_error(submission, plan.assignment, SandboxError("no"))
                else:
                    yield (submission, model.Grade(submission.student, plan.assignment, 50.0, 100.0, "graded", (), {}))

        monkeypatch.setattr(pool, "grade_all", grade_all)
        return asked

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "in"
        folder.mkdir()
        for name in ("ana", "bo", "chen"):
            (folder / f"{name}.py").write_text(f"# {name}")
        return folder

    def grade(self, run: Run, folder: Path, *more: str) -> int:
        return run("grade", folder, "-a", "bahdanau", "-o", folder.parent / "out", "-j", 1, *more).status

    def test_resume_grades_only_what_is_new_or_changed(self, fake: list[str], folder: Path, run: Run) -> None:
        assert self.grade(run, folder) == 0
        (folder / "bo.py").write_text("# better")
        (folder / "dara.py").write_text("# late")
        (folder / "chen.py").unlink()
        fake.clear()
        assert self.grade(run, folder, "--resume") == 0
        assert fake == ["bo", "dara"]
        assert rows(folder.parent / "out").keys() == {"ana", "bo", "dara"}
        assert not (folder.parent / "out" / "results" / "chen.json").exists()
        (place,) = (folder.parent / "out" / "previous").iterdir()
        assert [path.name for path in place.iterdir()] == ["chen.json"]  # set aside, not lost

    def test_another_seed_or_limit_is_another_exam(
        self, fake: list[str], folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.grade(run, folder)
        fake.clear()
        self.grade(run, folder, "--resume", "--case-seconds", "3")
        assert len(fake) == 3
        monkeypatch.setenv("ATTNGRADE_SEED", "another")
        self.grade(run, folder, "--resume", "--case-seconds", "3")
        assert len(fake) == 6

    def test_our_fault_is_no_score_and_exit_1_and_tried_again(self, fake: list[str], folder: Path, run: Run) -> None:
        (folder / "bo.py").write_text("broken grader")
        assert self.grade(run, folder) == 1
        row = rows(folder.parent / "out")["bo"]
        assert (row["status"], row["score"]) == ("infrastructure-error", "")
        fake.clear()
        assert self.grade(run, folder, "--resume") == 1
        assert fake == ["bo"]

    def test_a_new_run_sets_the_old_one_aside(self, fake: list[str], folder: Path, run: Run) -> None:
        out = folder.parent / "out"
        self.grade(run, folder)
        before = (out / "grades.csv").read_text()
        (folder / "ana.py").unlink()
        assert self.grade(run, folder) == 0
        assert rows(out).keys() == {"bo", "chen"}
        (kept,) = (out / "previous").iterdir()
        assert (kept / "grades.csv").read_text() == before
        assert (kept / "results" / "ana.json").exists()

    def test_another_assignments_folder_is_refused_and_left_alone(
        self, fake: list[str], folder: Path, run: Run
    ) -> None:
        out = folder.parent / "out"
        self.grade(run, folder)
        done = run("grade", folder, "-a", "luong", "-o", out)
        assert done.status == 2
        assert "bahdanau" in done.err
        assert (out / "grades.csv").exists()

    def test_the_output_folder_is_nobodys_submission(self, fake: list[str], folder: Path, run: Run) -> None:
        for _ in range(2):
            assert run("grade", folder, "-a", "bahdanau", "-o", folder / "out", "-j", 1).status == 0
        assert rows(folder / "out").keys() == {"ana", "bo", "chen"}
        assert run("grade", folder, "-a", "bahdanau", "-o", folder / "other", "-j", 1).status == 0
        assert rows(folder / "other").keys() == {"ana", "bo", "chen"}

    def test_the_submissions_are_no_output_folder(self, fake: list[str], folder: Path, run: Run) -> None:
        done = run("grade", folder, "-a", "bahdanau", "-o", folder / ".." / folder.name)
        assert done.status == 2
        assert "another folder" in done.err
        assert sorted(path.name for path in folder.iterdir()) == ["ana.py", "bo.py", "chen.py"]

    def test_a_damaged_journal_is_set_aside_by_a_new_run(self, fake: list[str], folder: Path, run: Run) -> None:
        self.grade(run, folder)
        (folder.parent / "out" / "journal.sqlite").write_bytes(b"not a database" * 100)
        assert self.grade(run, folder) == 0
        assert len(rows(folder.parent / "out")) == 3

    def test_a_run_that_dies_keeps_what_it_had(
        self, fake: list[str], folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        record = journal.Journal.record
        calls: list[str] = []

        def die_at_the_third(self: journal.Journal, grade: model.Grade, *rest: str) -> None:
            calls.append(grade.student)
            if len(calls) == 3:
                raise KeyboardInterrupt
            record(self, grade, *rest)

        monkeypatch.setattr(journal.Journal, "record", die_at_the_third)
        assert self.grade(run, folder) == 1
        monkeypatch.setattr(journal.Journal, "record", record)
        fake.clear()
        assert self.grade(run, folder, "--resume") == 0
        assert fake == ["chen"]
        assert len(rows(folder.parent / "out")) == 3

    def test_a_damaged_journal_is_told(self, fake: list[str], folder: Path, run: Run) -> None:
        out = folder.parent / "out"
        self.grade(run, folder)
        (out / "journal.sqlite").write_bytes(b"not a database" * 100)
        done = run("grade", folder, "-a", "bahdanau", "-o", out, "--resume")
        assert done.status == 2
        assert "journal" in done.err


def test_pool_processes_that_die_are_replaced_and_nobody_is_lost(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "died"
    grade = pool.Grader.grade

    def die_once(self: pool.Grader, submission: model.Submission) -> model.Grade:
        if submission.student == "b" and not marker.exists():
            marker.touch()
            os._exit(1)
        return grade(self, submission)

    monkeypatch.setattr(pool.Grader, "grade", die_once)
    works = [model.Submission(name, "ready", "script", "bahdanau.py", (b"x = 1",)) for name in "abcde"]
    plan = pool.RunPlan("bahdanau", "seed", msgspec.convert({}, pool.Limits))
    graded = [grade.student for _, grade in pool.grade_all(plan, works, jobs=2)]
    assert sorted(graded) == list("abcde")
    assert marker.exists()


def test_solution_text_is_what_the_fixtures_think() -> None:
    assert "torch.tanh(" in SOLUTION
    assert "def softmax_vjp(" in SOLUTION
