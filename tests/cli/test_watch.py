"""``attngrade check --watch``: a check after every save, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import SOLUTION, Edits
from tests.command_helpers import Run

WRONG = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")
ENDLESS = SOLUTION.replace("    exponentials = torch.exp(", "    while True: pass\n    exponentials = torch.exp(")


def nothing() -> None:
    pass


def test_each_save_is_checked_once(tmp_path: Path, run: Run, edits: Edits) -> None:
    work = tmp_path / "bahdanau.py"
    work.write_text(SOLUTION)
    edits([nothing, lambda: work.write_text(WRONG), nothing, work.touch, lambda: work.write_text(SOLUTION)])
    done = run("check", "--watch", tmp_path)
    assert done.status == 0
    assert done.out.count("bahdanau.py: the public checks of bahdanau") == 3
    assert done.out.count("Waiting for the next save. Ctrl-C ends this.") == 3
    assert [line for line in done.out.splitlines() if " of 46 points" in line] == [
        f"{points} of 46 points. The other 54 of 100 come from speed (8) and hidden checks with other numbers and "
        "sizes (46)."
        for points in ("46.00", "34.00", "46.00")
    ]


@pytest.mark.thorough
def test_what_cannot_run_is_said_and_watched_on(tmp_path: Path, run: Run, edits: Edits) -> None:
    work = tmp_path / "bahdanau.py"
    work.write_text("def (:\n")
    edits([work.unlink, nothing, lambda: work.write_text(ENDLESS), lambda: work.write_text(SOLUTION)])
    done = run("check", "--watch", "--only", "stable_softmax", tmp_path)
    assert done.status == 0
    assert "SyntaxError" in done.out
    assert done.err.count("attngrade: nothing to check in") == 1
    assert "stable_softmax did not finish in" in done.out
    assert [line for line in done.out.splitlines() if " of 13 points" in line][-1] == "13.00 of 13 points"


@pytest.mark.parametrize("option", ["--full", "--json"])
def test_it_only_prints(tmp_path: Path, run: Run, option: str) -> None:
    done = run("check", "--watch", option, tmp_path)
    assert done.status == 2
    assert "--watch only prints, and runs the public checks only" in done.err
