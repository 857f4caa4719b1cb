"""``author suggest``: checks that are proposed for a course with nothing but a solution and a reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.author_course import attngrade
from tests.cli.suggest_course import NAME, SOLUTION, made

pytestmark = pytest.mark.thorough  # its pieces have everyday tests in tests/instructor/authoring/suggest

SHOUT = 'shout(x="B T", times=11)'


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course without checks of its own."""
    folder = tmp_path_factory.mktemp("course") / "my_course"
    made(folder)
    return folder


@pytest.fixture(scope="module")
def proposed(course: Path) -> dict[str, Any]:
    """What is proposed, without a word about inputs."""
    done = attngrade(course, "author", "suggest", NAME, "--json", "--jobs", 1)
    assert done.returncode == 1, done.stderr  # one function could not be called
    (found,) = json.loads(done.stdout)
    return dict(found)


def test_what_can_not_be_called_is_said_with_the_line_to_write(proposed: dict[str, Any]) -> None:
    (missing,) = proposed["missing"]
    assert missing.startswith("shout: RuntimeError: only 11 and 13. Say what it takes")
    assert "INPUTS = ['shout(x=\"B T\", times=2)']" in missing


def test_properties_of_the_reference_are_proposed_and_no_others(proposed: dict[str, Any]) -> None:
    public, hidden = proposed["files"]["checks.py"], proposed["files"]["hidden_checks.py"]
    for kind in ("signature", "values", "gradients", "shapes"):
        assert f"{kind}(ATTEND, " in public
    for axis in ("T_q", "T_k"):
        assert f', "{axis}")' in hidden
    assert "permutation(ATTEND, " in hidden
    assert "permutation(RUNNING_MEAN, " not in hidden
    for kind in ("alone", "strides", "stateless", "devices"):
        assert f"{kind}(RUNNING_MEAN, " in hidden
    assert 'init=["width", "heads"]' in public
    assert 'sizes={"width": "heads * width_each"}' in public
    assert "Mix raises a ValueError for width=3, heads=5" in hidden


def test_what_the_solution_fails_is_not_proposed(proposed: dict[str, Any]) -> None:
    unsolved = {one["check"]: one["message"] for one in proposed["unsolved"]}
    assert unsolved["half-values"] == "result has dtype float32, expected float64."
    assert "values(HALF, " not in proposed["files"]["checks.py"]
    assert "shapes(HALF, " in proposed["files"]["checks.py"]  # in single precision it is right


def test_it_counts_the_mutants_that_each_check_catches(proposed: dict[str, Any]) -> None:
    assert proposed["mutants"] - proposed["killed"] == len(proposed["survived"])
    assert proposed["killed"] >= 0.8 * proposed["mutants"]
    assert proposed["caught"]["attend-values"] > 5
    names = [one["name"] for one in proposed["survived"]]
    assert any(name.startswith("shout: ") for name in names)
    assert all(one["diff"] for one in proposed["survived"])


def test_written_checks_are_right_as_they_stand(course: Path) -> None:
    folder = course / NAME
    (folder / "solution.py").write_text(SOLUTION.replace("(x / 2).float()", "x / 2"))
    done = attngrade(course, "author", "suggest", "--inputs", SHOUT, "--write", "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert f"written: {folder / 'checks.py'}" in done.stderr
    assert "mutants caught" in done.stdout
    assert "values(SHOUT, " in (folder / "checks.py").read_text()
    assert attngrade(course, "author", "build").returncode == 0
    # The solution gets everything, and the skeleton, an empty file and zeros get nothing: nothing else is wrong.
    assert attngrade(course, "author", "check").stdout == (
        f"{NAME}/mistakes.py: there is no known mistake, so no cause of this assignment is ever named\n"
    )
    again = attngrade(course, "author", "suggest", "--write")
    assert (again.returncode, again.stdout) == (2, "")
    assert f"{folder / 'checks.py'} holds your work; leave --write away" in again.stderr


WRONG = {
    ("bahdanau", "--write"): "bahdanau comes with attngrade",
    ("sum",): "sums",
    (NAME, "--inputs", "shout"): "'shout' is no call with named arguments, such as f(x=\"B T\", steps=2)",
    (NAME, "--inputs", "shuot(times=11)"): "there is no shuot; did you mean shout?",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_calls(course: Path, words: tuple[str, ...]) -> None:
    done = attngrade(course, "author", "suggest", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert WRONG[words] in done.stderr


def test_a_solution_and_a_reference_with_nothing_in_common(tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    (folder / "reference.py").write_text("import torch\n")
    done = attngrade(folder.parent, "author", "suggest")
    assert done.returncode == 2
    assert "solution.py and reference.py define no function or class of the same name" in done.stderr
    (folder / "reference.py").write_text("import torhc\n")
    done = attngrade(folder.parent, "author", "suggest")
    assert done.returncode == 2
    assert "reference.py, line 1: ModuleNotFoundError" in done.stderr
