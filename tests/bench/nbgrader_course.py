"""A course for stock nbgrader: the bahdanau notebook with typical hand-written tests, and submissions to it.

The tests are of the kind that courses use (shapes, sums, a value or two), so that what is compared is the
cost of the two ways of grading, on the same notebooks.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

CONFIG = """c = get_config()
c.CourseDirectory.course_id = "bench"
c.CourseDirectory.root = {root!r}
c.ExecutePreprocessor.timeout = 60
"""

TESTS = (
    """\
import torch
scores = torch.tensor([[1.0, 2.0, 3.0], [1e4, 0.0, -1e4]])
weights = stable_softmax(scores)
assert weights.shape == scores.shape
assert torch.allclose(weights.sum(-1), torch.ones(2))
""",
    """\
weights = torch.softmax(torch.randn(4, 7), -1)
incoming = torch.randn(4, 7)
result = softmax_vjp(weights, incoming)
assert result.shape == (4, 7)
assert torch.allclose(result.sum(-1), torch.zeros(4), atol=1e-5)
""",
    """\
attention = BahdanauAttention(16, 16, 8)
context, weights = attention(torch.randn(2, 16), torch.randn(2, 6, 16))
assert context.shape == (2, 16)
assert weights.shape == (2, 6)
assert torch.allclose(weights.sum(-1), torch.ones(2), atol=1e-5)
context.sum().backward()
assert attention.W_s.weight.grad is not None
""",
)


def write_course(root: Path, solution: str, students: int) -> None:
    """``source/`` for the instructor, ``submitted/STUDENT/bahdanau`` for ``students`` different files."""
    root.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(CONFIG.format(root=str(root)))
    _write(root / "source" / "bahdanau" / "bahdanau.ipynb", _notebook(solution))
    for number in range(students):
        notebook = _notebook(f"{solution}\n# student {number}\n")
        _write(root / "submitted" / f"student{number:03}" / "bahdanau" / "bahdanau.ipynb", notebook)


def hand_in(course: Path, assignment: str, students: int) -> None:
    """``submitted/`` of a course that ``attngrade nbgrader init`` made: its own solutions, each a little different."""
    solved = nbformat.read(course / "source" / assignment / f"{assignment}.ipynb", as_version=4)
    solved.cells.append(new_code_cell("", id="mine"))
    for number in range(students):
        solved.cells[-1].source = f"# student {number}"
        _write(course / "submitted" / f"student{number:03}" / assignment / f"{assignment}.ipynb", solved)


def _notebook(solution: str) -> nbformat.NotebookNode:
    cells = [_cell("solution", solution, grade=False, solution=True, locked=False, points=0)]
    for number, test in enumerate(TESTS):
        cells.append(_cell(f"test{number}", test, grade=True, solution=False, locked=True, points=10))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _cell(name: str, source: str, **flags: object) -> nbformat.NotebookNode:
    cell = new_code_cell(source, id=name)
    cell.metadata["nbgrader"] = {"schema_version": 3, "grade_id": name, "task": False, "cell_type": "code", **flags}
    return cell


def _write(path: Path, notebook: nbformat.NotebookNode) -> None:
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
