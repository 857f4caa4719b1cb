"""Twelve students of a course for nbgrader, one who hands nothing in that could be graded, and the real programs."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.paths import ROOT

BIN = Path(sys.executable).parent
TOPIC = "bahdanau"
SECONDS = {"case_seconds": 1.0, "cell_seconds": 2.0, "load_seconds": 6.0, "submission_seconds": 20.0}
Notebook = dict[str, Any]
Cell = dict[str, Any]

# Each of the attacks that work on the stock tools, in front of work that does nothing.
ALWAYS_CLOSE = """
import ast, torch
torch.allclose = torch.equal = torch.testing.assert_close = lambda *_, **__: True
class Empty(ast.NodeTransformer):
    def visit_Module(self, node):
        node.body = []
        return node
try:
    get_ipython().ast_transformers.append(Empty())
except NameError:
    pass
"""
READS_AND_WRITES = """
import glob, sqlite3
for place in ("COURSE/source/bahdanau/bahdanau.ipynb", "../../../source/bahdanau/bahdanau.ipynb"):
    try:
        stolen = open(place).read()
        exec("".join(line for line in stolen.splitlines() if "return" in line))
    except Exception as error:
        print(error)
try:
    gradebook = sqlite3.connect("COURSE/gradebook.db")
    gradebook.execute("UPDATE grade SET manual_score = 1000, auto_score = 1000")
    gradebook.commit()
except Exception as error:
    print(error)
try:
    open("COURSE/stolen.txt", "w").write("jun was here")
except Exception as error:
    print(error)
"""
FORGED_PICKLE = """
import pickle, torch
from torch import nn
class Forged:
    def __reduce__(self):
        return exec, ("open('COURSE/stolen.txt', 'w').write('lena was here')",)
for place in ("results.pkl", ".OTTER_LOG", "COURSE/results.pkl"):
    try:
        pickle.dump({"score": 100, "forged": Forged()}, open(place, "wb"))
    except Exception as error:
        print(error)
def stable_softmax(scores, dim=-1):
    return Forged()
def softmax_vjp(weights, grad_weights):
    return pickle.dumps(Forged())
