"""The same class gets the same ``grades.csv`` in every layout, but for how each file was found."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.command_helpers import Run
from tests.intake.class_layouts import LAYOUTS, SOLUTION, class_of, folder, packed, written, zips

# What says how a file was found, or how long it took.
OF_THE_WAY = {"student", "seconds", "name", "file", "handed_in", "days_late"}
WRITTEN = (SOLUTION, SOLUTION.replace(b"torch.tanh(", b"torch.sigmoid("), SOLUTION.replace(b"torch.tanh(", b"("))
CLASS = class_of(lambda number: WRITTEN[number // 10 % len(WRITTEN)])


def table(submissions: Path, out: Path, run: Run) -> dict[str, dict[str, str]]:
    """Return what ``grades.csv`` says of each student."""
    done = run("grade", submissions, "-a", "bahdanau", "-o", out, "-j", 2, "--no-timing", "--json")
    assert done.status == 0, done.err
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    name = len("student00")
    found = {row["student"][row["student"].index("student") :][:name]: row for row in rows}
    assert len(found) == len(rows) == len(CLASS)
    return {student: {key: row[key] for key in row if key not in OF_THE_WAY} for student, row in found.items()}


@pytest.mark.thorough
def test_sixty_students_have_the_same_grades_in_every_layout(tmp_path: Path, run: Run) -> None:
    expected = table(written(tmp_path / "folder", folder(CLASS)), tmp_path / "out", run)
    statuses = [row["status"] for row in expected.values()]
    assert [statuses.count(one) for one in ("graded", "missing", "unreadable")] == [42, 12, 6]
    graded = [row for row in expected.values() if row["status"] == "graded"]
    assert {row["diagnoses"] for row in graded} == {"", "missing-tanh", "wrong-activation", "not-implemented"}
    (tmp_path / "export.zip").write_bytes(packed({f"class/{name}": data for name, data in zips(CLASS)}))
    assert table(tmp_path / "export.zip", tmp_path / "of zip", run) == expected
    for layout in LAYOUTS:
        place = tmp_path / layout.__name__
        assert table(written(place / "in", layout(CLASS)), place / "out", run) == expected, layout.__name__
