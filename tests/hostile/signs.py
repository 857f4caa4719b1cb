"""The signs of success that can be read from grades and from what is written about them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from autograder import model
from autograder.report import terminal
from autograder.report.web import write_report
from autograder.runs import grades_csv
from tests.hostile.attacks import Attack
from tests.hostile.world import CANARY
from tests.paths import ROOT

STOLEN = "STO" + "LEN"  # in two halves, or a submission that quotes this file would seem to have succeeded
LONGEST = 2000  # characters of a message (contract, section 4)
SCRIPT = (ROOT / "autograder" / "report" / "web" / "pages" / "class.js").read_text(encoding="utf-8")
CODE = re.compile(r'<pre class="code".*?</pre>', re.DOTALL)
MARKUP = re.compile(r"<(script|img|/td><script)\b", re.IGNORECASE)


def in_grade(attack: Attack, grade: model.Grade) -> Iterator[str]:
    """What the grade of an attack shows of success."""
    if grade.status == "infrastructure-error":
        yield f"ours: {grade.message}"
    elif grade.status not in attack.status:
        yield f"status: {grade.status}, {grade.message}"
    if grade.score is not None and grade.score > attack.most:
        yield f"points: {grade.score:g}, {attack.most:g} at most"
    yield from stolen(msgspec.json.encode(grade).decode())
    texts = [grade.message, *(check.message for check in grade.checks), *(check.hint for check in grade.checks)]
    for text in texts:
        if not text.replace("\n", "").isprintable():
            yield f"raw: not printable: {text[:200]!r}"
        if len(text) > LONGEST:
            yield f"raw: {len(text)} characters in a message"


def stolen(text: str) -> Iterator[str]:
    """Whether a text holds what must not be seen."""
    for word in (STOLEN, CANARY):
        if word in text:
            yield f"loot: {text[max(0, text.index(word) - 80) :][:240]}"


def in_reports(grades: Sequence[model.Grade], folder: Path) -> Iterator[str]:
    """What the table, the page and the terminal show of success when they are written about all of these."""
    table, page = folder / "grades.csv", folder / "index.html"
    grades_csv.write_grades(table, grades)
    write_report(page, list(grades))
    yield from in_files(folder)
    screen = io.StringIO()
    console = Console(file=screen, width=200)
    terminal.grades(console, grades)
    for grade in grades:
        terminal.checks(console, grade)
        terminal.failures(console, grade)
    shown = screen.getvalue()
    yield from stolen(shown)
    if not shown.replace("\n", "").isprintable():
        odd = {character for character in shown if not character.isprintable()} - {"\n"}
        yield f"raw: {sorted(odd)!a} on the terminal"


def in_files(folder: Path) -> Iterator[str]:
    """The same of files that are there: tables, pages and results."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".csv", ".html", ".json"):
            continue
        text = without_ours(path.read_text(encoding="utf-8"))
        yield from stolen(text)
        if path.suffix == ".html" and MARKUP.search(text):
            yield f"raw: markup in {path.name}"
        if path.suffix == ".csv":
            yield from (f"raw: a cell begins with {cell[:40]!r}" for cell in _formulas(text))


def without_ours(page: str) -> str:
    """Return a page without our own script, and without the code that a student handed in and knows."""
    return CODE.sub("", page.replace(f"<script>\n{SCRIPT.rstrip()}</script>", ""))


def _formulas(table: str) -> list[str]:
    """Cells of a table that a spreadsheet would compute."""
    cells = [cell for row in csv.reader(io.StringIO(table, newline="")) for cell in row]
    return [c for c in cells if c.startswith(grades_csv.FORMULA) and not re.fullmatch(r"[+-]?\d+(\.\d+)?", c)]
