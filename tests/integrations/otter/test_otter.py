"""otter-grader and Gradescope from end to end, with the real programs, and the attacks that work on stock otter.

One class of thirteen, as Gradescope exports it: what ``attngrade grade`` says of it is what the zip must say.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from autograder import assignments
from autograder.cli import app
from autograder.instructor.release.leaks import check_secrets, says, spaced
from tests.integrations.program_helpers import program
from tests.made_once import Once
from tests.paths import ROOT

from .class_helpers import NAME, code, trap, write_export
from .gradescope_helpers import Ran, laid_out, run_autograder

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="Gradescope is Linux"),
    pytest.mark.thorough,  # real otter
]
SEED = "a seed that nobody must see"


def make(folder: Path) -> None:
    """As an instructor does it, with the real otter assign."""
    (folder / "seed").write_text(SEED)
    words = ("otter", "build", "bahdanau", "--out", folder / "out", "--no-timing", "--seed-file", folder / "seed")
    done = program("autograder", *words)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def built(once: Once) -> Path:
    """What ``attngrade otter build`` made."""
    return once("otter-built", make) / "out"


@pytest.fixture(scope="session")
def student(built: Path) -> dict[str, Any]:
    """The notebook that students get."""
    return json.loads((built / "dist" / "student" / NAME).read_text())


@pytest.fixture(scope="module")
def place(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What looks like /autograder once setup.sh is through."""
    root = laid_out(built, tmp_path_factory.mktemp("gradescope") / "autograder")
    (root / "env").symlink_to(sys.prefix)
    return root


