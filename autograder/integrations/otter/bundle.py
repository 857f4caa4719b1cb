"""What goes into ``autograder.zip`` besides otter's own files: the instructor's edition, the seed, the scripts.

Everything lies in ``files/attngrade``, the one folder that Gradescope, ``otter run`` and ``otter grade`` all take over.
The zip is as secret as the seed and the references that it holds.
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
from autograder.integrations.gradescope import Visibility

BUNDLE = "attngrade"
PLAN, SEED, CACHE = "plan.json", "seed", "cache"
NEEDED = (
    "torch",
    "numpy",
    "msgspec",
    "py-landlock",
    "pyseccomp",
    "click",
    "PyYAML",
)  # by what grades one submission
SCRIPTS = ("setup.sh", "run_autograder", "run_otter.py")


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an autograder.zip grades. ``questions``: of every check the question that it belongs to."""

    topic: str
    questions: dict[str, str]
    timing: bool = True
    hidden: Visibility = "after_published"
    unconfined: bool = False

    @classmethod
    def read(cls, bundle: Path) -> Order:
        """The one that lies in a bundle. Raises OSError or msgspec.MsgspecError."""
        return msgspec.json.decode((bundle / PLAN).read_bytes(), type=cls)


def bundle_of(root: Path) -> Path:
    """Where the bundle lies on Gradescope, and wherever else something looks like ``/autograder``."""
    return root / "source" / "files" / BUNDLE


def environment(bundle: Path) -> dict[str, str]:
    """The variables with which a bundle's own code runs, and finds its own values."""
    return os.environ | {"PYTHONPATH": str(bundle), "XDG_CACHE_HOME": str(bundle / CACHE)}


def write(bundle: Path, order: Order, seed: str) -> None:
    """Makes the folder, readable by its owner only."""
    package = Path(autograder.__file__).parent
    bundle.mkdir(mode=0o700)
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in (package, package.parent / "reference"):
        shutil.copytree(folder, bundle / folder.name, ignore=ignored)
    (bundle / PLAN).write_bytes(msgspec.json.encode(order))
    descriptor = os.open(bundle / SEED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(seed + "\n")


def requirements() -> str:
    """What ``setup.sh`` installs: the versions with which the zip was made."""
    return "".join(f"{name}=={version(name).partition('+')[0]}\n" for name in NEEDED)


def finish(made: Path, path: Path) -> None:
    """Writes the zip that otter made, with our scripts in the place of its own, readable by its owner only."""
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
            if member.filename not in ours:
                archive.writestr(member, theirs.read(member), zipfile.ZIP_DEFLATED)
        for name, data in ours.items():
            member = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            member.external_attr = (0o100755 if name != "requirements.txt" else 0o100644) << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    os.replace(part, path)


def run(bundle: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the bundle's own ``attngrade otter ...``, with this Python."""
    command = [sys.executable, "-P", "-m", "autograder", "otter", *words]
    variables = environment(bundle)
    return subprocess.run(command, cwd=bundle, env=variables, capture_output=True, text=True, check=False)
