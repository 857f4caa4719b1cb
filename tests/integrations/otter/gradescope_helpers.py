"""Gradescope's folders on this machine, and one run of the program in an autograder.zip."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import NamedTuple

import msgspec

from .test_parts import SpecResults


def laid_out(built: Path, root: Path) -> Path:
    """What looks like /autograder before setup.sh."""
    for folder in ("source", "submission", "results"):
        (root / folder).mkdir(parents=True)
    with zipfile.ZipFile(built / "autograder.zip") as archive:
        for member in archive.infolist():  # as unzip does, and unlike zipfile, with the permissions
            path = Path(archive.extract(member, root / "source"))
            path.chmod((member.external_attr >> 16) & 0o777 or 0o600)
    shutil.copy(root / "source" / "run_autograder", root)
    before = {"score": 3, "autograder_error": False, "results": {"tests": [0]}}
    metadata = {"id": 1, "users": [{"email": "a@b.c"}], "previous_submissions": [before]}
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    return root


class Ran(NamedTuple):
    """What one run of run_autograder left."""

    status: int
    out: str
    results: SpecResults | None


def run_autograder(place: Path, work: Path) -> Ran:
    """Hands one submission in."""
    shutil.rmtree(place / "submission")
    shutil.copytree(work, place / "submission")
    variables = {"AUTOGRADER_ROOT": str(place), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [place / "run_autograder"], cwd=place, env=variables, capture_output=True, text=True, check=False
    )
    file = place / "results" / "results.json"
    results = msgspec.json.decode(file.read_bytes(), type=SpecResults) if file.exists() else None
    return Ran(done.returncode, done.stdout + done.stderr, results)