class Class(NamedTuple):
    """The export, whose each submission is, and what ``attngrade grade`` says of them."""

    export: Path
    students: dict[str, list[str]]
    rows: dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def graded(built: Path, student: dict[str, Any], place: Path, tmp_path_factory: pytest.TempPathFactory) -> Class:
    """A regrade of the export."""
    folder = tmp_path_factory.mktemp("export")
    students = write_export(folder / "export", student, place)
    words = ["grade", str(folder / "export"), "-a", "bahdanau", "-o", str(folder / "out"), "-j", "1", "--no-timing"]
    words += ["--layout", "gradescope", "--seed-file", str(built.parent / "seed"), "--json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "source" / "files" / "attngrade" / "cache"))  # computed already
        assert app.run(words) == 0
    with (folder / "out" / "grades.csv").open(newline="") as file:
        return Class(folder / "export", students, {row["student"]: row for row in csv.DictReader(file)})


@pytest.fixture(scope="module")
def said(place: Path, graded: Class) -> dict[str, Ran]:
    """What run_autograder left of each submission."""
    return {folder: run_autograder(place, graded.export / folder) for folder in graded.students}


# ---------------------------------------------------------------- what build makes


def test_students_get_the_assignment_with_check_cells_and_nothing_secret(student: dict[str, Any], built: Path) -> None:
    given = json.loads((ROOT / "assignments" / "bahdanau" / NAME).read_text())
    sources = ["".join(cell["source"]) for cell in student["cells"]]
    own = [source for source in sources if "grader" not in source]
    assert [s.strip() for s in own if s.strip() and "Submission" not in s and "double-check" not in s] == [
        source for cell in given["cells"] if "%attngrade" not in (source := "".join(cell["source"]).strip())
    ]
    assert any("Hint 1 for" in source for source in own)
    assert any("figure.svg" in cell.get("attachments", {}) for cell in student["cells"])
    assert [source for source in sources if source.startswith("grader.check(")] == [
        f'grader.check("q{n}")' for n in (1, 2, 3)
    ]
    text = (built / "dist" / "student" / NAME).read_text()
    secrets = check_secrets("bahdanau", assignments.load("bahdanau").checks)
    assert not [label for name, label in secrets if says(spaced(text), name)]
    assert SEED not in text
    assert sorted(os.listdir(built / "dist" / "student")) == ["AGENTS.md", "README.md", NAME, "figure.svg"]


def test_the_zip_is_for_its_owner_only_and_holds_what_it_needs(built: Path) -> None:
    assert stat.S_IMODE((built / "autograder.zip").stat().st_mode) == 0o600
    assert not (built / "attngrade").exists()
    with zipfile.ZipFile(built / "autograder.zip") as archive:
        members = {member.filename: member for member in archive.infolist()}
        assert SEED in archive.read("files/attngrade/seed").decode()
        pins = archive.read("requirements.txt").decode()
    names = {"setup.sh", "run_autograder", "run_otter.py", "otter_config.json", "environment.yml", "requirements.txt"}
    assert names <= members.keys()
    assert all(members[name].external_attr >> 16 & 0o100 for name in ("setup.sh", "run_autograder"))
    assert "files/attngrade/reference/bahdanau/functions.py" in members
    assert "files/attngrade/autograder/assignments/bahdanau/hidden/checks.py" in members
    assert any(name.endswith("/cases.msgpack") for name in members)
    solutions = [name for name in members if "solutions" in name]
    assert solutions == ["files/attngrade/solutions/bahdanau/bahdanau.py"]  # its parts stand in for wrong ones
    assert not [name for name in members if "__pycache__" in name]
    assert "torch==" in pins
    assert "+" not in pins.split("torch==")[1].split()[0]


# ---------------------------------------------------------------- Gradescope


def test_the_class_gets_the_scores_that_grade_gave(graded: Class, said: dict[str, Ran]) -> None:
    assert len(graded.students) == 13
    assert graded.rows["bo"]["score"] == graded.rows["cy"]["score"]  # one group, one row a member
    assert len(graded.rows) == 14
    scores, statuses = {}, {}
    for folder, students in graded.students.items():
        ran = said[folder]
        assert ran.status == 0, ran.out
        assert ran.results
        assert SEED not in ran.out + str(ran.results)
        row = graded.rows[students[0]]
        scores[students[0]], statuses[students[0]] = ran.results.score, ran.results.extra_data["status"]
        assert (ran.results.score, statuses[students[0]]) == (pytest.approx(float(row["score"])), row["status"]), folder
        assert ran.results.extra_data["diagnoses"] == [name for name in row["diagnoses"].split(";") if name]
        assert f"{row['status']}: " in ran.out
    assert scores["ana"] == scores["chen"] == scores["gita"] == 100
    assert 0 < scores["bo"] < 100
    assert scores["yan"] == 87  # the softmax alone costs points, not the attention that uses it
    # The untouched notebook, and the attacks on top of it.
    assert [scores[name] for name in ("uma", "vik", "wren", "xia")] == [0, 0, 0, 0]
    assert (statuses["ines"], statuses["olek"], statuses["jun"]) == ("missing", "unreadable", "import-error")


def test_hidden_checks_wait_and_tags_name_the_cause(said: dict[str, Ran]) -> None:
    results = said["submission_3"].results
    assert results
    public = [check for check in assignments.load("bahdanau").checks if check.visibility == "public"]
    drawn = {f"Attention weights of {part}" for part in ("stable_softmax", "BahdanauAttention")}
    assert {test.name for test in results.tests if test.visibility == "visible"} == drawn | {
        check.title for check in public if check.kind != "timing"
    }
    assert {test.score for test in results.tests if test.name in drawn} == {None}
    assert {test.visibility for test in results.tests} == {"visible", "after_published"}
    assert sum(test.score or 0 for test in results.tests) == pytest.approx(results.score, abs=1e-4)
    assert sum(test.max_score or 0 for test in results.tests) == pytest.approx(100, abs=1e-4)
    assert ["missing-tanh"] in [test.tags for test in results.tests]
    assert results.tests[0].number == "1.1"


def test_where_setup_went_wrong_no_score_is_left(place: Path, graded: Class) -> None:
    seed = place / "source" / "files" / "attngrade" / "seed"
    text = seed.read_text()
    try:
        seed.write_text("")
        (place / "results" / "results.json").write_text('{"score": 0}')
        ran = run_autograder(place, graded.export / "submission_1")
    finally:
        seed.write_text(text)
    assert (ran.status, ran.results) == (1, None)
    assert "no score is given" in ran.out


# ---------------------------------------------------------------- otter's own runner


def otter_run(built: Path, work: Path, folder: Path) -> dict[str, Any]:
    """The results of the real ``otter run``."""
    folder.mkdir()
    done = program("otter", "run", "-a", built / "autograder.zip", "-o", folder, work, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "results.json").read_text()) | {"said": done.stdout}


def test_otter_run_gives_the_same_score(built: Path, graded: Class, tmp_path: Path) -> None:
    shutil.copy(graded.export / "submission_2" / NAME, tmp_path / "bo.ipynb")
    results = otter_run(built, tmp_path / "bo.ipynb", tmp_path / "out")
    score = sum(test.get("score", 0) for test in results["tests"])
    assert score == pytest.approx(float(graded.rows["bo"]["score"]), abs=1e-4)
    assert sum(test.get("max_score", 0) for test in results["tests"]) == pytest.approx(100, abs=1e-4)
    assert "/ 100.000" in results["said"]
    assert "Another function is used in place of the tanh" in results["tests"][-1]["output"]