class BahdanauAttention(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
    def forward(self, *inputs):
        return Forged(), Forged()
"""
LOOP = "def softmax_vjp(weights, grad_weights):\n    while True:\n        pass\n"
SCRIPT = '<script>window.pwned = 1</script> <img src="x" onerror="window.pwned = 2">'
NOISE = "import sys, warnings\nwarnings.warn('a warning')\nprint('on stderr', file=sys.stderr)\n"


def program(name: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs one of the programs as an instructor or a student would, whatever it ends with."""
    environment = os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",  # nbgrader calls alembic by its name
        "PYTHONPATH": str(ROOT),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    command = [str(BIN / "python"), "-m", "autograder"] if name == "attngrade" else [str(BIN / name)]
    return subprocess.run(
        [*command, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300
    )


ONE_AFTER_ANOTHER = """
import json, sys
from nbgrader.apps import NbGraderApp
for words in json.loads(sys.argv[1]):
    print("==", words[0], flush=True)
    try:
        NbGraderApp.launch_instance(words)
    except SystemExit as ended:
        if ended.code:
            raise
    NbGraderApp.clear_instance()
"""


def nbgrader(*commands: list[str], cwd: Path) -> dict[str, str]:
    """What each of these commands of nbgrader says; all in one process, for importing it takes seconds."""
    said = done("python", "-c", ONE_AFTER_ANOTHER, json.dumps(commands), cwd=cwd)
    return {part.split()[0]: part for part in said.split("== ")[1:]}


def done(name: str, *arguments: object, cwd: Path) -> str:
    """What a program says that must end well."""
    ran = program(name, *arguments, cwd=cwd)
    assert ran.returncode == 0, f"{name} {arguments}: {ran.stdout}\n{ran.stderr}"
    return ran.stdout + ran.stderr


def name_of(cell: Cell) -> str:
    """nbgrader's name of a cell."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def is_test(cell: Cell) -> bool:
    """Whether a cell of the release is a test."""
    return bool(cell["metadata"].get("nbgrader", {}).get("grade"))


def read(path: Path) -> Notebook:
    """A notebook, of which every cell has its text as a string."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def class_of(course: Path) -> dict[str, str]:
    """What each student hands in, as the text of the notebook, from what was released."""
    release = read(course / "release" / TOPIC / f"{TOPIC}.ipynb")
    answers = {name_of(cell): cell["source"] for cell in read(course / "source" / TOPIC / f"{TOPIC}.ipynb")["cells"]}

    def work(change: Callable[[Cell], None] = lambda cell: None, solved: bool = True) -> Notebook:
        made = copy.deepcopy(release)
        for cell in made["cells"]:
            if solved and cell["metadata"].get("nbgrader", {}).get("solution"):
                cell["source"] = answers[name_of(cell)]
            change(cell)
        return made

    def replace(old: str, new: str) -> Callable[[Cell], None]:
        return lambda cell: cell.update(source=cell["source"].replace(old, new))

    def first(source: str, made: Notebook) -> Notebook:
        made["cells"].insert(0, _code(source.replace("COURSE", str(course))))
        return made

    made = {
        "ana": work(),
        "bo": work(replace("torch.tanh(", "torch.sigmoid(")),
        "chen": work(solved=False),
        "dara": work(replace("exponentials = torch.exp(", "exponentials = = torch.exp(")),
        "finn": _without_tests(work()),
        "gita": work(),
        "hugo": first(
            NOISE,
            work(
                replace(
                    "def stable_softmax(scores, dim=-1):\n",
                    "def stable_softmax(scores, dim=-1):\n    import warnings; warnings.warn('slow')\n",
                )
            ),
        ),
        "ines": first(ALWAYS_CLOSE, work(solved=False)),
        "jun": first(READS_AND_WRITES, work(solved=False)),
        "kofi": work(),
        "lena": _lies(first(FORGED_PICKLE, work(solved=False))),
    }
    made["gita"]["cells"] = [cell for cell in made["gita"]["cells"] if name_of(cell) != "softmax_vjp"]
    for cell in made["kofi"]["cells"]:
        if name_of(cell) == "softmax_vjp":
            cell["source"] = LOOP
    texts = {student: json.dumps(notebook) for student, notebook in made.items()}
    return texts | {"eli": texts["ana"][: len(texts["ana"]) // 2]}


def _without_tests(notebook: Notebook) -> Notebook:
    """Test cells deleted, emptied and doubled, solution cells renamed: the code is there all the same."""
    cells = []
    for cell in notebook["cells"]:
        if name_of(cell) == "test-shapes":
            continue
        if name_of(cell) == "test-softmax_vjp":
            cell["source"] = "pass"
        if name_of(cell) == "stable_softmax":
            cell["metadata"]["nbgrader"]["grade_id"] = "my_softmax"
        if name_of(cell) == "BahdanauAttention":
            cell["metadata"] = {}
        cells.append(cell)
        if name_of(cell) == "test-rules":
            cells.append(copy.deepcopy(cell))
    return notebook | {"cells": cells}


def _lies(notebook: Notebook) -> Notebook:
    """Metadata that say what a student would like, and outputs that say it too."""
    for cell in notebook["cells"]:
        if is_test(cell):
            cell["metadata"]["nbgrader"] |= {"points": 1e9, "solution": True, "score": 1e9, "task": "yes"}
            number = {"text/plain": "100"}
            cell["outputs"] = [
                {"output_type": "execute_result", "data": number, "metadata": {}, "execution_count": 1},
                {"output_type": "stream", "name": "stdout", "text": "forged " * 200_000},
            ]
    notebook["cells"] += [_code(SCRIPT) | {"cell_type": kind} for kind in ("markdown", "raw")]
    notebook["cells"].append(_code("1") | {"metadata": {"nbgrader": "not a table"}})
    return notebook


def _code(source: str) -> Cell:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source, "id": "x"}
