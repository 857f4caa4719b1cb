"""The rooms and who may import whom: the table of the design, held against the code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "autograder"

# room -> what it may import of ours. A room is a module or a package of autograder.
NOUNS = {"model"}
CODEC = {"model", "wire"}
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "model": set(),
    "wire": {"model"},
    "compare": NOUNS,
    "causes": set(),
    "axes": NOUNS,
    "evidence": CODEC | {"compare"},
    "score": NOUNS,
    "environment": set(),
    "thrift": set(),
    "seed": set(),
    "cases": CODEC,
    "specs": CODEC | {"cases"},
    "judge": CODEC | {"compare"},
    "diagnose": CODEC | {"axes", "compare", "evidence"},
    "messages": NOUNS | {"axes", "causes", "compare", "sentences"},
    "sentences": NOUNS,
    "worker": CODEC,
    "sandbox": {"wire", "worker"},
    "oracle": CODEC | {"cases", "reference"},
    "misconceptions": CODEC | {"evidence", "oracle", "reference"},
    "caches": set(),
    "shelf": CODEC | {"caches"},
    "timing": set(),
    "forms": NOUNS,
    "race": NOUNS | {"dialogue", "judge", "sandbox", "timing", "transcript"},
    "gpu": NOUNS | {"dialogue", "exam", "sandbox", "transcript"},
    "bench": NOUNS
    | {"cases", "dialogue", "exam", "forms", "gpu", "race", "sandbox", "specs", "timing", "transcript"},
    "stopwatch": NOUNS | {"cases", "dialogue", "exam", "forms", "race", "sandbox", "timing", "transcript"},
    "exam": CODEC | {"cases", "misconceptions", "oracle", "shelf", "specs"},
    "transcript": NOUNS,
    "dialogue": CODEC | {"exam", "sandbox", "transcript"},
    "runner": NOUNS
    | {
        "dialogue",
        "diagnose",
        "environment",
        "exam",
        "forms",
        "gpu",
        "judge",
        "messages",
        "sandbox",
        "score",
        "sentences",
        "stopwatch",
        "transcript",
    },
    "intake": NOUNS,
    "results": NOUNS,
    "sheet": set(),
    "roster": {"sheet"},
    "export": NOUNS | {"integrations", "results", "roster", "sheet"},
    "journal": NOUNS,
    "lock": set(),
    "sharing": NOUNS | {"messages"},
    "flow": NOUNS,
    "bulk": NOUNS | {"environment", "exam", "flow", "gpu", "runner", "sandbox", "stopwatch"},
    "cluster": CODEC | {"bulk", "environment", "exam", "flow", "sandbox"},
    "prints": NOUNS | {"bulk", "cases", "environment", "exam", "forms"},
    "ledger": NOUNS | {"journal", "lock"},
    "gradebook": NOUNS
    | {"bulk", "environment", "exam", "intake", "journal", "lock", "prints", "results", "sharing"},
    "regrade": NOUNS
    | {
        "bulk",
        "caches",
        "exam",
        "gradebook",
        "intake",
        "journal",
        "ledger",
        "prints",
        "results",
        "score",
        "sharing",
    },
    "audit": NOUNS,
    "report": NOUNS | {"audit", "bench", "regrade", "results", "timing"},
    "build": NOUNS | {"specs"},
    "integrations": NOUNS
    | {"build", "bulk", "cases", "exam", "intake", "results", "runner", "sandbox", "seed", "specs", "thrift"},
    "commands": NOUNS
    | {
        "audit",
        "bench",
        "build",
        "bulk",
        "cluster",
        "exam",
        "export",
        "gpu",
        "gradebook",
        "integrations",
        "intake",
        "journal",
        "ledger",
        "messages",
        "regrade",
        "report",
        "results",
        "roster",
        "runner",
        "sandbox",
        "seed",
        "sheet",
        "specs",
        "thrift",
    },
    "options": NOUNS,
    "tools": NOUNS | {"commands", "options"},
    "cli": NOUNS | {"commands", "options", "thrift", "tools"},
    "__main__": {"cli"},
}
TORCH = {"worker", "sandbox", "oracle", "misconceptions"}  # everything else speaks NumPy
REFERENCES = {"oracle", "misconceptions"}
# What several leaves say alike: summaries, grades to export, what test cells of notebooks ask, Gradescope's results.
SHARED = {"__init__", "summary", "job", "reading", "notebooks", "gradescope"}


def rooms() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for file in PACKAGE.rglob("*.py"):
        found.setdefault(file.relative_to(PACKAGE).parts[0].removesuffix(".py"), []).append(file)
    return found


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
    assert rooms().keys() == MAY_IMPORT.keys()


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_imports_run_one_way(room: str) -> None:
    used = set().union(*(ours(imported(file)) for file in rooms()[room])) - {room}
    assert used <= MAY_IMPORT[room], f"{room} imports {sorted(used - MAY_IMPORT[room])}"


def test_the_table_has_no_way_round() -> None:
    order: list[str] = []
    while len(order) < len(MAY_IMPORT):
        free = [r for r in MAY_IMPORT if r not in order and MAY_IMPORT[r] - {"reference"} <= set(order)]
        assert free, f"a cycle among {sorted(set(MAY_IMPORT) - set(order))}"
        order += free


@pytest.mark.parametrize("room", sorted(set(MAY_IMPORT) - TORCH))
def test_the_grader_needs_no_torch(room: str) -> None:
    for file in rooms()[room]:
        assert not {name for name in imported(file) if name.split(".")[0] == "torch"}, file


def leaf(file: Path) -> str:
    """The leaf that a file belongs to: a module, or the whole package in which it lies."""
    room, name = file.relative_to(PACKAGE).parts[:2]
    return f"autograder.{room}.{name.removesuffix('.py')}"


def test_leaves_do_not_import_each_other() -> None:
    files = [file for room in ("report", "integrations", "export") for file in rooms()[room]]
    leaves = {leaf(file) for file in files if leaf(file).split(".")[2] not in SHARED}
    assert {"autograder.report.html", "autograder.integrations.otter", "autograder.export.canvas"} <= leaves
    for file in files:
        others = leaves - {leaf(file)}
        assert not {".".join(name.split(".")[:3]) for name in imported(file)} & others, file


def test_only_those_who_play_them_know_the_references_and_nobody_the_solutions() -> None:
    for room, files in rooms().items():
        names = set().union(*(imported(file) for file in files))
        roots = {name.split(".")[0] for name in names}
        assert "solutions" not in roots, room
        assert "reference" not in roots or room in REFERENCES, room


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


def test_the_command_line_offers_the_layouts_that_intake_knows() -> None:
    from autograder import cli
    from autograder.intake.layouts import LAYOUTS

    assert sorted(cli.LAYOUTS) == sorted(["auto", *(layout.name for layout in LAYOUTS)])
