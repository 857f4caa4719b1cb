"""A class of thirteen as Gradescope exports it: notebooks that otter made, other work, and attacks on stock otter."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from tests.corpus import sample_class
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
NAME = "bahdanau.ipynb"

# Nothing of this may earn a point for work that is not there.
MEDDLING = (
    "import ast, builtins, torch\n"
    "torch.allclose = torch.equal = lambda *a, **k: True\n"
    "torch.testing.assert_close = lambda *a, **k: None\n"
    "builtins.AssertionError = type('Never', (BaseException,), {})",
    "class Empty(ast.NodeTransformer):\n"
    "    def visit_Assert(self, node):\n        return ast.Pass()\n"
    "    def visit_Call(self, node):\n        return ast.Constant(True)\n"
    "get_ipython().ast_transformers.append(Empty())",
    "import otter\n"
    "otter.Notebook.check = lambda *a, **k: 'all passed'\n"
    "import otter.test_files\n"
    "otter.test_files.GradingResults.total = property(lambda self: 100)\n"
    "otter.test_files.abstract_test.TestFile.score = property(lambda self: 100)",
)
LOOPING = ("while True:\n    pass",)  # each new worker comes by here
LEAVING = ("import os\ndef stable_softmax(scores, dim=-1):\n    os._exit(0)",)
# ROOT: what looks like /autograder. Who could read the reference here would be right everywhere.
READING = (
    "import os, pathlib, pickle, sys\n"
    "found = []\n"
    "for place in ('ROOT', os.getcwd(), '/autograder', '..'):\n"
    "    for path in pathlib.Path(place).rglob('*') if os.path.isdir(place) else ():\n"
    "        try:\n            found.append(path.read_bytes())\n        except OSError:\n            pass",
    "sys.path.insert(0, 'ROOT/source/files/attngrade')\n"
    "import reference.bahdanau as reference\n"
    "stable_softmax, softmax_vjp = reference.stable_softmax, reference.softmax_vjp",
    "for name in ('results.json', 'results.pkl'):\n"
    "    with open('ROOT/results/' + name, 'wb') as file:\n"
    "        file.write(b'{\"score\": 100}' if 'json' in name else pickle.dumps({'score': 100}))",
    "def stable_softmax(scores, dim=-1):\n    raise RuntimeError(repr(found)[:1500] + '<b>100</b>\\x1b[31m')",
)


def code(source: str) -> dict[str, Any]:
    """A cell."""
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def filled(student: dict[str, Any], change: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """The students' notebook with all that was to be written, after one change; a cell of Colab's goes before."""
    import jupytext

    written = [cell.source for cell in jupytext.reads(SOLUTION, fmt="py:percent").cells if cell.cell_type == "code"]
    written = [source.replace(*change) if change[0] else source for source in written]
    book = copy.deepcopy(student)
    for cell in book["cells"]:
        if "otter_answer_cell" in cell["metadata"].get("tags", []):
            first = "".join(cell["source"]).splitlines()[0]
            cell["source"] = next(source for source in written if source.startswith(first))
    book["cells"].insert(0, code("!pip install -q otter-grader\n%matplotlib inline"))
    return book


def attacked(student: dict[str, Any], cells: tuple[str, ...], root: Path) -> dict[str, Any]:
    """The untouched notebook with an attack at its end, before the tests are run once more."""
    book = copy.deepcopy(student)
    book["cells"] += [code(cell.replace("ROOT", str(root))) for cell in cells]
    book["cells"].append(code("grader.check_all()"))
    return book


def write_export(folder: Path, student: dict[str, Any], root: Path) -> dict[str, list[str]]:
    """The export; gives the students of each submission. The second is a group's."""
    sample = sample_class.files("bahdanau")
    works: dict[str, dict[str, bytes]] = {
        "ana": {NAME: _json(filled(student))},
        "bo cy": {NAME: _json(filled(student, ("torch.tanh(", "torch.sigmoid(")))},
        "dara": {"bahdanau.py": sample["dara.py"]},
        "chen": {NAME: sample["chen.ipynb"], "notes.txt": b"by Colab"},
        "gita": {"bahdanau (1).py": sample["gita/bahdanau (1).py"]},
        "ines": {"hw1.py": sample["ines/hw1.py"]},
        "jun": {"bahdanau.py": sample["jun.py"]},
        "olek": {NAME: sample["olek/bahdanau.ipynb"]},
        "uma": {NAME: _json(student)},
        "vik": {NAME: _json(attacked(student, MEDDLING + LEAVING, root))},
        "wren": {NAME: _json(attacked(student, LOOPING, root))},
        "xia": {NAME: _json(attacked(student, READING, root))},
        "yan": {NAME: _json(filled(student, ("torch.exp(scores - ", "torch.exp(0.5 * scores - 0.5 * ")))},
    }
    metadata, students = [], {}
    for number, (names, files) in enumerate(works.items(), start=1):
        place = folder / f"submission_{number}"
        place.mkdir(parents=True)
        for name, data in files.items():
            (place / name).write_bytes(data)
        students[place.name] = names.split()
        metadata.append(f"{place.name}:\n  :submitters:")
        metadata += [f"  - :name: {name}\n    :sid: '{name}'\n    :email: {name}@example.edu" for name in names.split()]
        metadata.append("  :created_at: 2024-02-01 10:00:00.000000000 Z")
    (folder / "submission_metadata.yml").write_text("\n".join(metadata) + "\n")
    return students


def trap(student: dict[str, Any], canary: Path) -> bytes:
    """A zip as ``grader.export`` writes it, with modules that the kernel might import in the place of others, and a
    log that ends its reader's innocence: what runs any of it in otter's process or kernel writes the canary."""
    spring = f"open({str(canary)!r}, 'a').write('caught')"
    log = b"cbuiltins\nexec\n(V" + spring.encode() + b"\ntR."
    members = {
        NAME: _json(attacked(student, (spring, *MEDDLING), canary.parent)),
        ".OTTER_LOG": log,
        "__zip_filename__": b"bahdanau_2024.zip",
        **{f"{name}.py": spring.encode() for name in ("otter", "IPython", "logging", "pickle", "sitecustomize")},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _json(book: dict[str, Any]) -> bytes:
    return json.dumps(book).encode()
