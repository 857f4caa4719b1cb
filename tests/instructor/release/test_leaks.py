"""Nothing hidden is in what students get, and the search that says so finds what is planted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.assignments import NAMES
from autograder.instructor.release import build_all, leaks
from autograder.instructor.release.leaks import check_secrets
from autograder.model import Check


def no_checks(assignment: str) -> tuple[Check, ...]:
    return ()


def hidden_checks(assignment: str) -> tuple[Check, ...]:
    if assignment != "luong":
        return ()
    return (
        Check("luong.open", "Weights over the source", "value", 50, (), ()),
        Check("luong.far", "Centre far from the sentence", "value", 25, (), (), "hidden"),
        Check("luong.sums", "Weights over the source", "value", 25, (), (), "hidden"),
    )


def plant(checkout: Path, name: str, text: str) -> None:
    path = checkout / "assignments" / name
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_the_released_tree_gives_nothing_away(root: Path) -> None:
    assert leaks(root) == []


def test_a_clean_copy_is_clean(checkout: Path) -> None:
    assert leaks(checkout, no_checks) == []


@pytest.mark.parametrize("assignment", NAMES)
def test_a_released_solution_is_found(assignment: str, checkout: Path) -> None:
    solved = (checkout / f"solutions/{assignment}/{assignment}.py").read_text(encoding="utf-8")
    (checkout / f"assignments/{assignment}/{assignment}.py").write_text(solved, encoding="utf-8")
    found = leaks(checkout, no_checks)
    assert len(found) >= 5
    assert all(line.startswith(f"assignments/{assignment}/{assignment}.py holds a line of") for line in found)


def test_one_reflowed_line_is_found(checkout: Path) -> None:
    plant(checkout, "bahdanau/README.md", "\nTry `weights *(grad_weights -\n   mean_gradient)`.\n")
    (found,) = leaks(checkout, no_checks)
    assert "assignments/bahdanau/README.md holds a line of the solution of bahdanau" in found


def test_a_line_in_a_notebook_cell_is_found(checkout: Path) -> None:
    path = checkout / "assignments/masking/masking.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][3]["source"] = ["return key_padding", ".unsqueeze(1) & attention"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert len(leaks(checkout, no_checks)) == 1


def test_a_line_of_a_reference_is_found_and_its_docstring_is_not(checkout: Path) -> None:
    (checkout / "reference").mkdir()
    (checkout / "reference/luong.py").write_text(
        'def weights(e):\n    """Weights of the oracle, described."""\n'
        "    shares = oracle_exp(e) / oracle_sum(e)\n    return shares\n",
        encoding="utf-8",
    )
    plant(checkout, "luong/README.md", "\nWeights of the oracle, described.\n")
    assert leaks(checkout, no_checks) == []
    plant(checkout, "luong/test_luong.py", "\nshares = oracle_exp(e)/oracle_sum(e)\n")
    assert leaks(checkout, no_checks) == [
        "assignments/luong/test_luong.py holds a line of reference/luong.py: shares = oracle_exp(e) / oracle_sum(e)"
    ]


@pytest.mark.parametrize("name", ["luong.far", "Centre far\n from the sentence"])
def test_a_hidden_check_is_found_by_id_and_by_title(name: str, checkout: Path) -> None:
    assert leaks(checkout, hidden_checks) == []
    plant(checkout, "luong/README.md", f"\n{name}\n")
    (found,) = leaks(checkout, hidden_checks)
    assert "a hidden check of luong" in found


def test_names_of_public_checks_are_no_secret(checkout: Path) -> None:
    plant(checkout, "luong/README.md", "\nluong.open: Weights over the source\n")
    assert leaks(checkout, hidden_checks) == []


def test_what_the_generator_makes_is_clean(checkout: Path) -> None:
    build_all(checkout)
    assert leaks(checkout, no_checks) == []


def test_the_title_of_a_hidden_check_is_no_secret_where_the_handout_says_the_same_words() -> None:
    def found(told: str) -> set[str]:
        return {label for _, label in check_secrets("luong", hidden_checks("luong"), told)}

    title, ids = "a hidden check of luong: Centre far from the sentence", {"luong.far", "luong.sums"}
    secret_ids = {f"a hidden check of luong: {one}" for one in ids}
    assert found("") == found("Centre far from it") == {title} | secret_ids
    assert found("What if the centre is far?\nCentre far\nfrom the sentence, for example. luong.far") == secret_ids
