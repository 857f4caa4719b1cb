"""What instructors meet of the confinement: ``doctor``, the refusal to grade without it, and the warning."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from autograder.sandbox import standing
from tests.running import Run

from .conftest import SOLUTION

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
GAP = {"seccomp": "the kernel has none", "namespaces": "not for us"}


@pytest.fixture
def gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without some of the layers."""
    monkeypatch.setattr(standing, "missing", lambda: GAP)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A class of one."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ana.py").write_text(SOLUTION)
    return folder


@linux
def test_doctor_tries_every_layer(run: Run) -> None:
    told = run("doctor")
    assert told.status == 0
    for layer in standing.LAYERS:
        assert layer.name in told.out
    assert "Submissions are confined here" in told.out


def test_doctor_says_what_is_missing_and_what_to_do(run: Run, gap: None) -> None:
    told = run("doctor")
    assert told.status == 1
    assert "the kernel has none" in told.out
    assert "apt install libseccomp2" in told.out
    assert "refuses to run here without --unconfined" in told.out


def test_doctor_for_programs(run: Run, gap: None) -> None:
    told = run("doctor", "--json")
    layers = {layer["name"]: layer for layer in json.loads(told.out)}
    assert (layers["seccomp"]["holds"], layers["seccomp"]["why"]) == (False, "the kernel has none")
    assert layers["limits"]["holds"] is True
    assert told.status == 1


@pytest.mark.parametrize(
    "words", [("grade", "-a", "bahdanau", "-o", "{out}"), ("check", "-a", "bahdanau", "--full")]
)
def test_without_the_floor_nothing_is_graded(
    run: Run, gap: None, work: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    command, *options = (word.format(out=tmp_path / "out") for word in words)
    told = run(command, work / "ana.py" if command == "check" else work, *options)
    assert told.status == 2
    assert "no seccomp (the kernel has none)" in told.err
    assert "attngrade doctor" in told.err
    assert "--unconfined" in told.err
    assert told.out == ""
    assert not (tmp_path / "out").exists()


def test_unconfined_grades_and_every_report_says_so(run: Run, gap: None, work: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = run("grade", work, "-a", "bahdanau", "-o", out, "-j", "1", "--no-timing", "--unconfined")
    assert told.status == 0
    warning = "Graded without confinement: no seccomp (the kernel has none)."
    assert warning in told.err
    assert warning in json.loads((out / "results" / "ana.json").read_text())["message"]
    pages = [page.read_text() for page in (out / "report").rglob("*.html")]
    assert any(warning in page for page in pages)
    assert "100" in (out / "grades.csv").read_text()


def test_a_students_own_check_needs_no_confinement(run: Run, gap: None, work: Path) -> None:
    told = run("check", work / "ana.py", "-a", "bahdanau")
    assert told.status == 0
    assert "confinement" not in told.out


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("files=3", "there is no limit files; there are load_seconds"),
        ("open_files", "'' is not a number"),
        ("open_files=many", "'many' is not a number"),
        ("open_files=1", "Expected `int` >= 16"),
        ("memory_bytes=-1", "memory_bytes"),
    ],
)
def test_a_limit_that_is_none(run: Run, work: Path, tmp_path: Path, given: str, complaint: str) -> None:
    told = run("grade", work, "-a", "bahdanau", "-o", tmp_path / "out", "--limit", given)
    assert told.status == 2
    assert complaint in told.err
