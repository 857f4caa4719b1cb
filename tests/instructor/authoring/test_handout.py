"""What students read of a course's assignment: rules that fit its library, and speed only where it is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.author_course import NAME, attngrade, made
from tests.paths import ROOT

EXAMPLES = ROOT / "examples" / "course"
BY_DAY = "kmeans"  # is checked in `make thorough`, the others in `make nightly`
TORCH = ("torch", "CUDA", "differentiable", "layers", "`bmm`")


def rules(assignment: str) -> str:
    """The rules of an example, as students get them."""
    text = (EXAMPLES / assignment / "built" / "students" / "README.md").read_text(encoding="utf-8")
    assert "## Speed" not in text
    assert "points for speed" not in text
    return text.partition("## Rules")[2].replace("attngrade", "")


def test_rules_for_numpy_do_not_speak_of_torch() -> None:
    told = rules("kmeans")
    assert [word for word in TORCH if word in told] == []
    assert "Import only `numpy` and the standard library." in told
    assert [word for word in TORCH if word not in rules("layer_norm")] == []


@pytest.mark.thorough
def test_speed_is_told_where_it_is_measured(tmp_path: Path) -> None:
    folder = made(
        tmp_path / "course",
        {"checks.py": ("gradients(COSINE, 10)", 'gradients(COSINE, 5), speed(COSINE, 5, "T_k", at=50)')},
    )
    checks = folder / "checks.py"
    checks.write_text(checks.read_text().replace("signature, values", "signature, speed, values"))
    done = attngrade(folder.parent, "author", "build")
    assert done.returncode == 0, done.stderr
    readme = (folder / "built" / "students" / "README.md").read_text()
    assert "## Speed" in readme
    assert "loses only the points for speed" in readme


@pytest.mark.thorough
@pytest.mark.parametrize(("handout", "cause"), [("The softmax of them.", "softmax-unstable"), ("The sum.", None)])
def test_a_softmax_is_named_only_where_the_handout_speaks_of_one(
    handout: str, cause: str | None, tmp_path: Path
) -> None:
    folder = made(
        tmp_path / "course",
        {
            "checks.py": ("gradients(COSINE, 10)", 'large(COSINE, 10, "query")'),
            "handout.md": ("Compare vectors by their direction alone.", handout),
        },
    )
    checks = folder / "checks.py"
    checks.write_text(checks.read_text().replace("import function, gradients", "import function, large"))
    (tmp_path / "in").mkdir()
    solution = (folder / "solution.py").read_text()
    (tmp_path / "in" / "bo.py").write_text(
        solution.replace("    query = query /", "    query = query.clamp(-50, 50)\n    query = query /")
    )
    out = tmp_path / "out"
    done = attngrade(folder.parent, "grade", tmp_path / "in", "-a", NAME, "-o", out, "--no-timing")
    assert done.returncode == 0, done.stderr
    outcomes = {one["id"]: one for one in json.loads((out / "results" / "bo.json").read_text())["checks"]}
    assert {name for name, one in outcomes.items() if one["status"] != "passed"} == {"cosine-scores-large"}
    assert outcomes["cosine-scores-large"]["diagnosis"] == cause


@pytest.mark.thorough
@pytest.mark.parametrize(
    "assignment",
    [
        pytest.param(path.name, marks=() if path.name == BY_DAY else pytest.mark.nightly)
        for path in sorted(EXAMPLES.iterdir())
        if (path / "checks.py").is_file()
    ],
)
def test_nothing_is_wrong_with_the_examples_and_they_are_built(assignment: str) -> None:
    built = attngrade(EXAMPLES, "author", "build", assignment)
    assert built.stdout == f"{assignment}: everything is up to date\n"
    checked = attngrade(EXAMPLES, "author", "check", assignment)
    assert (checked.returncode, checked.stdout) == (0, f"{assignment}: nothing is wrong\n"), checked.stderr
