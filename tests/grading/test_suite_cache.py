"""The cache of drawn suites: what it stores, finds, refuses and removes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from autograder import model, protocol
from autograder.grading import cache as cache_module
from autograder.grading import suite
from tests.corpus.suites import SEED
from tests.small_suite_helpers import call, program, tensor

KIND = tuple[model.Prepared, ...]
SUITE = (
    model.Prepared("case", program(call("f", "x"), x=np.ones(3)), (protocol.StepResult("out", tensor(np.ones(3))),)),
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "attngrade"


def test_a_stored_value_is_found_again(cache: Path) -> None:
    entry = cache_module.SuiteCache("luong", "seed", "sources")
    assert entry.take("suite", KIND) is None
    assert entry.put("suite", SUITE) == SUITE
    again = cache_module.SuiteCache("luong", "seed", "sources")
    assert again.take("suite", KIND) == SUITE
    assert again.take("other", KIND) is None
    assert [file.name for file in cache.iterdir()] == [entry.folder.name]


@pytest.mark.parametrize(
    "other",
    [
        ("masking", "seed", "s"),
        ("luong", "other", "s"),
        ("luong", "seed", "t"),
        ("luong", "seed", "s", ""),
        ("luong", "seed", "s", "float32"),
    ],
)
def test_another_suite_has_another_entry(cache: Path, other: tuple[str, ...]) -> None:
    cache_module.SuiteCache("luong", "seed", "s").put("suite", SUITE)
    assert cache_module.SuiteCache(*other).take("suite", KIND) is None


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_nobody_else_may_read_an_entry(cache: Path) -> None:
    entry = cache_module.SuiteCache("luong", "seed", "s")
    entry.put("suite", SUITE)
    (file,) = entry.folder.iterdir()
    modes = [path.stat().st_mode & 0o777 for path in (cache, entry.folder, file)]
    assert modes == [0o700, 0o700, 0o600]
    assert "seed" not in entry.folder.name


@pytest.mark.parametrize("place", [0, 31, 32, 40, -1])
def test_a_damaged_entry_is_not_used(cache: Path, place: int) -> None:
    entry = cache_module.SuiteCache("luong", "seed", "s")
    entry.put("suite", SUITE)
    (file,) = entry.folder.iterdir()
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    for damaged in (data, data[:20], b""):
        file.write_bytes(damaged)
        assert entry.take("suite", KIND) is None
    entry.put("suite", SUITE)
    assert entry.take("suite", KIND) == SUITE


def test_an_intact_entry_of_another_type_is_not_used(cache: Path) -> None:
    entry = cache_module.SuiteCache("luong", "seed", "s")
    entry.put("suite", ({"id": "case"},))
    assert list(entry.folder.iterdir())
    assert entry.take("suite", KIND) is None


def test_the_oldest_entries_are_removed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "KEPT", 3)
    entries = [cache_module.SuiteCache("luong", str(seed), "s") for seed in range(5)]
    for age, entry in enumerate(entries):
        entry.put("suite", SUITE)
        entry.put("variants-case", SUITE)
        os.utime(entry.folder, (age, age))
    assert [entry.take("suite", KIND) is not None for entry in entries] == [False, False, True, True, True]


def test_a_folder_that_cannot_be_used_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for folder in (str(tmp_path / "file"), "/dev/null"):
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        entry = cache_module.SuiteCache("luong", "seed", "s")
        assert entry.put("suite", SUITE) == SUITE
        assert entry.take("suite", KIND) is None


def test_what_a_known_mistake_answers_to_a_question_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []
    results = SUITE[0].expected_results
    monkeypatch.setattr(suite, "_played", lambda assignment, variant, case: played.append(case.id) or results)
    for _ in range(2):
        checks = suite.full("masking", SEED)
        assert checks.play is not None
        for name in ("timed-test-1-0", "timed-test-1-1"):
            assert checks.play(model.Prepared(name, SUITE[0].program, ()), "a mistake") == results
    assert played == ["timed-test-1-0", "timed-test-1-1"]
