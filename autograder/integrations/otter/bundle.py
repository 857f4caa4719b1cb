"""Adds attngrade to ``autograder.zip``: the instructor's edition, the secret seed, and scripts.

All of it is in ``files/attngrade``, the one folder that Gradescope, ``otter run`` and ``otter grade`` all copy. The zip
contains the seed and the references, so it is secret.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import msgspec

import autograder
from autograder.assignments import places
from autograder.integrations.gradescope_results import Visibility
from autograder.model.courses import COURSE_VARIABLE

BUNDLE = "attngrade"
PLAN, SEED, CACHE = "plan.json", "seed", "cache"
# To grade one submission.
NEEDED = ("torch", "numpy", "msgspec", "py-landlock", "pyseccomp", "click", "platformdirs", "PyYAML")
SCRIPTS = ("setup.sh", "run_autograder", "run_otter.py")


class BundleSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an autograder.zip grades. ``questions`` maps check ids to question names."""

    assignment: str
    questions: dict[str, str]
    timing: bool = True
    hidden: Visibility = "after_published"
    unconfined: bool = False
    hidden_titles: bool = False

    @classmethod
    def read(cls, bundle: Path) -> BundleSettings:
        """Read the settings of a bundle. Raises OSError or msgspec.MsgspecError."""
        return msgspec.json.decode((bundle / PLAN).read_bytes(), type=cls)


def bundle_of(root: Path) -> Path:
    """Return the bundle's folder on Gradescope and in any other copy of ``/autograder``."""
    return root / "source" / "files" / BUNDLE


def environment(bundle: Path) -> dict[str, str]:
    """Return the environment that runs the bundle's own code with its own cache and the assignment that it carries."""
    return os.environ | {"PYTHONPATH": str(bundle), "XDG_CACHE_HOME": str(bundle / CACHE), COURSE_VARIABLE: ""}


def write(bundle: Path, settings: BundleSettings, seed: str) -> None:
    """Write the bundle's folder, readable only by its owner."""
    package = Path(autograder.__file__).resolve().parent
    bundle.mkdir(mode=0o700)
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in (package, package.parent / "reference"):
        shutil.copytree(folder, bundle / folder.name, ignore=ignored)
    _copy_files_of(settings.assignment, bundle, package.parent)
    (bundle / PLAN).write_bytes(msgspec.json.encode(settings))
    descriptor = os.open(bundle / SEED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(seed + "\n")


def _copy_files_of(assignment: str, bundle: Path, root: Path) -> None:
    """Copy what else grading needs: a course's assignment, or the solution, whose parts stand in for wrong ones."""
    if (folder := places.of_courses().get(assignment)) is not None:
        ignored = shutil.ignore_patterns("__pycache__", ".*", "submissions")
        shutil.copytree(folder, bundle / places.CARRIED.relative_to(root) / assignment, ignore=ignored)
        return
    solution = places.place(assignment, root).solution
    copy = bundle / solution.relative_to(root)
    copy.parent.mkdir(parents=True)
    shutil.copyfile(solution, copy)


def requirements() -> str:
    """Return the requirements for ``setup.sh``, with the versions of this installation."""
    return "".join(f"{name}=={version(name).partition('+')[0]}\n" for name in NEEDED)


def finish(made: Path, path: Path) -> None:
    """Copy otter's zip with attngrade's scripts in place of otter's, readable only by its owner.

    What Python has compiled meanwhile stays behind: the machine that grades may have another one.
    """
    templates = files("autograder.integrations.otter") / "templates"
    ours = {name: (templates / name).read_bytes() for name in SCRIPTS}
    ours["requirements.txt"] = requirements().encode()
    part = path.with_name(path.name + ".part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with (
        os.fdopen(descriptor, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        zipfile.ZipFile(made) as theirs,
    ):
        for member in theirs.infolist():
            if member.filename not in ours and "__pycache__" not in member.filename:
                archive.writestr(member, theirs.read(member), zipfile.ZIP_DEFLATED)
        for name, data in ours.items():
            member = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            member.external_attr = (0o100755 if name != "requirements.txt" else 0o100644) << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    os.replace(part, path)


def run(bundle: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the bundle's own ``attngrade otter ...`` with this Python."""
    command = [sys.executable, "-P", "-m", "autograder", "otter", *arguments]
    return subprocess.run(command, cwd=bundle, env=environment(bundle), capture_output=True, text=True, check=False)
