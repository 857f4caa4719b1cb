"""Write the sample class into a folder: `python -m tests.corpus.sample_class FOLDER [ASSIGNMENT ...]`.

`tests/assignments/T/sample_class.toml` declares what each student hands in, and what the grader must say. Without
names, the classes of all assignments are written, but of those that train models: each submission costs a minute there.
"""

from __future__ import annotations

import io
import json
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from tests.corpus.suites import CORPUS, DEAREST, ROOT, cost

MARKDOWN = "# %% [markdown]\n"


class Student(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One student. The text is `text`, or that of another student (`base`) with replacements. With the base `skeleton`
    the shipped starter file is handed in as it is.

    A notebook has a cell for each part of the text between two blank lines. In a file that ends with `.zip` the text is
    the member `inside`; `beside` holds other members.
    """

    id: str
    file: str
    why: str
    status: str = "graded"
    score: Literal["full", "part", "zero"] = "part"
    diagnosis: str | None = None
    text: str = ""
    base: str = ""
    replace: list[tuple[str, str]] = []
    inside: str = ""
    beside: dict[str, str] = {}
    encoding: str = "utf-8"
    cut: int | None = None  # characters, after which the file ends


def students(assignment: str) -> dict[str, Student]:
    """Return the students of an assignment by their ids."""
    tables = tomllib.loads((CORPUS / assignment / "sample_class.toml").read_text(encoding="utf-8"))["student"]
    return {one.id: one for one in msgspec.convert(tables, list[Student])}


def text_of(assignment: str, student: str, known: dict[str, Student]) -> str:
    """Return a student's text. Raises ValueError where a replacement does not apply."""
    one = known[student]
    if not one.base:
        return one.text
    text = text_of(assignment, one.base, known)
    for old, new in one.replace:
        if text.count(old) != 1:
            raise ValueError(f"{assignment}: {student}: {text.count(old)} times in {one.base}: {old!r}")
        text = text.replace(old, new)
    return text


def notebook(text: str) -> str:
    """Return a notebook as its file: run out of order, with an output for each cell."""
    parts = [part.strip("\n") for part in text.split("\n\n\n")]
    cells = [_cell(part, number) for number, part in zip(range(len(parts), 0, -1), parts, strict=True)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def _cell(text: str, number: int) -> dict[str, Any]:
    markdown = text.startswith(MARKDOWN)
    lines = text.removeprefix(MARKDOWN).splitlines(keepends=True)
    common = {"id": f"cell-{number}", "metadata": {}, "source": lines}
    if markdown:
        return {"cell_type": "markdown", **common}
    output = {"name": "stdout", "output_type": "stream", "text": ["done"]}
    return {"cell_type": "code", "execution_count": number, "outputs": [output], **common}


def content(assignment: str, student: str, known: dict[str, Student]) -> bytes:
    """Return the file that a student hands in."""
    one = known[student]
    suffix = Path(one.file).suffix
    if one.base == "skeleton":
        return (ROOT / "assignments" / assignment / f"{assignment}{suffix}").read_bytes()
    text = text_of(assignment, student, known)
    if suffix == ".zip":
        archived = io.BytesIO()
        with zipfile.ZipFile(archived, "w") as archive:
            for name, inner in {one.inside: text, **one.beside}.items():
                archive.writestr(name, inner)
        return archived.getvalue()
    return (notebook(text) if suffix == ".ipynb" else text)[: one.cut].encode(one.encoding)


def files(assignment: str) -> dict[str, bytes]:
    """Return what the class hands in, by the names of the files."""
    known = students(assignment)
    return {one.file: content(assignment, one.id, known) for one in known.values()}


def write(folder: Path, assignment: str) -> None:
    """Write the class of one assignment into a folder."""
    for name, data in files(assignment).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def quick() -> Iterator[str]:
    """Yield the assignments that are graded in seconds. Print the names of the others."""
    for name in sorted(path.parent.name for path in CORPUS.glob("*/sample_class.toml")):
        if cost(name) < DEAREST:
            yield name
        else:
            print(f"Left out: {name}, which takes up to {cost(name):.0f} s for each submission.")


def main(words: Iterable[str]) -> None:
    """Write the class into the folder that the first word names."""
    folder, *assignments = words
    for assignment in assignments or quick():
        write(Path(folder) / assignment, assignment)


if __name__ == "__main__":
    main(sys.argv[1:])
