"""An assignment is its folders: a toy one, added to a copy of the tree by folders alone, is built and graded."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import assignments
from tests.paths import ROOT

NAME = "doubling"
KEPT, *LEFT_OUT = assignments.NAMES  # the copy has one other assignment: leaving folders out works as well
FILES = {
    f"solutions/{NAME}/{NAME}.py": '''\
# %% [markdown]
# # Doubling
#
# A function that doubles a tensor.

# %%
import torch


# %%
def double(x):
    """Twice ``x``: a tensor of the same shape."""
    ### BEGIN SOLUTION: double every entry
    return x * 2.0
    ### END SOLUTION
''',
    f"solutions/{NAME}/handout.md": "# Doubling\n\n## double\n\nWrite `double(x)`.\n\n{% include 'grading.md' %}\n",
    f"reference/{NAME}/__init__.py": "",
    f"reference/{NAME}/modules.py": (
        f"from reference.{NAME}.functions import twice\n\n\ndef double(x):\n    return twice(x)\n"
    ),
    f"reference/{NAME}/functions.py": "def twice(x):\n    return x + x\n",
    f"autograder/assignments/{NAME}/__init__.py": 'ORDER = 99\nTITLE = "Doubling"\n',
    f"autograder/assignments/{NAME}/checks.py": """\
from autograder.assignments.kit.assertions import GRADIENTS, RIGHT
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value


def double(builder, *shape):
    x = builder.normal("x", *shape)
    builder.call("out", "double", x, outputs={"result": shape}, wrt=("x",))


CHECKS = part(
    "double",
    value("values", 50, "double gives the right values").on(case("values", double, 2, 3)).expects(RIGHT),
    gradient("gradients", 20, "Gradients reach x").on(case("gradients", double, 2, 3)).expects(GRADIENTS),
)
""",
    f"autograder/assignments/{NAME}/axes.py": (
        'from autograder.model import CallAxes\n\nCALLS = {"double": CallAxes(("rows columns",), ("rows columns",))}\n'
    ),
    f"autograder/assignments/{NAME}/causes.py": (
        "from autograder.model import Cause\n\n"
        'CAUSES = {"tripled": Cause("The tensor is tripled.", "Count the terms.")}\n'
    ),
    f"autograder/assignments/{NAME}/hidden/__init__.py": "",
    f"autograder/assignments/{NAME}/hidden/checks.py": f"""\
from autograder.assignments.{NAME}.checks import double
from autograder.assignments.kit.assertions import RIGHT
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import value

CHECKS = part(
    "double",
    value("hidden-values", 30, "double is right for a vector").on(case("hidden-values", double, 5)).expects(RIGHT),
)
""",
    f"autograder/assignments/{NAME}/hidden/mistakes/__init__.py": (
        "from autograder.assignments.kit.hidden.variant import Variant\n\n"
        'VARIANTS = (Variant("tripled", "", {"double": lambda x: 3 * x}),)\n'
    ),
    f"tests/assignments/{NAME}/wrong.toml": (
        '[[wrong]]\nname = "three-times"\nbase = "solution"\ncause = ["tripled"]\nreplace = [["x * 2.0", "x * 3.0"]]\n'
    ),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the toy assignment's folders, built."""
    root = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", *LEFT_OUT)
    for folder in ("autograder", "reference", "solutions", "assignments"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    assert attngrade(root, "build").returncode == 0
    return root


def attngrade(root: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run the copy's own program."""
    command = [sys.executable, "-m", "autograder", *map(str, words)]
    variables = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True, check=False)


def test_no_other_file_names_it(tree: Path) -> None:
    for name in FILES:
        assert NAME in Path(name).parts[:-1], name
    assert NAME not in assignments.NAMES
    assert attngrade(tree, "build", "--check").stdout == ""


def test_it_is_listed_last_and_handed_out(tree: Path, tmp_path: Path) -> None:
    listed = json.loads(attngrade(tree, "list", "--json").stdout)
    assert [row["assignment"] for row in listed] == [KEPT, NAME]
    assert (listed[-1]["title"], listed[-1]["public_checks"], listed[-1]["hidden_checks"]) == ("Doubling", 2, 1)
    assert attngrade(tree, "new", NAME, tmp_path / "work").returncode == 0
    assert "raise NotImplementedError" in (tmp_path / "work" / f"{NAME}.py").read_text()


def test_it_is_graded_with_its_own_cause(tree: Path, tmp_path: Path) -> None:
    solution = (tree / "solutions" / NAME / f"{NAME}.py").read_text()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ana.py").write_text(solution)
    (tmp_path / "in" / "bo.py").write_text(solution.replace("x * 2.0", "x * 3.0"))
    (tmp_path / "in" / "chen.py").write_text((tree / "assignments" / NAME / f"{NAME}.py").read_text())
    done = attngrade(tree, "grade", tmp_path / "in", "--assignment", NAME, "--out", tmp_path / "out", "--jobs", 1)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {name: (row["score"], row["diagnoses"]) for name, row in rows.items()} == {
        "ana": ("100", ""),
        "bo": ("50", "tripled"),  # one mistake with a name costs half of its part
        "chen": ("0", "not-implemented"),
    }
    bo = json.loads((tmp_path / "out" / "results" / "bo.json").read_text())
    assert "The tensor is tripled." in bo["checks"][0]["message"]


def test_its_corpus_is_audited(tree: Path) -> None:
    done = attngrade(tree, "audit", NAME, "--no-mutants", "--json")
    (figures,) = json.loads(done.stdout)
    assert (figures["assignment"], figures["right"], figures["wrong"]) == (NAME, 1, 1)
    assert done.returncode == 0, done.stdout
