"""The parts of the way into otter that need no otter: questions, Gradescope's form, failing closed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from autograder import assignments, intake, model
from autograder.cli import app
from autograder.cli.commands.otter import autograde as command
from autograder.feedback import shown
from autograder.grading import suite
from autograder.instructor.release.notebook import own_checks
from autograder.instructor.release.solution_script import ScriptCell, cells, read_script
from autograder.instructor.release.stubs import BEGIN, END
from autograder.integrations import gradescope_results, notebooks
from autograder.integrations.otter import bundle, plugin
from autograder.integrations.otter.master import can_run_early, master
from autograder.integrations.otter.questions import questions
from autograder.sandbox import availability
from autograder.sandbox.limits import Limits
from tests.paths import ROOT

from .class_helpers import code, trap

posix = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


def asked(assignment: str, timing: bool = True) -> tuple[Any, ...]:
    parts = cells(read_script(ROOT, assignment))
    checks = suite.checks(assignments.load(assignment), timing)
    return questions(checks, [part.source for part in parts if BEGIN in part.source], assignment)


# ---------------------------------------------------------------- questions and the master notebook


@pytest.mark.parametrize("timing", [True, False])
@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_every_check_is_in_one_question_and_the_points_add_up(assignment: str, timing: bool) -> None:
    found = [check for question in asked(assignment, timing) for check in question.checks]
    assert sorted(check.id for check in found) == sorted(
        check.id for check in suite.checks(assignments.load(assignment), timing)
    )
    assert sum(check.points for check in found) == pytest.approx(100)
    assert all(question.checks for question in asked(assignment, timing))


def test_a_check_belongs_to_the_last_that_it_needs() -> None:
    by_id = {check.id: question.name for question in asked("bahdanau") for check in question.checks}
    assert by_id["softmax-values"] == "q1"
    assert by_id["vjp-values"] == "q2"
    assert by_id["attention-example"] == "q3"  # calls all three
    assert by_id["softmax-constraint"] == "q1"
    assert [by_id[f"{name}-speed"] for name in ("softmax", "vjp", "attention")] == ["q1", "q2", "q3"]


def test_cells_that_no_check_uses_belong_to_the_next_question_or_to_the_last() -> None:
    """Helpers: a question needs tests."""
    checks = assignments.load("bahdanau").checks
    names = ["helper", "stable_softmax", "softmax_vjp", "other", "BahdanauAttention", "last"]
    found = questions(checks, [f"def {name}(): pass" for name in names], "bahdanau")
    assert [(one.name, one.cells) for one in found] == [("q1", 2), ("q2", 1), ("q3", 3)]
    assert all(one.checks for one in found)
    sources = [f"def {name}():\n    {BEGIN}: do it\n    pass\n    {END}" for name in names]
    parts = [cell for source in sources for cell in (ScriptCell("markdown", "text"), ScriptCell("code", source))]
    kept = ["".join(cell["source"]) for cell in json.loads(master("bahdanau", ROOT, parts, found, ""))["cells"]]
    assert [source.split("(")[0] for source in kept if source.startswith("def ")] == [f"def {name}" for name in names]
    assert kept.count("# BEGIN QUESTION\nname: q3") == kept.count("# BEGIN QUESTION\nname: q1") == 1
    assert kept.count("# BEGIN SOLUTION") == 3
    assert [source.split("\n")[0] for source in kept].count("text") == len(names)


def test_a_check_about_nothing_that_is_written_is_an_error() -> None:
    with pytest.raises(ValueError, match="calls nothing that a cell defines"):
        questions(assignments.load("bahdanau").checks, ["def other(): pass"], "bahdanau")


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_the_master_offers_students_public_checks_only(assignment: str) -> None:
    book = json.loads(
        master(assignment, ROOT, own_checks(read_script(ROOT, assignment)), asked(assignment), "pip install here")
    )
    sources = ["".join(cell["source"]) for cell in book["cells"]]
    tests = [source for source in sources if source.startswith('""" # BEGIN TEST CONFIG')]
    shown = {check.id for check in assignments.load(assignment).checks if can_run_early(check)}
    assert len(tests) == len(assignments.load(assignment).checks)
    assert {source.rsplit("'", 2)[1] for source in tests if "hidden: false" in source} == shown
    assert not any(name.endswith("-speed") for name in shown)
    assert sources.count("# BEGIN TESTS") == len(asked(assignment))
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])


# ---------------------------------------------------------------- Gradescope's form

