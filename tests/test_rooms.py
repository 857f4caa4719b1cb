"""The rooms of the grader and who imports whom: the map in ``autograder/__init__.py``, held against the code."""

from __future__ import annotations

import ast
import functools
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import autograder
from autograder import assignments
from tests.paths import ROOT

PACKAGE = ROOT / "autograder"
TEMPLATE = PACKAGE / "instructor" / "authoring" / "template"  # the files of a new assignment, which are no modules
FILES = [file for file in PACKAGE.rglob("*.py") if not file.is_relative_to(TEMPLATE)]

# room -> what it imports of ours. A room is a package of autograder; ``reference`` is one too.
NOUNS = {"model", "protocol"}
IMPORTS: dict[str, set[str]] = {
    "__init__": set(),
    "protocol": set(),
    "model": {"protocol"},
    "worker": {"protocol"},
    "sandbox": {"protocol", "worker"},
    "judge": NOUNS,
    "assignments": NOUNS | {"reference"},
    "author": {"assignments"},
    "feedback": NOUNS | {"assignments", "judge"},
    "intake": {"assignments", "model"},
    "course": {"intake", "model"},
    "instructor": NOUNS | {"assignments", "intake", "judge", "reference", "worker"},
    "grading": NOUNS | {"assignments", "feedback", "instructor", "judge", "sandbox"},
    "runs": NOUNS | {"assignments", "course", "grading", "intake", "judge", "sandbox"},
    "report": {"assignments", "course", "feedback", "grading", "instructor", "model", "runs"},
    "integrations": NOUNS
    | {"assignments", "course", "feedback", "grading", "instructor", "intake", "report", "runs", "sandbox"},
    "cli": NOUNS
    | {"assignments", "course", "feedback", "grading", "instructor", "intake", "integrations", "report", "runs"}
    | {"sandbox"},
    "__main__": {"cli"},
}
# Files that import torch; everything else speaks NumPy.
TORCH = (
    "worker/",
    "sandbox/",
    "instructor/oracle/",
    "instructor/repro/embedded/",
    "assignments/kit/hidden/",
    "/hidden/mistakes/",
    "/mechanism.py",
)
# Files that know the references.
REFERENCES = ("instructor/oracle/", "assignments/kit/hidden/", "/hidden/mistakes/")
LEAVES = ("report", "integrations", "integrations/export")  # folders whose modules do not import each other
# What several leaves of a folder share.
SHARED = {
    "__init__",
    "summary",
    "mistakes",
    "markdown",
    "job",
    "scores",
    "reading",
    "notebooks",
    "gradescope_results",
    "startup",
    "export",
    "edition",
}


def rooms() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for file in FILES:
        found.setdefault(file.relative_to(PACKAGE).parts[0].removesuffix(".py"), []).append(file)
    return found


