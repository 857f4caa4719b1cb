"""Fingerprints of suites: they change with what is asked or expected, and not with the last digits of a number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autograder import assignments, protocol
from autograder.assignments import places
from autograder.grading import fingerprints, redrawing, suite
from autograder.protocol import wire
from autograder.sandbox.limits import Limits
from tests.corpus.suites import SEED

Change = Callable[[np.ndarray], np.ndarray]


def changed(one: suite.CheckSuite, change: Change) -> suite.CheckSuite:
    """Return the suite with other expected values."""
    prepared = {}
    for name, case in one.prepared.items():
        decoded = msgspec.to_builtins(case, builtin_types=(bytes,))
        for result in decoded["expected_results"]:
            _change_arrays(result, change)
        prepared[name] = msgspec.convert(decoded, type(case))
    return suite.CheckSuite(one.spec, prepared, lambda _: (), one.seed)


def _change_arrays(part: object, change: Change) -> None:
    if isinstance(part, dict):
        if isinstance(part.get("data"), bytes) and part["dtype"] == "float64":
            values = wire.to_numpy(msgspec.convert(part, protocol.Array))
            part["data"] = change(values).tobytes()
        for value in part.values():
            _change_arrays(value, change)
    elif isinstance(part, list | tuple):
        for value in part:
            _change_arrays(value, change)


def contents(one: suite.CheckSuite) -> dict[str, str]:
    return {id: check.content for id, check in fingerprints.of_suite(one, (), Limits()).checks.items()}


@pytest.fixture(scope="module")
def real() -> suite.CheckSuite:
    return suite.full("bahdanau", SEED, timing=False)


def last_digit(values: np.ndarray) -> np.ndarray:
    """Change every value by a few units in the last place, as another order of a sum would."""
    return values + np.random.default_rng(1).uniform(-4, 4, values.shape) * np.spacing(values)


def test_the_last_digits_of_expected_values_do_not_count(real: suite.CheckSuite) -> None:
    assert contents(changed(real, last_digit)) == contents(real)


def test_what_the_cache_returns_has_the_fingerprints_of_what_was_stored(real: suite.CheckSuite) -> None:
    spec = redrawing.redrawn(assignments.load("bahdanau", hidden=True), real.seed)
    computed = suite._prepare(spec, real.seed)
    stored = wire.decode(msgspec.msgpack.encode(computed), suite.PreparedCases)
    first, again = (
        suite.CheckSuite(real.spec, {one.id: one for one in cases}, lambda _: (), real.seed)
        for cases in (computed, stored)
    )
    assert contents(first) == contents(again)


@pytest.mark.parametrize("change", [lambda values: values * (1 + 1e-4), lambda values: np.roll(values, 1)])
def test_other_expected_values_count(real: suite.CheckSuite, change: Change) -> None:
    before, after = contents(real), contents(changed(real, change))
    assert before["attention-values"] != after["attention-values"]


def test_infinities_and_zeros_have_fingerprints() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 2.0, -0.0])
    assert fingerprints._rounded_values(values) == fingerprints._rounded_values(np.abs(values) * [1, -1, 1, 1, 1])
    assert fingerprints._rounded_values(values) != fingerprints._rounded_values(values * [-1, 1, 1, 1, 1])
    assert fingerprints._rounded_values(np.zeros(2)) != fingerprints._rounded_values(np.ones(2))


def counted(folder: Path) -> str:
    """The digest of an assignment of a course."""
    return fingerprints._content(folder, folder / "built" / "causes.json")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("checks.py", True),
        ("hidden_checks.py", True),
        ("reference.py", True),
        ("solution.py", True),
        ("mistakes.py", True),
        ("tables/weights.npz", True),
        ("built/causes.json", True),  # holds what a mistake costs
        ("built/students/README.md", False),
        ("handout.md", False),
        ("hints.toml", False),
        ("explanations.toml", False),
        ("submissions/wrong.toml", False),
        ("__pycache__/checks.cpython-311.pyc", False),
        (".checks.py.swp", False),
    ],
)
def test_of_a_courses_assignment_every_file_counts_that_may_decide_a_mark(
    name: str, counts: bool, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "checks.py").write_text("CHECKS = ()")
    before = counted(tmp_path)
    file.write_bytes(b"first")
    first = counted(tmp_path)
    file.write_bytes(b"other")
    assert (before != first, first != counted(tmp_path)) == (counts, counts)


def test_of_a_handout_counts_whether_it_speaks_of_a_softmax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one, no cause of a softmax is named. Other words decide nothing."""
    (tmp_path / "checks.py").write_text("CHECKS = ()")
    monkeypatch.setattr(places, "of_courses", lambda: {"cosine": tmp_path})
    found = []
    for text in ("Divide by the norm.", "Divide by both norms.", "Take the softmax."):
        (tmp_path / "handout.md").write_text(text)
        assignments.impossible.cache_clear()
        found.append((fingerprints.of_courses(), fingerprints._words_of_course("cosine")))
    assignments.impossible.cache_clear()
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]
    assert found[0][1] != found[2][1]
