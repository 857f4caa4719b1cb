"""``%attngrade`` in a notebook, as students run its test cells: with the student's edition's values alone."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

from autograder.integrations import jupyter
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()


def test_cells_that_are_right_pass(capsys: pytest.CaptureFixture[str]) -> None:
    jupyter.check(
        "bahdanau softmax-values softmax-sums softmax-speed", [SOLUTION, "%attngrade bahdanau softmax-values"]
    )
    reported = capsys.readouterr().out
    assert reported == "2 of 2 checks passed. 1 check runs only in grading.\n"


def test_what_is_wrong_is_told_as_attngrade_check_does() -> None:
    wrong = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")
    ids = "attention-score attention-values attention-sums attention-example"
    with pytest.raises(jupyter.NotPassed) as reported:
        jupyter.check(f"bahdanau softmax-values {ids}", [wrong])
    lines = reported.value._render_traceback_()
    assert lines[0] == "3 of 5 checks failed. 1 not counted until the values are right."
    assert "  Cause: wrong-activation" in lines
    assert [line[0] for line in lines if line[0] in "✗↳○"] == ["✗", "↳", "↳", "○"]
    assert lines[-1].startswith("○ The weights of every sentence sum to 1")  # after three at length, titles alone
    assert max(map(len, lines)) < 88


def test_a_check_that_only_waits_does_not_pass() -> None:
    wrong = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")
    with pytest.raises(jupyter.NotPassed, match=r"^0 of 1 checks failed\. 1 not counted until the values are right\."):
        jupyter.check("bahdanau attention-sums", [wrong])


def test_the_last_definition_counts_and_cells_that_fail_stop_nothing() -> None:
    broken = re.sub(r"return exponentials.*", "return exponentials", SOLUTION)
    jupyter.check("bahdanau softmax-values", [broken, "1 / 0", "%matplotlib inline\n!ls", SOLUTION])
    with pytest.raises(jupyter.NotPassed):
        jupyter.check("bahdanau softmax-values", [SOLUTION, broken])


def test_hidden_checks_are_made_where_the_references_are() -> None:
    jupyter.check("bahdanau vjp-one-hot", [SOLUTION])
    with pytest.raises(jupyter.NotPassed):
        jupyter.check("bahdanau vjp-one-hot", [SOLUTION + "\ndef softmax_vjp(w, g): return g"])


@pytest.mark.parametrize("line", ["", "bahdanau", "algebra x", "bahdanau no-such-check"])
def test_a_line_that_asks_for_nothing_passes_nothing(line: str) -> None:
    with pytest.raises(jupyter.Misused):
        jupyter.check(line, [SOLUTION])


@pytest.mark.parametrize("line", ["", "bahdanau no-such-check", "stable_softmax softmax-values"])
def test_the_magic_refuses_such_lines_too(line: str) -> None:
    with pytest.raises(jupyter.Misused):
        jupyter.Magic("bahdanau").run(line, ["", SOLUTION])


@pytest.mark.skipif(not find_spec("IPython"), reason="IPython is not installed: pip install -e '.[nbgrader]'")
def test_ipython_hands_over_what_ran_and_raises() -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    try:
        for cell in ("%load_ext autograder.integrations.jupyter", SOLUTION):
            shell.run_cell(cell, store_history=True).raise_error()
        shell.run_cell("%attngrade bahdanau softmax-values", store_history=True).raise_error()
        shell.run_cell("def stable_softmax(scores, dim=-1): return scores", store_history=True)
        with pytest.raises(jupyter.NotPassed):
            shell.run_cell("%attngrade bahdanau \\\n    softmax-values", store_history=True).raise_error()
    finally:
        shell.history_manager.end_session()
