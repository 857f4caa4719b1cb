"""The course as an instructor drives it, with the real nbgrader: from init to exported grades and to the formgrader."""

from __future__ import annotations

import contextlib
import csv
import html
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from autograder import assignments
from autograder.integrations.nbgrader.cells import student_text
from tests.integrations.nbgrader.class_helpers import (
    BIN,
    SECONDS,
    TOPIC,
    class_of,
    done,
    is_test,
    name_of,
    nbgrader,
    read,
)
from tests.paths import ROOT

pytestmark = [
    pytest.mark.skipif(not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'"),
    pytest.mark.thorough,  # real nbgrader, and Chromium
]

CHROMIUM = "/usr/bin/chromium"
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# All students hand in from one process, which is what `nbgrader submit` does in one each.
SUBMIT = """
import os, sys
from nbgrader.apps import SubmitApp
for student in sorted(os.listdir(".")):
    app = SubmitApp()
    os.chdir(student)
    app.initialize(["bahdanau", "--course", "course", "--student", student, "--log-level=ERROR",
                    "--Exchange.root=" + sys.argv[1], "--ExchangeSubmit.add_random_string=False"])
    app.start()
    os.chdir("..")
"""


class Class(NamedTuple):
    """A course that was graded by nbgrader, its twin that was graded in bulk, and what attngrade grade says."""

    course: Path
    twin: Path
    exchange: Path
    plain: dict[str, dict[str, str]]
    said: dict[str, str]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Everything once, in the order of a term."""
    base = tmp_path_factory.mktemp("nbgrader")
    course, exchange, students = base / "course", base / "exchange", base / "students"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    said = {"init": done("attngrade", "nbgrader", "init", course, "--topic", TOPIC, cwd=base)}
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(
            f"c.AttnGrade.timing = False\nc.AttnGrade.limits = {SECONDS}\nc.Exchange.root = {str(exchange)!r}\n"
        )

    first = [
        ["db", "upgrade"],
        ["generate_assignment", TOPIC],
        ["validate", f"source/{TOPIC}/{TOPIC}.ipynb"],
        ["release_assignment", TOPIC],
    ]
    said |= nbgrader(*first, cwd=course)
    for student, text in class_of(course).items():
        (students / student / TOPIC).mkdir(parents=True)
        (students / student / TOPIC / f"{TOPIC}.ipynb").write_text(text)
    (students / "mo" / TOPIC).mkdir(parents=True)
    (students / "mo" / TOPIC / "notes.txt").write_text("I was ill")
    done("python", "-c", SUBMIT, exchange, cwd=students)
    nbgrader(["collect", TOPIC], cwd=course)
    twin = base / "twin"
    shutil.copytree(course, twin)
    limits = [f"--limit={name}={value}" for name, value in SECONDS.items()]
    done("attngrade", "grade", course, "-a", TOPIC, "-o", base / "plain", "--no-timing", *limits, cwd=base)
    done("nbgrader", "autograde", TOPIC, cwd=course)
    wrong = ["validate", f"submitted/bo/{TOPIC}/{TOPIC}.ipynb"]
    after = nbgrader(["generate_feedback", TOPIC], ["release_feedback", TOPIC], ["export"], wrong, cwd=course)
    said["validate bo"] = after["validate"]
    said["bulk"] = done("attngrade", "nbgrader", "grade", twin, TOPIC, "--jobs", "2", cwd=base)
    nbgrader(["export"], cwd=twin)
    with (base / "plain" / "grades.csv").open() as table:
        plain = {row["student"]: row for row in csv.DictReader(table)}
    return Class(course, twin, exchange, plain, said)


def exported(course: Path) -> dict[str, float]:
    """The scores that nbgrader export wrote."""
    with (course / "grades.csv").open() as table:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(table)}


def outputs(course: Path, student: str) -> dict[str, str]:
    """What the test cells of an autograded notebook say."""
    notebook = read(course / "autograded" / student / TOPIC / f"{TOPIC}.ipynb")
    return {name_of(cell): "".join(cell["outputs"][0]["text"]) for cell in notebook["cells"] if is_test(cell)}


def test_the_scores_are_those_of_attngrade_grade(graded: Class) -> None:
    expected = {student: float(row["score"]) for student, row in graded.plain.items() if row["status"] != "missing"}
    assert len(expected) == 12
    assert exported(graded.course) == pytest.approx(expected, abs=1e-4)
    assert exported(graded.twin) == pytest.approx(expected, abs=1e-4)
    assert {expected[name] for name in ("ana", "finn", "hugo")} == {100.0}
    assert all(0 < expected[name] < 100 for name in ("bo", "dara", "gita", "kofi"))


def test_who_handed_in_nothing_that_counts_has_no_row_and_is_named(graded: Class) -> None:
    assert graded.plain["mo"]["status"] == "missing"
    assert "mo" not in exported(graded.course)
    assert "mo" not in exported(graded.twin)
    assert "mo: no score (not written)" in graded.said["bulk"]


def test_attacks_that_work_on_stock_tools_earn_nothing_and_leave_nothing(graded: Class) -> None:
    for course in (graded.course, graded.twin):
        scores = exported(course)
        assert {scores[name] for name in ("ines", "jun", "lena")} == {0.0}
        assert not (course / "stolen.txt").exists()
        assert not (course / "results.pkl").exists()
        assert max(scores.values()) == 100.0


def test_a_restored_notebook_has_the_tests_of_the_source_and_nothing_that_a_student_forged(graded: Class) -> None:
    source = read(graded.course / "source" / TOPIC / f"{TOPIC}.ipynb")
    tests = {name_of(cell): student_text(cell["source"]) for cell in source["cells"] if is_test(cell)}
    for student in ("finn", "lena", "eli"):
        notebook = read(graded.course / "autograded" / student / TOPIC / f"{TOPIC}.ipynb")
        assert {name_of(cell): cell["source"] for cell in notebook["cells"] if is_test(cell)} == tests
        assert sum(cell["metadata"]["nbgrader"]["points"] for cell in notebook["cells"] if is_test(cell)) == 100
        assert "forged forged" not in json.dumps(notebook)


def test_both_ways_write_the_same_notebooks(graded: Class) -> None:
    for student in exported(graded.course):
        one, other = (
            read(course / "autograded" / student / TOPIC / f"{TOPIC}.ipynb")["cells"]
            for course in (graded.course, graded.twin)
        )
        # outcomes after attacks that time out are reported with their seconds
        assert one == other or student == "kofi"


def test_a_deleted_solution_costs_only_what_lies_in_it(graded: Class) -> None:
    reported = outputs(graded.course, "gita")
    assert reported["test-softmax_vjp"].startswith("0 of 24 points")
    assert reported["test-stable_softmax"].startswith("26 of 26 points")
    assert reported["test-bahdanauattention"].startswith("50 of 50 points")


def test_feedback_says_what_attngrade_says_and_is_released(graded: Class) -> None:
    page = (graded.course / "feedback" / "bo" / TOPIC / f"{TOPIC}.html").read_text()
    assert "Cause: Another function is used in place of the tanh, or one where the formula has none." in page
    assert "[attention-values]" in page
    assert "[hidden-1]" in page
    hidden = [check for check in assignments.load(TOPIC, True).checks if check.visibility == "hidden"]
    shown_text = html.unescape(re.sub(r"<[^>]*>", "", page))
    assert [check.id for check in hidden if check.title in shown_text or check.id in shown_text] == []
    assert len(list((graded.exchange / "course" / "feedback").glob("*.html"))) == 12


def test_what_students_get_has_no_solution_and_no_hidden_test(graded: Class) -> None:
    released = read(graded.exchange / "course" / "outbound" / TOPIC / f"{TOPIC}.ipynb")
    text = json.dumps(released)
    assert "HIDDEN TESTS" not in text
    assert "vjp-one-hot" not in text
    skeleton = read(ROOT / "assignments" / TOPIC / f"{TOPIC}.ipynb")
    ours = ["".join(cell["source"]) for cell in skeleton["cells"]]
    known = ["".join(cell["source"]) for cell in released["cells"] if not is_test(cell) and name_of(cell) != "setup"]
    assert known == [cell for cell in ours if "%attngrade" not in cell]  # nbgrader's cells check the work
    assert any("Hint 1 for" in cell for cell in known)
    assert "figure.svg" in released["cells"][0]["attachments"]
    beside = ["AGENTS.md", "README.md", f"{TOPIC}.ipynb", "figure.svg"]
    assert sorted(os.listdir(graded.exchange / "course" / "outbound" / TOPIC)) == beside


def test_validate_passes_the_solution_and_tells_a_student_what_is_wrong(graded: Class) -> None:
    assert "Success! Your notebook passes all the tests." in graded.said["validate"]
    assert "VALIDATION FAILED ON 1 CELL(S)" in graded.said["validate bo"]
    assert "Cause: wrong-activation" in graded.said["validate bo"]


def test_a_dry_run_after_nbgrader_finds_nothing_to_change_and_writes_nothing(graded: Class, tmp_path: Path) -> None:
    course = tmp_path / "course"
    shutil.copytree(graded.course, course)
    for folder in (course / "submitted").iterdir():
        if folder.name not in ("ana", "bo", "gita", "mo"):
            shutil.rmtree(folder)
    before = tree(course)
    reported = done("attngrade", "nbgrader", "grade", course, TOPIC, "--dry-run", cwd=tmp_path)
    assert "3 graded, 0 scores would change, 1 without a score" in reported
    assert tree(course) == before


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its time and its bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.fixture(scope="module")
def formgrader(graded: Class) -> Iterator[str]:
    """The address of a Jupyter server in the course."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--port={port}", "--ServerApp.port_retries=0", "--no-browser", "--allow-root"]
    options += ["--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
    command = [str(BIN / "python"), "-m", "jupyter_server", *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    log = (graded.course.parent / "jupyter.log").open("w")
    server = subprocess.Popen(command, cwd=graded.course, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/api"):
                break
            assert server.poll() is None, (graded.course.parent / "jupyter.log").read_text()
            time.sleep(0.1)  # until it listens; it has no other way to tell
        yield address
    finally:
        server.terminate()
        server.wait(30)
        log.close()


@pytest.fixture(scope="module")
def page(formgrader: str) -> Iterator[Any]:
    """A page of a real browser."""
    if not os.path.exists(CHROMIUM):
        pytest.skip(f"there is no browser at {CHROMIUM}: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        page = browser.new_page()
        page.set_default_timeout(60_000)
        yield page
        browser.close()


def test_the_formgrader_shows_the_scores(graded: Class, formgrader: str, page: Any) -> None:
    shown = manage_submissions(formgrader, page)
    assert {student: shown[student] for student in exported(graded.course)} == {
        student: f"{round(score, 2):g} / 100" for student, score in exported(graded.course).items()
    }


def manage_submissions(formgrader: str, page: Any) -> dict[str, str]:
    """The table of students and scores."""
    page.goto(f"{formgrader}/formgrader/manage_submissions/{TOPIC}", wait_until="domcontentloaded")
    page.wait_for_function("document.querySelectorAll('td.student-id').length >= 12")
    students, scores = (page.locator(f"tbody td.{kind}").all_inner_texts() for kind in ("student-id", "score"))
    return dict(zip(students, scores, strict=True))


def test_the_formgraders_button_grades_in_confined_workers_too(graded: Class, formgrader: str, page: Any) -> None:
    before = manage_submissions(formgrader, page)
    page.locator("tr", has=page.locator("td.student-id", has_text="bo")).locator("td.autograde a").click()
    page.wait_for_selector("#success-modal, #error-modal")
    assert "Successfully autograded" in page.inner_text(".modal")
    assert manage_submissions(formgrader, page) == before


def test_the_formgrader_shows_notebooks_with_our_messages_and_runs_nothing_in_them(
    graded: Class, formgrader: str, page: Any
) -> None:
    for student, reported in (("bo", "Cause: wrong-activation"), ("lena", "window.pwned = 1")):
        page.goto(f"{formgrader}/formgrader/submissions/{submission(graded.course, student)}", wait_until="load")
        text = page.inner_text("body")
        assert reported in text
        assert page.evaluate("window.pwned") is None
        assert outputs(graded.course, student)["test-bahdanauattention"].splitlines()[0] in text


def submission(course: Path, student: str) -> str:
    """The id under which the formgrader shows a student's notebook."""
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as book:
        wanted = "SELECT id FROM submitted_notebook WHERE assignment_id = (SELECT id FROM submitted_assignment WHERE student_id = ?)"  # noqa: E501
        (found,) = book.execute(wanted, (student,)).fetchone()
    return str(found)
