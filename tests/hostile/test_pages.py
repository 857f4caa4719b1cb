"""Pages that students get are the same for every seed, so they tell nothing of the numbers that a seed draws."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autograder.assignments.places import place
from tests.command_helpers import Run
from tests.corpus.suites import OTHER_SEEDS, SEED

ASSIGNMENT = "bahdanau"
SOLUTION = place(ASSIGNMENT).solution.read_text(encoding="utf-8")
CONTEXT = "weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)"
TELLS = "told = (decoder_state.tolist(), encoder_states.flatten()[:50].tolist())"

# What a submission that is asked hidden questions might do to get an input onto a page. All of them are always wrong:
# to be right or wrong as an input says tells one bit, and ``test_channel`` counts those.
ATTACKS = {
    "raises": f"{TELLS}\n        raise ValueError(str(told))",
    "type-of-exception": f"{TELLS}\n        raise type('E' + str(told), (ValueError,), {{}})('seen')",
    "prints": f"{TELLS}\n        print(told)\n        weights = encoder_states.new_zeros(())",
    "as-weights": "weights = encoder_states[..., 0] * 1.0",
    "as-shape": "weights = encoder_states.new_ones(2, int(abs(float(encoder_states.sum()) * 7)) % 50 + 1)",
    "as-scale": f"{CONTEXT}\n        weights = weights * (2 + abs(float(encoder_states.sum())))",
    "as-length": f"{CONTEXT}\n        weights = weights / encoder_states.shape[1]",
}


def handed_in(folder: Path) -> None:
    """Write a file for each attack."""
    assert SOLUTION.count(CONTEXT) == 1
    folder.mkdir()
    for name, code in ATTACKS.items():
        (folder / f"{name}.py").write_text(SOLUTION.replace(CONTEXT, code), encoding="utf-8")


@pytest.mark.thorough
def test_pages_are_the_same_for_every_seed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed_in(tmp_path / "in")
    pages, marks = [], []
    for seed in (SEED, OTHER_SEEDS[0]):
        monkeypatch.setenv("ATTNGRADE_SEED", seed)
        out = tmp_path / f"out-{len(pages)}"
        done = run("grade", tmp_path / "in", "--assignment", ASSIGNMENT, "--out", out, "--no-timing")
        assert done.status == 0, done.err
        with (out / "grades.csv").open(encoding="utf-8", newline="") as table:
            marks.append({row["student"]: float(row["score"]) for row in csv.DictReader(table)})
        assert run("feedback", out).status == 0
        files = sorted((out / "feedback").iterdir())
        pages.append({path.name: path.read_text(encoding="utf-8") for path in files})
    assert set(pages[0]) == {f"{name}{suffix}" for name in ATTACKS for suffix in (".html", ".md")}
    assert max(marks[0].values()) < 100
    assert pages[0] == pages[1]
    assert marks[0] == marks[1]
