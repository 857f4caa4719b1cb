"""Where students get the students' edition, and the lines with which they install it.

No package index has attngrade, so a text for students never says ``pip install`` and the bare name: anybody could
take that name. Each course hosts the folder that ``attngrade students`` makes, and every text gets its address here.
"""

import contextlib
import json
import os
import re
from importlib import metadata
from pathlib import Path

import autograder
from autograder.grading import seed
from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular
from autograder.runs.results import write_whole

VARIABLE = "ATTNGRADE_STUDENTS_URL"
WHEEL = f"attngrade-{autograder.__version__}-py3-none-any.whl"
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"  # a tenth of the size of those with CUDA
NO_ADDRESS = "Your course gives you the address of attngrade, the students' edition."
LONGEST = 2000  # characters
SETTING = "ADDRESS = "  # how the line of a generated notebook begins that holds the address
# Addresses stand in shell lines, notebooks, YAML and HTML, so they hold nothing that means something there.
HTTPS = re.compile(r"https://[A-Za-z0-9.-]+(:\d+)?(/[A-Za-z0-9._~%+@=,/-]*)?")
PLACE = re.compile(r"(/|\\\\|~/|[A-Za-z]:[\\/])[\w .,~+@()/\\-]*")


class EditionError(Exception):
    """The address of the students' edition can't be used."""


def address(given: str | None = None) -> str:
    """Return where the students' edition lies, or "" if nobody has said so.

    That is ``given``, else the variable ATTNGRADE_STUDENTS_URL, else what ``remember`` stored, else the address that
    this edition was itself installed from. It is a folder, or the wheel in it. Raises EditionError.
    """
    if found := given or os.environ.get(VARIABLE, "").strip():
        return checked(found)
    with contextlib.suppress(Unreadable):
        return checked(read_regular(str(remembered_in()), LONGEST).decode("utf-8", "replace").strip())
    return _installed_from()


def checked(text: str) -> str:
    """Return an address without a closing slash. Raises EditionError unless it is https or an absolute path."""
    if len(text) <= LONGEST and (HTTPS.fullmatch(text) or PLACE.fullmatch(text)):
        return text.rstrip("/\\")
    raise EditionError(
        f"{text!r} can't be the address of the students' edition; give a folder as https://… or as an absolute path, "
        "or the wheel in it, without quotes, question marks and the like"
    )


def remembered_in() -> Path:
    """Return the path of the file that keeps the address: beside the course's seed."""
    return seed.default_file().with_name("students-url")


def remember(where: str) -> Path:
    """Keep an address for later commands, and return the file. Raises OSError."""
    path = remembered_in()
    write_whole(path, f"{where}\n".encode())
    return path


def wheel(where: str) -> str:
    """Return the address of the wheel. ``where`` is the folder, or the wheel itself."""
    if where.endswith(".whl"):
        return where
    return where + ("\\" if "\\" in where else "/") + WHEEL


def torch_line() -> str:
    """Return the line that installs PyTorch for CPUs, of the version here. A plain install takes several gigabytes."""
    major, minor = metadata.version("torch").split(".")[:2]
    return f'pip install "torch=={major}.{minor}.*" --index-url {CPU_WHEELS}'


def install_lines(where: str, *others: str) -> tuple[str, ...]:
    """Return the lines that install the students' edition, and ``others`` with it; () without an address."""
    if not where:
        return ()
    return torch_line(), " ".join([f'pip install "{wheel(where)}"', *others])


def how_to_install(where: str, *others: str) -> str:
    """Return what a text for students says about installing: the lines, or that the course gives the address."""
    return "\n".join(install_lines(where, *others)) or NO_ADDRESS


def in_notebook(notebook: bytes, where: str) -> bytes:
    """Return a generated notebook whose first code cell installs from the address; unchanged without one.

    Everything else keeps its bytes.
    """
    if not where:
        return notebook
    line = f"{SETTING}{json.dumps(wheel(where), ensure_ascii=False)}"  # as Python text, inside JSON text
    return notebook.replace(_in_json(f'{SETTING}""'), _in_json(line), 1)


def _in_json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


def _installed_from() -> str:
    """Return the address that pip noted for this installation (PEP 610), or ""."""
    with contextlib.suppress(metadata.PackageNotFoundError, ValueError, KeyError, TypeError, EditionError):
        noted = json.loads(metadata.distribution("attngrade").read_text("direct_url.json") or "{}")
        if "archive_info" in noted and noted["url"].startswith("https://"):
            return checked(noted["url"])
    return ""
