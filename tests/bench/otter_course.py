"""What grading costs in otter-grader, stock and with our autograder.zip: ``beside_otter``.

python tests/bench/otter_course.py --few 3 --many 30
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbgrader_course import TESTS

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
NAME = "bahdanau.ipynb"
Run = Callable[..., Any]  # bench.run and bench.grade


def beside_otter(few: int, many: int, scratch: Path, run: Run, grade: Run) -> None:
    """The same solved notebook through stock ``otter run``, ours, what Gradescope runs, and ``attngrade grade``."""
    stock = _stock(scratch / "stock", run, scratch)
    ours = scratch / "ours"
    run([BIN / "attngrade", "otter", "build", "bahdanau", "--out", ours, "--no-timing"], scratch, scratch)
    notebooks = _class(ours / "dist" / "autograder" / NAME, scratch / "handed-in", many)
    place = _autograder(ours / "autograder.zip", scratch / "autograder")

    def otter_run(archive: Path, notebook: Path) -> float:
        return float(run([BIN / "otter", "run", "-a", archive, "-o", scratch, notebook], scratch, scratch).cpu)

    def gradescope(notebook: Path) -> float:
        shutil.copy(notebook, place / "submission" / NAME)
        words = ["env", f"AUTOGRADER_ROOT={place}", place / "run_autograder"]
        return float(run(words, scratch, scratch).cpu)

    chosen = notebooks[:few]
    theirs = statistics.median(otter_run(stock, notebook) for notebook in chosen)
    print("\nOne solved bahdanau notebook as otter assign made it, CPU s a submission, start-up included")
    print(f"  stock otter run, plain asserts        {theirs:8.3f}    (median of {few})")
    grade(scratch / "handed-in", "bahdanau", scratch, 1)  # computes the expected values
    costs = {
        "otter run with our autograder.zip": statistics.median(otter_run(ours / "autograder.zip", n) for n in chosen),
        "our run_autograder, as on Gradescope": statistics.median(gradescope(n) for n in chosen),
        f"attngrade grade, {many} of them, 1 job": grade(scratch / "handed-in", "bahdanau", scratch, 1).cpu / many,
    }
    for name, cost in costs.items():
        print(f"  {name:36}  {cost:8.3f}    {theirs / cost:.1f} times less")


def _stock(folder: Path, run: Run, scratch: Path) -> Path:
    """An autograder.zip of otter's own making: the solution as one question, with three plain tests."""
    solution = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
    kept = "\n".join(line for line in solution.splitlines() if "SOLUTION" not in line and not line.startswith("# "))
    cells = [
        _cell("raw", "# ASSIGNMENT CONFIG\nexport_cell: false"),
        _cell("raw", "# BEGIN QUESTION\nname: q1\npoints: 30"),
        *(_cell("raw", "# BEGIN SOLUTION"), _cell("code", kept), _cell("raw", "# END SOLUTION")),
        *(_cell("raw", "# BEGIN TESTS"), *(_cell("code", test) for test in TESTS), _cell("raw", "# END TESTS")),
        _cell("raw", "# END QUESTION"),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    folder.mkdir()
    (folder / NAME).write_text(json.dumps(book))
    run([BIN / "otter", "assign", NAME, "dist"], folder, scratch)
    (made,) = (folder / "dist" / "autograder").glob("*.zip")
    return made


def _class(solved: Path, folder: Path, many: int) -> list[Path]:
    """``many`` different notebooks."""
    folder.mkdir()
    book = json.loads(solved.read_text())
    for number in range(many):
        other = book | {"cells": [*book["cells"], _cell("code", f"# student {number}") | {"id": f"student-{number}"}]}
        (folder / f"student{number:03}.ipynb").write_text(json.dumps(other))
    return sorted(folder.iterdir())


def _autograder(archive: Path, root: Path) -> Path:
    """What looks like /autograder once setup.sh is through."""
    for name in ("submission", "results", "source"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "run_autograder").chmod(0o755)
    (root / "env").symlink_to(sys.prefix)
    return root


def _cell(kind: str, source: str) -> dict[str, Any]:
    code_only: dict[str, Any] = {"execution_count": None, "outputs": []}
    return {"cell_type": kind, "metadata": {}, "source": source} | (code_only if kind == "code" else {})


def main() -> None:
    """Prints the comparison alone."""
    from bench import grade, run

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=3, help="submissions one by one")
    parser.add_argument("--many", type=int, default=30, help="submissions in bulk")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attngrade-bench-") as name:
        beside_otter(options.few, options.many, Path(name), run, grade)


if __name__ == "__main__":
    main()