QUESTIONS = {"a": "q1", "b": "q2", "c": "q2", "d": "q1"}


class SpecTest(msgspec.Struct, forbid_unknown_fields=True):
    """The published fields of a test case, and nothing else."""

    score: float | None = None
    max_score: float | None = None
    status: Literal["passed", "failed"] | None = None
    name: str = ""
    name_format: Literal["text", "html", "simple_format", "md", "ansi"] = "text"
    number: str = ""
    output: str = ""
    output_format: Literal["text", "html", "simple_format", "md", "ansi"] = "text"
    tags: list[str] = []
    visibility: Literal["hidden", "after_due_date", "after_published", "visible"] = "visible"
    extra_data: dict[str, Any] = {}


class SpecResults(msgspec.Struct, forbid_unknown_fields=True):
    """The published fields of results.json; a test without a score needs one at the top."""

    score: float
    execution_time: float
    output: str
    tests: list[SpecTest]
    output_format: Literal["text", "html", "simple_format", "md", "ansi"] = "simple_format"
    test_output_format: Literal["text", "html", "simple_format", "md", "ansi"] = "text"
    test_name_format: Literal["text", "html", "simple_format", "md", "ansi"] = "text"
    visibility: Literal["hidden", "after_due_date", "after_published", "visible"] = "visible"
    stdout_visibility: Literal["hidden", "after_due_date", "after_published", "visible"] = "hidden"
    extra_data: dict[str, Any] = {}


def outcome(name: str, points: float, most: float, **fields: Any) -> model.Outcome:
    status = fields.pop("status", "passed" if points else "failed")
    visibility = fields.pop("visibility", "public")
    return model.Outcome(name, name.upper(), "value", visibility, status, points, most, **fields)


def grade(*checks: model.Outcome, **fields: Any) -> model.Grade:
    counted = [check for check in checks if check.status != "skipped"]
    made = model.Grade(
        "ana",
        "bahdanau",
        sum(c.points for c in counted),
        sum(c.max_points for c in counted),
        "graded",
        checks,
        {"torch": "2"},
        1.5,
    )
    return msgspec.structs.replace(made, **fields)


def reported(made: model.Grade, hidden: gradescope_results.Visibility = "after_published") -> SpecResults:
    """Through the bytes of the file."""
    return msgspec.json.decode(
        msgspec.json.encode(gradescope_results.results(made, QUESTIONS, hidden)), type=SpecResults
    )


def test_results_have_the_published_form() -> None:
    made = grade(
        outcome("a", 40, 40),
        outcome("b", 0, 30, message="Wrong.", diagnosis="missing-tanh", hint="Look."),
        outcome("c", 10, 10, visibility="hidden"),
        outcome("d", 0, 20, status="error"),
        message="took 'x.py'",
    )
    found = reported(made)
    assert (found.score, found.execution_time, found.output, found.stdout_visibility) == (
        50,
        1.5,
        "took 'x.py'",
        "hidden",
    )
    assert [(t.number, t.name, t.score, t.max_score, t.status) for t in found.tests] == [
        ("1.1", "A", 40, 40, "passed"),
        ("1.2", "D", 0, 20, "failed"),
        ("2.1", "B", 0, 30, "failed"),
        ("2.2", shown.checks(made)["c"].title, 10, 10, "passed"),
    ]
    assert [t.visibility for t in found.tests] == ["visible", "visible", "visible", "after_published"]
    assert (found.tests[2].output, found.tests[2].tags) == ("Wrong.\nLook.", ["missing-tanh"])
    assert found.extra_data["diagnoses"] == ["missing-tanh"]


@pytest.mark.parametrize("hidden", ["hidden", "visible"])
def test_hidden_checks_are_shown_when_the_instructor_says(hidden: gradescope_results.Visibility) -> None:
    assert reported(grade(outcome("a", 1, 1, visibility="hidden")), hidden).tests[0].visibility == hidden


def test_no_text_of_a_student_is_anything_but_text() -> None:
    found = reported(grade(outcome("a", 0, 1, message="<script>1</script> **b**"), message="<img src=x>"))
    assert found.output_format == found.test_output_format == found.test_name_format == "text"
    assert {(t.output_format, t.name_format) for t in found.tests} == {("text", "text")}


