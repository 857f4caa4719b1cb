"""What Canvas, Moodle and Gradescope hand out for a small class: a zip of submissions, and the file with everybody."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs.pages import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8")
WORKS = {"ada": SOLUTION, "ben": SOLUTION.replace("return context, weights", "return weights, context")}


def canvas(place: Path) -> None:
    """Two files in a zip as "Download Submissions" makes it, and the exported gradebook."""
    files = {"byronada_101_9001_bahdanau.py": WORKS["ada"], "odeben_LATE_102_9002_bahdanau-1.py": WORKS["ben"]}
    (place / "submissions.zip").write_bytes(_zip(files))
    (place / "gradebook.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Bahdanau attention (7001)\n"
        "    Points Possible,,,,,50.00\n"
        '"Byron, Ada",101,s-101,ada,CS 101,\n"Ode, Ben",102,s-102,ben,CS 101,\n"Vas, Cleo",103,s-103,cleo,CS 101,\n'
    )


def moodle(place: Path) -> None:
    """Two folders in a zip as "Download all submissions" makes it, and the grading worksheet."""
    names = {"ada": "Ada Byron_501_assignsubmission_file", "ben": "Ben Ode_502_assignsubmission_file"}
    files = {f"{folder}/bahdanau.py": WORKS[student] for student, folder in names.items()}
    (place / "submissions.zip").write_bytes(_zip(files))
    in_time = '"Sunday, 1 February 2026, 10:00 AM"'
    late = '"Monday, 2 February 2026, 9:00 AM"'
    (place / "worksheet.csv").write_text(
        'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
        '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
        f'Participant 501,"Ada Byron",ada@x.edu,"Submitted for grading",,50.00,Yes,{in_time},-,\n'
        f'Participant 502,"Ben Ode",ben@x.edu,"Submitted for grading",,50.00,Yes,{late},-,\n'
        'Participant 503,"Cleo Vas",cleo@x.edu,"No submission",,50.00,Yes,-,-,\n'
    )
    (place / "assignment.toml").write_text(
        '[late]\ndeadline = "2026-02-01T23:59+01:00"\npercent_per_day = 10\ntimezone = "Europe/Berlin"\n'
    )


def gradescope(place: Path) -> None:
    """An export with its metadata, and the roster."""
    lines = []
    files = {}
    for number, (student, text) in enumerate(WORKS.items(), start=1):
        lines += [f"submission_{number}:", "  :submitters:", f"  - :name: {student.title()}"]
        lines += [
            f"    :sid: {student}",
            f"    :email: {student}@x.edu",
            "  :created_at: 2026-02-01 10:00:00.000000000 Z",
        ]
        files[f"assignment_1_export/submission_{number}/bahdanau.py"] = text
    files["assignment_1_export/submission_metadata.yml"] = "---\n" + "\n".join(lines) + "\n"
    (place / "export.zip").write_bytes(_zip(files))
    (place / "roster.csv").write_text(
        "Name,SID,Email,Role\nAda Byron,ada,ada@x.edu,Student\nBen Ode,ben,ben@x.edu,Student\n"
        "Cleo Vas,cleo,cleo@x.edu,Student\nKim Tea,kim,kim@x.edu,TA\n"
    )


DOWNLOADS: Mapping[str, Callable[[Path], None]] = {"Canvas": canvas, "Moodle": moodle, "Gradescope": gradescope}


def _zip(files: Mapping[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()
