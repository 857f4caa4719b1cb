"""The confinement on the command line: ``doctor``, the refusal to grade without it, and the warning."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from autograder.sandbox import availability
from tests.command_helpers import Run

from .conftest import SOLUTION

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
GAP = {"seccomp": "the kernel has none", "namespaces": "not for us"}


@pytest.fixture
def gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without some of the layers."""
    monkeypatch.setattr(availability, "missing", lambda _: GAP)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A class of one."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ana.py").write_text(SOLUTION)
    return folder


@linux
def test_doctor_tries_every_layer(run: Run) -> None:
    done = run("doctor")
    assert done.status == 0
    for layer in availability.LAYERS:
        assert layer.name in done.out
    assert "Submissions are confined here" in done.out


def test_doctor_says_what_is_missing_and_what_to_do(run: Run, gap: None) -> None:
    done = run("doctor")
    assert done.status == 1
    assert "the kernel has none" in done.out
    assert "apt install libseccomp2" in done.out
    assert "refuses to run here without --unconfined" in done.out


def test_doctor_for_programs(run: Run, gap: None) -> None:
    done = run("doctor", "--json")
    layers = {layer["name"]: layer for layer in json.loads(done.out)}
    assert (layers["seccomp"]["holds"], layers["seccomp"]["why"]) == (False, "the kernel has none")
    assert layers["limits"]["holds"] is True
    assert done.status == 1


@pytest.mark.parametrize("words", [("grade", "-a", "bahdanau", "-o", "{out}"), ("check", "-a", "bahdanau", "--full")])
def test_without_the_floor_nothing_is_graded(
    run: Run, gap: None, work: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    command, *options = (word.format(out=tmp_path / "out") for word in words)
    done = run(command, work / "ana.py" if command == "check" else work, *options)
    assert done.status == 2
    assert "no seccomp (the kernel has none)" in done.err
    assert "attngrade doctor" in done.err
    assert "--unconfined" in done.err
    assert done.out == ""
    assert not (tmp_path / "out").exists()


def test_unconfined_grades_and_every_report_says_so(run: Run, gap: None, work: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("grade", work, "-a", "bahdanau", "-o", out, "-j", "1", "--no-timing", "--unconfined")
    assert done.status == 0
    warning = "Graded without confinement: no seccomp (the kernel has none)."
    assert warning in done.err
    assert warning in json.loads((out / "results" / "ana.json").read_text())["message"]
    pages = [page.read_text() for page in (out / "report").rglob("*.html")]
    assert any(warning in page for page in pages)
    assert "100" in (out / "grades.csv").read_text()


def test_a_students_own_check_needs_no_confinement(run: Run, gap: None, work: Path) -> None:
    done = run("check", work / "ana.py", "-a", "bahdanau")
    assert done.status == 0
    assert "confinement" not in done.out


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
    done = run("grade", work, "-a", "bahdanau", "-o", tmp_path / "out", "--limit", given)
    assert done.status == 2
    assert complaint in done.err