def test_otter_run_never_runs_the_submission_itself(built: Path, student: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    canary = tmp_path / "home" / "canary"
    (tmp_path / "uma.zip").write_bytes(trap(student, canary))
    results = otter_run(built, tmp_path / "uma.zip", tmp_path / "out")
    assert [test["score"] for test in results["tests"] if "score" in test] == [0, 0, 0]
    assert not canary.exists()


# ---------------------------------------------------------------- the student's side


def test_a_students_check_cells_tell_what_check_tells(student: dict[str, Any], tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = {"".join(cell["source"]).split("\n")[0]: cell for cell in student["cells"] if cell["cell_type"] == "code"}
    softmax = cells["def stable_softmax(scores, dim=-1):"]
    right = (
        "def stable_softmax(scores, dim=-1):\n    e = torch.exp(scores - scores.amax(dim, keepdim=True))\n    "
        "return e / e.sum(dim, keepdim=True)"
    )
    chosen = [
        *(cells["# Initialize Otter"], cells["import torch"], softmax, cells['grader.check("q1")']),
        *(code(right), cells['grader.check("q1")']),
        code("torch.allclose = torch.equal = lambda *a, **k: True\nimport otter.test_files as t"),
        cells['grader.check("q1")'],
        cells['grader.check("q2")'],
    ]
    cells_of_run = [dict(cell) | {"source": "".join(cell["source"])} for cell in chosen]
    book = nbformat.from_dict(student | {"cells": cells_of_run})
    (tmp_path / NAME).write_text(json.dumps(student))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(
            book, timeout=600, startup_timeout=300, resources={"metadata": {"path": str(tmp_path)}}
        ).execute()
    first, again, replaced, other = (
        "".join(output["data"]["text/plain"] for output in cell["outputs"] if "data" in output)
        for cell in book["cells"]
        if cell["source"].startswith("grader.check")
    )
    assert "stable_softmax is not written yet" in first
    assert "q1 results: All test cases passed!" in again
    assert "torch.allclose" in replaced, "that a cell replaces a function of torch is told"
    assert "softmax_vjp" in other
    assert "passed!" not in other


# ---------------------------------------------------------------- at length


@pytest.mark.nightly
def test_setup_installs_all_that_grading_needs(built: Path, graded: Class, tmp_path: Path) -> None:
    """For real: a new environment from the package index, in which nothing but the zip's own code grades."""
    reach = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(tmp_path / "reach"),
        "click",
    ]
    if subprocess.run(reach, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached")
    root = laid_out(built, tmp_path / "autograder")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ATTNGRADE"))}
    variables |= {"AUTOGRADER_ROOT": str(root), "PIP_RETRIES": "0"}  # where one index of two is out of reach
    done = subprocess.run(
        ["bash", root / "source" / "setup.sh"], cwd=root, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Submissions are confined here." in done.stdout
    assert stat.S_IMODE((root / "source").stat().st_mode) == 0o700
    assert not list((root / "env").rglob("otter/__init__.py"))
    ran = run_autograder(root, graded.export / "submission_2")
    assert ran.results, ran.out
    assert ran.results.score == pytest.approx(float(graded.rows["bo"]["score"]))


@pytest.mark.thorough
def test_what_otter_grade_does_in_its_container(built: Path, graded: Class, tmp_path: Path) -> None:
    """Without Docker: its image's folders, an empty results.pkl laid there, and that one read with dill after it."""
    root = laid_out(built, tmp_path / "autograder")
    for name in set(os.listdir(root / "source")) - {"otter_config.json", "run_otter.py", "files", "tests"}:
        (root / "source" / name).unlink()
    (root / "env").symlink_to(sys.prefix)
    (root / "results" / "results.pkl").touch()
    (root / "submission_metadata.json").write_text("")
    shutil.copy(graded.export / "submission_2" / NAME, root / "submission" / "bo.ipynb")
    variables = {"AUTOGRADER_ROOT": str(root), "PATH": os.environ["PATH"]}
    ran = subprocess.run([root / "run_autograder"], env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    read = "import dill, sys; results = dill.load(open(sys.argv[1], 'rb')); print(results.total, results.possible)"
    words = [sys.executable, "-c", read, root / "results" / "results.pkl"]
    reported = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert [float(word) for word in reported.split()] == pytest.approx([float(graded.rows["bo"]["score"]), 100])
