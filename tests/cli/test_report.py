"""``attngrade report``, and the pages of ``diff`` and ``regrade``."""

from __future__ import annotations

import contextlib
import csv
import shutil
from pathlib import Path

import pytest

from autograder.report.web import write_report
from autograder.runs.run_folder import RunFolder
from tests.command_helpers import Run
from tests.integrations.made_grades import grade, outcome

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run of four: two share two rare answers, one is right, one handed nothing in."""
    wrong = [
        outcome(name, "failed", 1.0, 5.0, message=f"got {name}{HOSTILE}", part=name.upper()) for name in ("a", "b")
    ]
    with contextlib.closing(RunFolder(tmp_path / "out", "luong", resume=False)) as folder:
        folder.save(grade("ana", wrong), "1", "run")
        folder.save(grade("bo", wrong), "2", "run")
        folder.save(
            grade("=chen", [outcome(name, "passed", 5.0, 5.0, part=name.upper()) for name in ("a", "b")]), "3", "run"
        )
        folder.save(grade("dara", (), status="missing"), "4", "run")
        folder.finish(write_report)
    return tmp_path / "out"


def test_the_report_is_made_anew(out: Path, run: Run) -> None:
    before = (out / "report" / "index.html").read_bytes()
    results = {path: path.read_bytes() for path in (out / "results").iterdir()}
    shutil.rmtree(out / "report")
    done = run("report", out)
    assert (done.status, done.out) == (0, f"Report:  {out / 'report' / 'index.html'}\n")
    assert (out / "report" / "index.html").read_bytes() == before
    assert len(list((out / "report" / "students").iterdir())) == 4
    assert {path: path.read_bytes() for path in results} == results


def test_figures_for_a_spreadsheet(out: Path, run: Run, tmp_path: Path) -> None:
    done = run("report", out, "--csv", tmp_path / "figures.csv")
    assert done.status == 0
    with (tmp_path / "figures.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["part"], row["points"], row["max_points"]) for row in rows] == [
        *(("'=chen", part, "5", "5") for part in "AB"),
        *((student, part, "1", "5") for student in ("ana", "bo") for part in "AB"),
        ("dara", "", "", ""),
    ]
    assert {row["final_score"] for row in rows if row["student"] == "ana"} == {"2"}


def test_who_shares_rare_wrong_answers_is_listed_only_if_asked(out: Path, run: Run) -> None:
    page = out / "report" / "index.html"
    assert "rare wrong answers" not in page.read_text()
    done = run("report", out, "--alike")
    assert "  ana, bo: a, b\n" in done.out
    assert "That is no evidence" in done.out
    assert (
        '<a href="students/ana.html">ana</a> and <a href="students/bo.html">bo</a>: <code>a</code>' in page.read_text()
    )
    assert run("report", out).status == 0
    assert "rare wrong answers" not in page.read_text()


def test_a_folder_without_a_run_is_a_wrong_call(tmp_path: Path, run: Run) -> None:
    (tmp_path / "empty").mkdir()
    done = run("report", tmp_path / "empty")
    assert (done.status, list((tmp_path / "empty").iterdir())) == (2, [])
    assert "holds no journal of a run" in done.err


def test_two_students_as_a_page(out: Path, run: Run, tmp_path: Path) -> None:
    done = run("diff", out, "ana", "'=chen", "--html", tmp_path / "diff.html")
    assert (done.status, done.out) == (0, f"Page: {tmp_path / 'diff.html'}\n")
    text = (tmp_path / "diff.html").read_text()
    assert "<script>" not in text
    for words in ("=chen", "2.00 / 10", "10.00 / 10", "got a&lt;script&gt;", "The code is not compared"):
        assert words in text


def test_a_regrade_as_a_page(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ana.py").write_text("import torch\n")
    assert run("grade", tmp_path / "in", "-a", "bahdanau", "-o", tmp_path / "out", "-j", 1, "--no-timing").status == 0
    (tmp_path / "in" / "assignment.toml").write_text("total = 50\n")
    done = run("regrade", tmp_path / "out", "--html", tmp_path / "changes.html")
    assert done.status == 0
    text = (tmp_path / "changes.html").read_text()
    assert "what a regrade would change" in text
    assert "<strong>ana</strong>" in text
