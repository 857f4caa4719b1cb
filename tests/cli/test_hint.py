"""``attngrade hint``: help in three steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.assignments import NAMES
from autograder.assignments.hints import hints
from tests.command_helpers import Run


def test_the_steps_come_one_by_one(run: Run) -> None:
    hint = hints("bahdanau")["stable_softmax"]
    words = [" ".join(text.split()[:3]) for text in (hint.question, hint.example)]
    first, second, third = (run("hint", "stable_softmax", str(number)) for number in (1, 2, 3))
    assert first.status == second.status == third.status == 0
    assert "stable_softmax  step 1 of 3" in first.out
    assert words[0] in first.out
    assert words[1] not in first.out
    assert "Still stuck? attngrade hint stable_softmax 2" in first.out
    assert f'Read the section "{hint.read}" of README.md again.' in second.out
    assert words[0] not in third.out
    assert "Still stuck" not in third.out
    assert run("hint", "stable_softmax").out == first.out


def test_a_class_shows_what_is_asked_of_each_method(run: Run) -> None:
    names = [name for name in hints("bahdanau") if name.startswith("BahdanauAttention")]
    whole = run("hint", "BahdanauAttention").out
    assert [name for name in names if f"{name}  step 1 of 3" not in whole] == []
    assert run("hint", names[-1]).out.count("step 1 of 3") == 1


def test_a_slip_gets_a_suggestion(run: Run) -> None:
    done = run("hint", "stable_sofmax")
    assert done.status == 2
    assert "there is no part with hints 'stable_sofmax'; did you mean stable_softmax" in done.err
    assert run("hint", "stable_softmax", "4").status == 2
    assert run("hint", "stable_softmax", "-a", "luong").status == 2


def test_without_a_part_it_lists_those_of_the_folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    everything = run("hint")
    assert everything.status == 0
    assert [name for name in NAMES if f"{name}: " not in everything.out] == []
    Path("luong.py").touch()
    here = run("hint").out
    assert f"luong: {', '.join(hints('luong'))}" in here
    assert "bahdanau" not in here


def test_the_name_of_an_assignment_lists_its_parts(run: Run) -> None:
    done = run("hint", "luong")
    assert done.status == 0
    assert f"luong: {', '.join(hints('luong'))}" in done.out
    assert "BahdanauAttention" not in done.out
    assert "step 1 of 3" in run("hint", "self_attention").out  # a part has this name too


@pytest.mark.parametrize("assignment", NAMES)
def test_a_terminal_can_show_every_hint(assignment: str) -> None:
    assert [name for name, hint in hints(assignment).items() if "$" in hint.question + hint.example] == []


def test_a_method_is_found_where_one_class_has_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    both = run("hint", "score")
    assert both.status == 2
    assert "several classes have score; expected one of BahdanauAttention.score, LuongAttention.score" in both.err
    Path("bahdanau.ipynb").touch()
    assert "BahdanauAttention.score  step 1 of 3" in run("hint", "score").out
    assert run("hint", "masked_softmax").status == 0  # of another assignment


def test_a_class_says_how_to_ask_for_one_method(run: Run) -> None:
    first, *_ = (name for name in hints("bahdanau") if name.startswith("BahdanauAttention."))
    assert f"For one of them alone: attngrade hint {first}" in run("hint", "BahdanauAttention").out
    assert "For one" not in run("hint", first).out
