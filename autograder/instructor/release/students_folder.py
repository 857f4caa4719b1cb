"""Makes the folder that a course hosts for its students: the wheel, a page, the assignments' files and checksums."""

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder import assignments
from autograder.assignments import explanations, places
from autograder.instructor.release import course_files, experiment
from autograder.instructor.release.handout import TEMPLATES
from autograder.instructor.release.leaks import leaks, leaks_of

PAGE, SUMS = "index.html", "SHA256SUMS"
OPTIONAL = ("figure.svg", experiment.NAME)  # files of a handout that not every assignment has
SECRET = {explanations.NAME, "hidden", "instructor", "mistakes", "oracle", "reference", "release", "solutions", "tests"}


class FolderError(Exception):
    """The folder can't be made. The message says what to do."""


def refuse(out: Path) -> list[Path]:
    """Return the files in ``out`` that an earlier call wrote and nobody changed.

    Raises FolderError if there is anything else.
    """
    if not out.exists():
        return []
    sums = _sums(out / SUMS)
    files = [path for path in sorted(out.rglob("*")) if path.is_symlink() or not path.is_dir()]
    for path in files:
        name = path.relative_to(out).as_posix()
        if name == SUMS and sums and not path.is_symlink():
            continue
        if path.is_symlink() or not path.is_file() or sums.get(name) != _digest(path.read_bytes()):
            raise FolderError(f"{out} holds {name}, which attngrade students did not write; choose another folder")
    return files


def _sums(path: Path) -> dict[str, str]:
    """Return the digest of each file that an earlier call wrote."""
    if path.is_symlink() or not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def make(out: Path, root: Path, torch: str, install: Sequence[str], addressed: Callable[[bytes], bytes]) -> Path:
    """Write the folder, in place of what an earlier call wrote, and return the path of the wheel.

    ``root`` is the checkout. ``torch`` is the line that installs PyTorch. The last line of ``install`` installs the
    wheel from its address; without it the page tells students to download the wheel. ``addressed`` writes the address
    into a notebook. Raises FolderError or OSError, and ModuleNotFoundError without hatchling.
    """
    old = refuse(out)
    files = {name: addressed(data) if name.endswith(".ipynb") else data for name, data in _handouts(root)}
    with tempfile.TemporaryDirectory() as folder:
        made = build_wheel(root, Path(folder))
        carried = _of_courses()
        course_files.carry(made, carried)
        _inspect(made, set(carried))
        wheel, files[made.name] = made.name, made.read_bytes()
    files[PAGE] = _page(wheel, files, torch, install).encode()
    files[SUMS] = "".join(f"{_digest(data)}  {name}\n" for name, data in sorted(files.items())).encode()
    for path in old:
        path.unlink()
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    return out / wheel


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into an empty folder and return its path. Raises FolderError."""
    if importlib.util.find_spec("hatchling") is None:
        raise ModuleNotFoundError(name="hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FolderError(f"the wheel could not be built:\n{done.stderr.strip()}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def student_files(assignment: str) -> tuple[str, ...]:
    """Return the names of the files that students get of an assignment."""
    always = "README.md", "AGENTS.md", f"{assignment}.py", f"{assignment}.ipynb", f"test_{assignment}.py"
    folder = assignments.released(assignment)
    return *always, *(name for name in OPTIONAL if folder and (folder / name).is_file())


def _handouts(root: Path) -> list[tuple[str, bytes]]:
    """Return the files of all assignments' handouts. Raises FolderError if one holds a secret."""
    if found := leaks(root):
        raise FolderError(f"{found[0]}; run attngrade build, and edit only solutions/")
    for assignment in places.of_courses():
        if found := leaks_of(assignment):
            raise FolderError(f"{assignment}/{found[0]}; students must not get it: see attngrade author check")
    return [
        (f"{assignment}/{file}", (places.place(assignment, root).students / file).read_bytes())
        for assignment in assignments.NAMES
        for file in student_files(assignment)
    ]


def _of_courses() -> dict[str, bytes]:
    """Return what the wheel carries of courses' assignments: names in the wheel -> content."""
    return {
        f"{course_files.PREFIX}/{assignment}/{name}": path.read_bytes()
        for assignment in places.of_courses()
        for name, path in course_files.given(assignment).items()
    }


def _inspect(wheel: Path, carried: set[str]) -> None:
    """Raise FolderError if the wheel holds what is not for students, such as an instructor's own file."""
    handouts = {f"autograder/handouts/{name}/{file}" for name in places.own() for file in student_files(name)}
    listed = ("autograder/handouts/", f"{course_files.PREFIX}/")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if SECRET & set(name.split("/")) or (name.startswith(listed) and name not in handouts | carried):
                place = name.replace("autograder/handouts", "assignments")
                raise FolderError(f"the wheel would hold {place}, which is not for students; move it elsewhere")


def _page(wheel: str, files: dict[str, bytes], torch: str, install: Sequence[str]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, autoescape=True)
    return environment.get_template("students.html.jinja").render(
        wheel=wheel,
        megabytes=len(files[wheel]) / 1e6,
        digest=_digest(files[wheel]),
        torch=torch,
        install=install,
        assignments=[(name, assignments.load(name).title, student_files(name)) for name in _in_order()],
        sums=SUMS,
    )


def _in_order() -> list[str]:
    """Return the names of all assignments, those of courses first."""
    return sorted(assignments.NAMES, key=lambda name: name not in places.of_courses())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
