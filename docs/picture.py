"""Make docs/picture.svg: what a terminal shows when ``attngrade check`` finds a mistake.

Run it in a checkout with the grader installed: python docs/picture.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "picture.svg"
WIDTH = 100
SHOWN = tomllib.loads((ROOT / "docs" / "picture.toml").read_text(encoding="utf-8"))
FILE = f"{SHOWN['assignment']}.py"
MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION.*\n", re.MULTILINE)
WEB_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def submission() -> str:
    """Return a model solution with one mistake. Raises ValueError if the solution has changed."""
    solution = (ROOT / "solutions" / SHOWN["assignment"] / FILE).read_text(encoding="utf-8")
    if solution.count(SHOWN["right"]) != 1:
        raise ValueError("the solution has changed; choose another mistake for the picture")
    return MARKER.sub("", solution).replace(SHOWN["right"], SHOWN["wrong"])


def output(folder: Path) -> str:
    """Return what ``attngrade check`` prints on a terminal, with its colours. Raises RuntimeError if the check
    did not find the mistake."""
    (folder / FILE).write_text(submission(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "check", FILE],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH)},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    if done.returncode != 1:
        raise RuntimeError(f"attngrade check exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


def picture(text: str) -> str:
    """Return an SVG of the command and its output. It refers to nothing on the network."""
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        console.print(Text.assemble(("$ ", "dim"), (f"attngrade check {FILE}", "bold")))
        console.print(Text.from_ansi(text.rstrip()))
        svg = console.export_svg(title="attngrade check", unique_id="attngrade")
    return WEB_FONT.sub("", svg)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        TARGET.write_text(picture(output(Path(folder))), encoding="utf-8")
    print(f"written: {TARGET.relative_to(ROOT)}")