@functools.cache
def imported(file: Path) -> set[str]:
    """Full names of all modules that a file imports, at whatever depth of its code."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{file}: relative import"
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def ours(names: set[str]) -> set[str]:
    """The rooms among them; ``reference`` and ``solutions`` count as rooms."""
    found = {name.split(".")[1] for name in names if name.startswith("autograder.")}
    found |= {name.split(".")[0] for name in names if name.split(".")[0] in ("reference", "solutions")}
    return found - {"__version__"}


def test_every_room_stands_in_the_table() -> None:
    assert rooms().keys() == IMPORTS.keys()


@pytest.mark.parametrize("room", sorted(IMPORTS))
def test_imports_are_those_of_the_table(room: str) -> None:
    used = set().union(*(ours(imported(file)) for file in rooms()[room])) - {room}
    assert used == IMPORTS[room]


def test_the_table_has_no_way_round_and_stays_small() -> None:
    floors: list[set[str]] = []
    while left := IMPORTS.keys() - set().union(*floors):
        free = {room for room in left if IMPORTS[room] - {"reference"} <= set().union(*floors)}
        assert free, f"a cycle among {sorted(left)}"
        floors.append(free)
    inner = {room: others for room, others in IMPORTS.items() if not room.startswith("__")}
    assert len(floors) <= 11  # the command line's entry is on the last one
    assert sum(map(len, inner.values())) <= 70


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_no_files_import_each_other_in_a_circle() -> None:
    files = {module_of(file): file for file in (*FILES, *(ROOT / "reference").rglob("*.py"))}
    graph = {name: (imported(file) & files.keys()) - {name} for name, file in files.items()}
    for name in graph:  # ``from package import module`` imports the module; the package comes along
        graph[name] -= {other for other in graph[name] if any(one.startswith(f"{other}.") for one in graph[name])}
        graph[name] = {other for other in graph[name] if not name.startswith(f"{other}.")}
    assert list(TopologicalSorter(graph).static_order())


def lies_in(file: Path, folders: tuple[str, ...]) -> bool:
    path = file.relative_to(PACKAGE).as_posix()
    return any(path.startswith(folder) if folder[0] != "/" else folder in path for folder in folders)


@pytest.mark.parametrize("room", sorted(IMPORTS))
def test_the_grader_needs_no_torch(room: str) -> None:
    for file in rooms()[room]:
        if not lies_in(file, TORCH):
            assert "torch" not in {name.split(".")[0] for name in imported(file)}, file


def leaf(file: Path, folder: str) -> str:
    """The leaf of ``folder`` to which a file belongs: a module, or the whole package in which it lies."""
    return file.relative_to(PACKAGE / folder).parts[0].removesuffix(".py")


@pytest.mark.parametrize("folder", LEAVES)
def test_leaves_do_not_import_each_other(folder: str) -> None:
    files = list((PACKAGE / folder).rglob("*.py"))
    leaves = {leaf(file, folder) for file in files} - SHARED
    assert len(leaves) >= 4
    prefix = f"autograder.{folder.replace('/', '.')}."
    for file in files:
        used = {name.removeprefix(prefix).split(".")[0] for name in imported(file) if name.startswith(prefix)}
        assert not used & (leaves - {leaf(file, folder)}), file


def test_only_the_oracle_and_known_mistakes_import_the_references_and_nobody_the_solutions() -> None:
    for file in (file for files in rooms().values() for file in files):
        roots = {name.split(".")[0] for name in imported(file)}
        assert "solutions" not in roots, file
        assert "reference" not in roots or lies_in(file, REFERENCES), file


def sources() -> list[Path]:
    """The grader's files and what runs it. Tests are not among them: they name assignments as examples."""
    found = [*FILES, *(ROOT / "reference").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]
    return [*found, ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / ".ci" / "run"]


def test_only_its_folders_name_an_assignment() -> None:
    name = re.compile(rf"(?<![\w-])({'|'.join(assignments.NAMES)})(?![\w-])")
    for file in sources():
        if not set(assignments.NAMES) & set(file.relative_to(ROOT).parts):
            lines = file.read_text(encoding="utf-8").splitlines()
            named = [f"{number}: {line}" for number, line in enumerate(lines, 1) if name.search(line)]
            assert not named, f"{file.relative_to(ROOT)}: {named[:3]}"


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_an_assignment_imports_no_other(assignment: str) -> None:
    others = {f"autograder.assignments.{name}" for name in assignments.NAMES} - {f"autograder.assignments.{assignment}"}
    for file in (PACKAGE / "assignments" / assignment).rglob("*.py"):
        assert not {".".join(name.split(".")[:3]) for name in imported(file)} & others, file


def test_the_map_names_every_room() -> None:
    drawn = set(re.findall(r"^    ([a-z]+)/", autograder.__doc__ or "", re.MULTILINE))
    assert drawn == {room for room in IMPORTS if not room.startswith("__")}


def test_references_and_solutions_stand_alone() -> None:
    for folder in ("reference", "solutions"):
        for file in (ROOT / folder).rglob("*.py"):
            roots = {name.split(".")[0] for name in imported(file)}
            strangers = roots & {"autograder", "solutions", *({"reference"} if folder == "solutions" else ())}
            assert not strangers, f"{file}: {strangers}"


@pytest.mark.parametrize("forbidden", ["pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"])
def test_nothing_unpickles(forbidden: str) -> None:
    for files in rooms().values():
        for file in files:
            assert forbidden not in {name.split(".")[0] for name in imported(file)}, file