def test_undecided_points_are_spread_as_the_total_is_fixed() -> None:
    found = reported(grade(outcome("a", 57, 57), outcome("b", 0, 38), outcome("c", 0, 5, status="skipped")))
    assert found.score == 60
    assert sum(t.max_score or 0 for t in found.tests) == pytest.approx(100)
    (skipped,) = (t for t in found.tests if t.name == "C")
    assert (skipped.score, skipped.max_score, skipped.status) == (None, None, None)


def test_what_could_not_be_read_has_a_note_and_no_tests() -> None:
    gone = grade(outcome("a", 0, 60, status="skipped"), outcome("b", 0, 40, status="skipped"))
    found = reported(
        msgspec.structs.replace(gone, status="missing", score=0.0, max_score=100.0, message="found hw1.py")
    )
    assert (found.score, found.tests, found.output) == (0, [], "missing.\nfound hw1.py")


def test_what_is_not_passed_is_never_shown_as_passed_whatever_points_it_has() -> None:
    """Gradescope itself would pass a test that has all its points."""
    made = grade(outcome("a", 40, 40, status="blocked"), outcome("b", 5, 10, status="failed", consequence_of="a"))
    found = reported(made)
    assert found.score == 45
    assert [(t.score, t.max_score, t.status) for t in found.tests] == [(40, 40, "failed"), (5, 10, "failed")]


def test_a_hidden_check_that_was_charged_is_named_by_its_number() -> None:
    made = grade(outcome("a", 0, 1, visibility="hidden"), outcome("b", 1, 1, status="failed", consequence_of="a"))
    seen = shown.checks(made)
    assert seen["b"].consequence_of == seen["a"].id != "a"
    assert shown.checks(made, model.StudentView(hidden_titles=True))["b"].consequence_of == "a"


def test_our_own_fault_is_no_score() -> None:
    with pytest.raises(gradescope_results.NoScore, match="ours"):
        gradescope_results.results(
            grade(score=None, status="infrastructure-error", message="ours"), QUESTIONS, "hidden"
        )


