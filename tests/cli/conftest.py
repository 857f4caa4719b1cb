"""A small class of bahdanau submissions, graded once, and edits while a command watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.cli import app, own_code, watching
from autograder.sandbox.forkserver import ForkServer
from tests.grading_helpers import fork_servers
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()


Edit = Callable[[], object]
Edits = Callable[[Iterable[Edit]], None]


@pytest.fixture
def edits(monkeypatch: pytest.MonkeyPatch) -> Edits:
    """Do one edit each time that a watcher waits, and then end it as Ctrl-C does."""

    def plan(those: Iterable[Edit]) -> None:
        todo = iter(those)

        def wait() -> None:
            edit = next(todo, None)
            if edit is None:
                raise KeyboardInterrupt
            edit()

        monkeypatch.setattr(watching, "pause", wait)

    return plan


@pytest.fixture(scope="session")
def forked() -> Iterator[Callable[..., ForkServer]]:
    """A function that takes the place of ``SingleLauncher``: its workers cost milliseconds and answer the same."""

    with fork_servers(unconfined=True) as server:
        yield lambda limits, **_: server(limits)


@pytest.fixture(autouse=True)
def own_code_in_forked_workers(forked: Callable[..., ForkServer], monkeypatch: pytest.MonkeyPatch) -> None:
    """``check`` starts no Python for each submission here. ``test_check`` tries one that does."""
    monkeypatch.setattr(own_code, "SingleLauncher", forked)


@pytest.fixture(scope="session")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Right, wrong, broken and missing work, awkward ids, and an id that a spreadsheet would run as a formula."""
    folder = tmp_path_factory.mktemp("class")
    works = {
        "ana.py": SOLUTION,
        "bo/bahdanau.py": SOLUTION.replace("torch.tanh(", "torch.sigmoid("),
        "chen.py": "import torch\n",
        "dara.py": "def stable_softmax(:\n",
        "eli/notes.txt": "I was ill",
        "=cmd|' calc'!A1.py": "raise SystemExit(0)\n",
        "finn and gita/bahdanau.py": SOLUTION + "\nprint('<script>alert(1)</script>')\n",
        "hugo.ipynb": "{",
        "ines.py": SOLUTION.replace("def softmax_vjp(", "def softmax_vjp(*_):\n    import os; os._exit(3)\ndef other("),
    }
    for name, text in works.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


class Graded(NamedTuple):
    """A finished run."""

    out: Path
    status: int


@pytest.fixture(scope="session")
def graded(submissions: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The class, graded with two jobs."""
    out = tmp_path_factory.mktemp("graded") / "out"
    status = app.run(["grade", str(submissions), "-a", "bahdanau", "-o", str(out), "-j", "2", "--json"])
    return Graded(out, status)
