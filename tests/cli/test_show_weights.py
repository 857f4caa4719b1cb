"""``attngrade show-weights``: a student's own weights beside the expected ones, on a terminal and as a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import SOLUTION
from tests.command_helpers import Run
from tests.paths import ROOT

WRONG = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")


def test_a_wrong_answer_is_drawn_too(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text(WRONG)
    done = run("show-weights", tmp_path / "bahdanau.py")
    assert done.status == 0
    assert done.out.count("BahdanauAttention  rows B, columns T_s") == 2
    words = r" +une +pomme +rouge +\."
    assert re.search(
        rf"returned\n{words} +H\n +a +0\.26 +0\.24 +0\.24 +0\.26 +1\.3\d\n +expected\n{words} +H\n +a +0\.30", done.out
    )
    assert re.search(rf"difference\n{words}\n +a +-0\.0\d", done.out)
    assert "The largest difference is in row a, column rouge: got 0.236, expected 0.197." in done.out
    assert re.search(r"\n +0 +1 +2 +3 +4 +5 +6 +H\n +0 +0\.\d\d", done.out)  # positions, where there are no words
    assert "H is the entropy of a row, in nats." in done.out
    assert "\x1b" not in done.out  # no colour where there is no terminal


def test_a_weight_that_the_mask_hides_is_marked(tmp_path: Path, run: Run) -> None:
    solution = (ROOT / "solutions" / "masking" / "masking.py").read_text()
    (tmp_path / "masking.py").write_text(solution)
    done = run("show-weights", tmp_path)
    assert re.search(r"returned\n +0 +1 +2 +H\n +0 +0\.27 +0\.73 +× +0\.58\n +1 +× +1\.00 +× +0\.00\n", done.out)
    assert "× marks what the mask hides." in done.out


def test_as_a_page(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bahdanau.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    done = run("show-weights", "--html", "weights.html")
    assert (done.status, done.out) == (0, "Page: weights.html\n")
    page = (tmp_path / "weights.html").read_text()
    assert page.count("<svg") == 3
    assert "Bahdanau attention" in page
    assert not re.search(r"https?:|<script", page)


def test_a_page_has_the_labels_the_entropies_and_the_mask(tmp_path: Path, run: Run) -> None:
    (tmp_path / "self_attention.py").write_text(
        (ROOT / "solutions" / "self_attention" / "self_attention.py").read_text()
    )
    assert run("show-weights", tmp_path, "--html", tmp_path / "weights.html").status == 0
    page = (tmp_path / "weights.html").read_text()
    example = page[page.index("scaled_dot_product_attention") : page.index("</figure>")]
    labels = re.findall(r'<text class="label".*>(.*)</text>', example)
    columns = ["red", "wine", "bottle"]
    entropies = ["H", "0.69", "0.00", "1.04"]
    assert labels == [*columns, *columns, *entropies]  # the rows stand first, and one panel says all that is right
    assert example.count('<path class="masked"') == 4
    assert "row red, column wine, masked: 0" in example
    assert "× marks what the mask hides." in example


def test_nothing_written_is_nothing_to_draw(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bahdanau.py").write_text((ROOT / "assignments" / "bahdanau" / "bahdanau.py").read_text())
    done = run("show-weights", tmp_path)
    assert (done.status, done.out) == (1, "There are no weights to draw yet: attngrade check says what is missing.\n")


def test_a_wrong_path_is_a_wrong_call(tmp_path: Path, run: Run) -> None:
    done = run("show-weights", tmp_path / "nowhere.py")
    assert done.status == 2
    assert "does not exist" in done.err