# ---------------------------------------------------------------- failing closed


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What looks like /autograder, with the results of an earlier run."""
    order = bundle.BundleSettings("bahdanau", {"softmax-values": "q1"}, timing=False)
    for folder in ("submission", "results", "bundle"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bundle" / "seed").write_text("secret\n")
    (tmp_path / "submission" / "bahdanau.py").write_text("import torch\n")
    (tmp_path / "results" / "results.json").write_text('{"score": 0}')
    (tmp_path / "bundle" / bundle.PLAN).write_bytes(msgspec.json.encode(order))
    monkeypatch.setattr(command, "ROOT", tmp_path / "bundle")
    return tmp_path


@posix
def test_without_the_floor_there_is_no_score(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(availability, "missing", lambda _: {"landlock": "the kernel has none"})
    assert app.run(["otter", "autograde", str(place)]) == 1
    assert "no landlock (the kernel has none)" in capsys.readouterr().err
    assert list((place / "results").iterdir()) == []


@posix
def test_our_own_fault_leaves_no_results(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def __init__(self, plan: object) -> None:
            pass

        def grade(self, work: model.Submission) -> model.Grade:
            return command.pool.infrastructure_error(work, "bahdanau", OSError("disk"))

        def close(self) -> None:
            pass

    monkeypatch.setattr(command.pool, "Grader", Broken)
    assert app.run(["otter", "autograde", str(place)]) == 1
    assert "not the student's" in capsys.readouterr().err
    assert list((place / "results").iterdir()) == []


@posix
def test_a_zip_without_its_seed_gives_no_score(place: Path) -> None:
    (place / "bundle" / "seed").unlink()
    assert app.run(["otter", "autograde", str(place)]) == 1
    assert list((place / "results").iterdir()) == []


def test_what_runs_in_a_zip_runs_nowhere_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["otter", "autograde", str(tmp_path)]) == 2
    assert "attngrade otter build" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("allowed", "left"), [("805306368\n", 256 << 20), ("max\n", 4 << 30), (str(2 << 30), (2048 - 640) << 20)]
)
def test_a_submission_gets_what_the_container_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str, left: int
) -> None:
    (tmp_path / "memory.max").write_text(allowed)
    monkeypatch.setattr(command.machine, "CGROUP_LIMITS", (str(tmp_path / "none"), str(tmp_path / "memory.max")))
    assert command._fitting(Limits()).memory_bytes == left


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert app.run(["otter", "build", "bahdanau", "--out", str(tmp_path)]) == 2
    assert "thesis.txt" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@posix
@pytest.mark.parametrize(("pickled", "said"), [(False, "-m autograder otter autograde"), (True, "run_otter.py")])
def test_which_program_grades(tmp_path: Path, pickled: bool, said: str) -> None:
    (tmp_path / "source" / "files" / "attngrade").mkdir(parents=True)
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "results.json").write_text("of an earlier run")
    python = tmp_path / "env" / "bin" / "python"
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    if pickled:  # laid there by otter grade
        (tmp_path / "results" / "results.pkl").touch()
    script = ROOT / "autograder" / "integrations" / "otter" / "templates" / "run_autograder"
    done = subprocess.run(
        [script],
        env={"AUTOGRADER_ROOT": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said in done.stdout
    assert not (tmp_path / "results" / "results.json").exists()


# ---------------------------------------------------------------- a notebook's cells so far


def test_a_cell_that_runs_again_counts_where_it_ran_last_and_calls_of_otter_do_not() -> None:
    history = (
        "",
        "a = 1",
        'grader.check("q1")',
        "b = 2",
        "a = 1",
        '# once more\ngrader.check("q2")\n',
        "grader.check_all()",
    )
    assert notebooks.code_cells(history) == ("b = 2", "a = 1")


def test_a_test_cell_tells_what_check_would_tell() -> None:
    history = ("import torch", "def stable_softmax(scores, dim=-1):\n    return scores", "%matplotlib inline")
    with pytest.raises(AssertionError, match=r"(?s)stable_softmax.*\[missing-softmax\]"):
        notebooks.checked("bahdanau", "softmax-values", history)
    right = (
        *history,
        "def stable_softmax(scores, dim=-1):\n    e = torch.exp(scores - scores.amax(dim, keepdim=True))"
        "\n    return e / e.sum(dim, keepdim=True)",
    )
    notebooks.checked("bahdanau", "softmax-values", (*right, 'grader.check("q1")'))
    notebooks.checked("bahdanau", "softmax-speed", right)  # only grading runs it
    with pytest.raises(ValueError, match="update attngrade"):
        notebooks.checked("bahdanau", "softmax-dims", right)  # a hidden one


def test_our_own_fault_is_not_told_as_the_students() -> None:
    with pytest.raises(RuntimeError, match="ours"):
        notebooks.complaint(grade(score=None, status="infrastructure-error", message="ours"), "a")


def test_a_check_that_only_waits_has_not_passed() -> None:
    waits = outcome("a", 3, 3, status="blocked", message="Not counted until then.")
    assert notebooks.complaint(grade(waits), "a") == "Not counted until then."


# ---------------------------------------------------------------- otter's plugin, and what otter packs


def test_otter_counts_the_points_that_the_checks_have() -> None:
    pytest.importorskip("otter")
    checks = [outcome("a", 2, 2), outcome("b", 3, 4, status="failed", message="Wrong."), outcome("c", 0, 1)]
    file = plugin._test_file("q1", [*checks, outcome("d", 1, 1, status="blocked")])
    assert (file.score, file.possible) == (6, 8)
    assert [result.passed for result in file.test_case_results] == [True, False, False, False]
    assert "Wrong." in file.summary()


def test_where_our_part_fails_otter_gets_no_score(tmp_path: Path) -> None:
    root = tmp_path / "autograder"
    for folder in ("submission/tests", "source/files/attngrade"):
        (root / folder).mkdir(parents=True)
    work = root / "submission" / "bahdanau.ipynb"
    work.write_text("{}")
    order = bundle.BundleSettings("bahdanau", {"softmax-values": "q1"})  # but neither a seed nor a program
    (root / "source" / "files" / "attngrade" / bundle.PLAN).write_bytes(msgspec.json.encode(order))
    failing = plugin.Plugin(str(work), {}, {})
    with pytest.raises(RuntimeError, match="no score is given"):
        failing.before_grading(None)

    class Empty:
        catastrophic_error = None

        def has_catastrophic_failure(self) -> bool:
            return False

    with pytest.raises(RuntimeError, match="no score is given"):
        failing.after_grading(Empty())


def test_the_zip_that_a_student_exports_is_read_as_handed_in(tmp_path: Path) -> None:
    student = {"cells": [code("import torch")], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "ana.zip").write_bytes(trap(student, tmp_path / "canary"))
    work = intake.read(model.Entry("ana", (tmp_path / "ana.zip",)), "bahdanau")
    assert (work.status, work.filename) == ("ready", "bahdanau.ipynb")
    assert work.cells[0] == b"import torch"
