"""What fails as root fails as an ordinary user: the tests of the second attack's table run again as one.

``test_attacks.py`` does so itself for the attacks of ``attacks.toml``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import ordinary
from tests.hostile.world import remove
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

FILES = {
    "tests/hostile/test_rows.py": "in_a_class",
    "tests/hostile/test_forbidden.py": "ahead or encoding or honest",
    "tests/hostile/test_clock.py": "",
    "tests/hostile/test_memory.py": "growth",
    "tests/grading/test_session.py": "",
}


# Each takes minutes, and runs whole classes on several platforms: `make nightly`.
RARER = (
    "tests/grading/test_redrawn.py",
    "tests/hostile/test_rows.py",
    "tests/hostile/test_rows_of_folders.py",
    "tests/hostile/test_platforms.py",
    "tests/hostile/test_timing_platforms.py",
    "tests/hostile/test_inputs_together.py",
)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of the ordinary user's. pytest's own is closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    os.chown(folder, ordinary.UID, ordinary.UID)
    yield folder
    remove(str(folder))


@pytest.mark.thorough
@pytest.mark.parametrize("file", FILES)
def test_as_an_ordinary_user(file: str, place: Path) -> None:
    passes(file, place, "not nightly", FILES[file])


@pytest.mark.nightly
@pytest.mark.parametrize("file", RARER)
def test_all_of_it_as_an_ordinary_user(file: str, place: Path) -> None:
    passes(file, place, "not gpu")


def passes(file: str, place: Path, marks: str, which: str = "") -> None:
    """The tests of a file pass, and not all of them are skipped."""
    words, reason = ordinary.command()
    if not words:
        pytest.skip(reason)
    chosen = ["-m", marks, "-k", which, "-p", "no:cacheprovider", "--basetemp", str(place / "tests")]
    done = subprocess.run(
        [*words, sys.executable, "-B", "-m", "pytest", file, *chosen],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")} | own(place),
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout, done.stdout


def own(place: Path) -> dict[str, str]:
    """Where the ordinary user may write."""
    return {"HOME": str(place), "TMPDIR": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
