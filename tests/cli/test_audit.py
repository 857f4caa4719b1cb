"""``attngrade audit``, with a small corpus."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_helpers import Run

CORPUS = """
[[wrong]]
name = "sigmoid"
cause = ["wrong-activation"]
base = "solution"
replace = [["torch.tanh(", "torch.sigmoid("]]

[[wrong]]
name = "single-inside"
cause = ["dtype-hardcoded"]
base = "solution"
only = "float64"
replace = [["torch.tanh(query + keys)", "torch.tanh((query + keys).float()).to(keys.dtype)"]]
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one assignment. Every corpus contains the solution."""
    (tmp_path / "bahdanau" / "right").mkdir(parents=True)
    write(tmp_path, CORPUS)
    return tmp_path


def write(corpus: Path, text: str) -> None:
    """Replace the corpus's wrong submissions."""
    (corpus / "bahdanau" / "wrong.toml").write_text(text)


def audited(run: Run, corpus: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """Return the exit status and the corpus's figures, without mutants."""
    done = run("audit", "bahdanau", "--corpus", corpus, "--no-mutants", "-j", 1, "--json", *more)
    (figures,) = json.loads(done.out)
    return done.status, figures


def names(verdicts: list[dict[str, str]]) -> list[str]:
    return [verdict["name"] for verdict in verdicts]


def test_a_grader_that_is_good_ends_with_0(corpus: Path, run: Run) -> None:
    done = run("audit", "bahdanau", "--corpus", corpus, "--no-mutants", "-j", 1, "--all")
    assert done.status == 0, done.out
    for line in (
        "bahdanau",
        "right: 1, marked down 0",
        "wrong: 2, let through 0",
        "causes: 100.0% of 2 found",
        "wrong cause given: 0.0% of 2",
        "mutants: 0, killed 0; equivalent: 0",
    ):
        assert f"  {line}\n" in done.out or f"{line}\n" in done.out
    assert "let through (" not in done.out
    assert "caught" in done.out  # the table of --all
    assert "\x1b" not in done.out


@pytest.mark.thorough
def test_one_that_is_not_ends_with_1_and_names_what_went_wrong(corpus: Path, run: Run) -> None:
    (corpus / "bahdanau" / "right" / "wrong_after_all.py").write_text("def stable_softmax(*_):\n    return None\n")
    write(corpus, CORPUS.replace("torch.sigmoid(", "torch.tanh(") + CORPUS.replace('name = "', 'name = "other-'))
    write(corpus, (corpus / "bahdanau" / "wrong.toml").read_text().replace("wrong-activation", "no-window"))
    status, figures = audited(run, corpus)
    assert status == 1
    assert names(figures["marked_down"]) == ["wrong_after_all"]
    assert names(figures["let_through"]) == ["sigmoid"]
    assert names(figures["cause_missed"]) == ["sigmoid", "other-sigmoid"]
    assert names(figures["cause_wrong"]) == ["other-sigmoid"]
    assert figures["cause_wrong"][0]["why"] == "expected: no-window; reported: wrong-activation"
    done = run("audit", "bahdanau", "--corpus", corpus, "--no-mutants", "-j", 1)
    assert done.status == 1
    for heading in ("Right, but marked down (1)", "Wrong, but let through (1)", "Wrong cause given (1)"):
        assert heading in done.out


def test_json_holds_all_figures(corpus: Path, run: Run) -> None:
    status, figures = audited(run, corpus)
    assert status == 0
    counts = {key: figures[key] for key in ("assignment", "right", "wrong", "labelled", "symptoms", "mutants")}
    assert counts == {"assignment": "bahdanau", "right": 1, "wrong": 2, "labelled": 2, "symptoms": 0, "mutants": 0}
    assert figures["caught"].keys() == figures["killed_alone"].keys()
    assert sum(figures["caught"].values()) > 2


@pytest.mark.nightly  # it draws two suites more
def test_with_inputs_of_one_dtype_what_shows_only_in_the_other_is_left_out(corpus: Path, run: Run) -> None:
    assert audited(run, corpus, "--dtype", "float32")[1]["wrong"] == 1
    write(corpus, CORPUS.replace('only = "float64"\n', ""))
    status, figures = audited(run, corpus, "--dtype", "float32")
    assert (status, names(figures["let_through"])) == (1, ["single-inside"])
    status, figures = audited(run, corpus, "--dtype", "float64")
    assert (status, figures["wrong"]) == (0, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CORPUS.replace("torch.tanh(query", "torch.tan(query"), "single-inside: not in solution"),
        (CORPUS.replace('base = "solution"', 'base = "other"'), "there is no right submission 'other'"),
        ("[[wrong]", "wrong.toml"),
    ],
)
def test_a_corpus_that_is_not_as_it_must_be_is_a_wrong_call(corpus: Path, run: Run, text: str, words: str) -> None:
    write(corpus, text)
    done = run("audit", "bahdanau", "--corpus", corpus)
    assert (done.status, done.out) == (2, "")
    assert words in done.err.splitlines()[-1]
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["nothing"], "nothing"), (["bahdanau", "--corpus", "nowhere"], "nowhere"), (["--dtype", "float16"], "float16")],
)
def test_wrong_calls(arguments: list[str], words: str, run: Run) -> None:
    done = run("audit", *arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_a_students_installation_says_what_is_missing() -> None:
    program = (
        "import sys\n"
        "for name in ('reference', 'autograder.instructor.oracle', 'autograder.instructor.audit'):\n"
        "    sys.modules[name] = None\n"
        "from autograder.cli import app as cli\n"
        "sys.exit(cli.run(['audit']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install -e ." in done.stderr
