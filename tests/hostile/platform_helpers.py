"""A class of scripts as Gradescope exports it and as a course of nbgrader; and what each program shows of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.integrations.nbgrader.class_helpers import done, nbgrader


def gradescope_export(folder: Path, assignment: str, texts: Mapping[str, str]) -> None:
    """Writes the export of a class: a folder for each student's script, and who handed it in."""
    lines = []
    for number, (student, text) in enumerate(texts.items()):
        place = folder / f"submission_{number}"
        place.mkdir(parents=True)
        (place / f"{assignment}.py").write_text(text)
        lines.append(f"submission_{number}:\n  :submitters:\n  - :name: {student}\n    :sid: {student}\n")
    (folder / "submission_metadata.yml").write_text("".join(lines))


def gradescope_results(place: Path, assignment: str, texts: Mapping[str, str], *options: str) -> dict[str, Any]:
    """Grades the export of a class into ``place/out``. Gives what Gradescope shows of each student."""
    gradescope_export(place / "export", assignment, texts)
    done("attngrade", "grade", "export", "-a", assignment, "-o", "out", "-j", "2", *options, cwd=place)
    done("attngrade", "export", "out", "--to", "gradescope", "-o", "shown", cwd=place)
    return {path.parent.name: json.loads(path.read_text()) for path in (place / "shown").rglob("results.json")}


def nbgrader_course(course: Path, assignment: str, texts: Mapping[str, str], config: str) -> None:
    """Makes a course in which each student has added one cell to what was released."""
    done("attngrade", "nbgrader", "init", course, "--assignment", assignment, cwd=course.parent)
    with (course / "nbgrader_config.py").open("a") as file:
        file.write(config)
    nbgrader(["db", "upgrade"], ["generate_assignment", assignment], cwd=course)
    released = (course / "release" / assignment / f"{assignment}.ipynb").read_text()
    for student, text in texts.items():
        notebook = json.loads(released)
        notebook["cells"].append(
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text, "id": "own"}
        )
        folder = course / "submitted" / student / assignment
        folder.mkdir(parents=True)
        (folder / f"{assignment}.ipynb").write_text(json.dumps(notebook))


def nbgrader_scores(course: Path, assignment: str, *commands: list[str]) -> dict[str, float]:
    """Grades a course in bulk, and runs other ``commands`` of nbgrader. Gives the scores that nbgrader exports."""
    done("attngrade", "nbgrader", "grade", course, assignment, "--jobs", "2", cwd=course.parent)
    nbgrader(*commands, ["export"], cwd=course)
    with (course / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
