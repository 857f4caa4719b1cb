"""After any fault, every student has exactly one result: that of an undisturbed run."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runs import fault_helpers as faults
from tests.runs.fault_helpers import FAULTS, Run


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty students with ten different works."""
    return faults.write_class(tmp_path_factory.mktemp("small") / "in", 30, 10)


@pytest.fixture(scope="module")
def undisturbed(small: Path) -> dict[str, Any]:
    """What an undisturbed run of the small class writes."""
    return _undisturbed(small)


def _undisturbed(folder: Path) -> dict[str, Any]:
    out = folder.parent / "undisturbed"
    assert Run(folder, out).end() == 0
    found = faults.results(out)
    statuses = {row["status"] for row in found["rows"]}
    assert statuses == {"graded", "import-error", "missing"}
    assert len(found["rows"]) == len(found["files"]) == len(list(folder.iterdir()))
    return found


def _go_on(folder: Path, out: Path) -> dict[str, Any]:
    assert Run(folder, out, "--resume").end() == 0
    return faults.results(out)


@pytest.mark.thorough
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_changes_no_result(
    small: Path, undisturbed: dict[str, Any], tmp_path: Path, fault: Callable[[Run], None]
) -> None:
    chance = random.Random(fault.__name__)
    run = Run(small, tmp_path / "out")
    assert run.after(chance.randint(1, 7))
    fault(run)
    status = run.end()
    if fault in (faults.kill_main, faults.fill_disk):
        assert status != 0
        assert _go_on(small, tmp_path / "out") == undisturbed
    else:  # it has mended that itself
        assert status == 0
        assert faults.results(tmp_path / "out") == undisturbed


@pytest.mark.nightly
def test_at_any_of_50_moments_of_a_large_run(tmp_path: Path) -> None:
    """A run of 300 for each moment; the faults take turns, one sixth of the runs is killed twice."""
    folder = faults.write_class(tmp_path / "in", 300, 60)
    expected = _undisturbed(folder)
    chance = random.Random("many moments")
    for moment in range(50):
        out, fault = tmp_path / f"out{moment}", FAULTS[moment % len(FAULTS)]
        run = Run(folder, out)
        moment_name = f"{fault.__name__} at moment {moment}"
        assert run.after(chance.randint(1, 55)), moment_name
        fault(run)
        run.end()
        if moment % 6 == 0:
            again = Run(folder, out, "--resume")
            again.after(chance.randint(1, 3))
            faults.kill_main(again)
            again.end()
        assert _go_on(folder, out) == expected, moment_name
