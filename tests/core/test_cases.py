"""Numbers of cases, points, and the shelf that exams lie on."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import model, oracle, score, shelf
from autograder.cases import Draw, Script
from tests.core.tools import call, program, tensor

# ---------------------------------------------------------------- drawing


def drawn(*parts: str, attempt: int = 0) -> list[float]:
    """Some numbers of a generator."""
    draw = Draw(*parts, attempt=attempt)
    return [*draw.normal(3), *draw.uniform(2), *draw.integers(2, high=9)]


def test_a_case_draws_the_same_numbers_every_time() -> None:
    assert drawn("seed", "luong", "one") == drawn("seed", "luong", "one")


@pytest.mark.parametrize(
    "other",
    [
        ("other", "luong", "one"),
        ("seed", "masking", "one"),
        ("seed", "luong", "two"),
        ("seedl", "uong", "one"),
    ],
)
def test_other_seeds_topics_and_cases_draw_others(other: tuple[str, str, str]) -> None:
    assert not set(drawn("seed", "luong", "one")[:5]) & set(drawn(*other)[:5])


def test_another_attempt_draws_others() -> None:
    assert not set(drawn("s", "t", "c")[:5]) & set(drawn("s", "t", "c", attempt=1)[:5])


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 12), st.text(max_size=5))
def test_a_permutation_leaves_nothing_in_its_place(count: int, seed: str) -> None:
    order = Draw(seed.encode("utf-8", "replace").decode(), "t", "c").permutation(count)
    assert sorted(order) == list(range(count))
    assert (order != np.arange(count)).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 6), st.floats(0, 1), st.integers())
def test_every_row_of_a_mask_has_both(rows: int, width: int, keep: float, seed: int) -> None:
    mask = Draw(str(seed), "t", "c").mask(rows, width, keep=keep)
    assert mask.any(-1).all()
    assert width == 1 or not mask.all(-1).any()


# ---------------------------------------------------------------- writing programs


def test_a_script_writes_down_what_is_drawn() -> None:
    script = Script(Draw("s", "t", "c"), "float32")
    script.make("m", "Thing", 3, weights={"w": (2, 3), "v": np.ones(1)}, bias=True)
    x, places = script.normal("x", 2, 3), script.array("places", [0, 1])
    outputs = {"a": (2, 3), "b": None, "c": (2,)}
    script.call("out", "m", x, places, outputs=outputs, wrt=("x",), modules=("m",), back_from=("a",), dim=-1)
    asked = script.program()
    assert {name: array.dtype for name, array in asked.arrays.items()} == {
        "m.w": "float32", "m.v": "float32", "x": "float32", "places": "int64", "out.cotangent.a": "float32",
    }  # fmt: skip
    make, out = asked.steps
    assert make == model.Make("m", "Thing", [3], {"bias": True}, {"w": "m.w", "v": "m.v"})
    assert isinstance(out, model.Call)
    assert (out.outputs, out.cotangents, out.kwargs) == (
        ("a", "b", "c"),
        ("out.cotangent.a", None, None),
        {"dim": -1},
    )


def test_what_is_said_aside_is_no_step() -> None:
    script = Script(Draw("s", "t", "c"))
    with script.aside():
        script.call("aside", "f")
    script.call("out", "f")
    asked = script.program()
    assert ([one.into for one in asked.calls], [getattr(one, "into", "") for one in asked.asides]) == (
        ["out"],
        ["aside"],
    )


def test_the_reference_alone_plays_the_asides() -> None:
    shown: list[list[str]] = []

    def build(draw: Draw) -> model.Program:
        script = Script(draw)
        scores, center = script.normal("scores", 1, 3), script.array("center", np.array([1.0]))
        script.call("out", "local_weights", scores, center, 1)
        with script.aside():
            script.call("aside", "local_weights", scores, center, 2)
        return script.program()

    def telling(seen: dict[str, model.Seen]) -> bool:
        shown.append([name for name, one in seen.items() if one.value is not None])
        return len(shown) == 2  # the numbers that were drawn first will not do

    prepared = oracle.prepare("luong", model.Case("hidden-x", build, telling), "seed")
    assert shown == [["out", "aside"]] * 2
    assert [one.into for one in prepared.program.calls] == [one.into for one in prepared.expected] == ["out"]
    assert prepared.program.asides == ()


# ---------------------------------------------------------------- points


def outcome(status: model.CheckStatus, points: float) -> model.Outcome:
    check = model.Check("id", "title", "value", points, (), ())
    return model.Outcome("id", "title", "value", "public", status, score.points(check, status), points)


def test_only_what_was_passed_has_points_and_what_was_skipped_does_not_count() -> None:
    statuses: tuple[model.CheckStatus, ...] = ("passed", "failed", "error", "timeout", "skipped")
    assert score.total(outcome(status, 10) for status in statuses) == (10, 40)
    assert score.total([]) == (0, 0)
    assert score.total([outcome("passed", 0.1)] * 3) == (0.3, 0.3)


# ---------------------------------------------------------------- the shelf

KIND = tuple[model.Prepared, ...]
EXAM = (
    model.Prepared("case", program(call("f", "x"), x=np.ones(3)), (model.Seen("out", tensor(np.ones(3))),)),
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "attngrade"


def test_what_was_laid_on_the_shelf_is_there(cache: Path) -> None:
    place = shelf.Shelf("luong", "seed", "sources")
    assert place.take("exam", KIND) is None
    assert place.put("exam", EXAM) == EXAM
    again = shelf.Shelf("luong", "seed", "sources")
    assert again.take("exam", KIND) == EXAM
    assert again.take("other", KIND) is None
    assert [file.name for file in cache.iterdir()] == [place.folder.name]


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
def test_another_exam_lies_elsewhere(cache: Path, other: tuple[str, ...]) -> None:
    shelf.Shelf("luong", "seed", "s").put("exam", EXAM)
    assert shelf.Shelf(*other).take("exam", KIND) is None


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_nobody_else_may_read_it(cache: Path) -> None:
    place = shelf.Shelf("luong", "seed", "s")
    place.put("exam", EXAM)
    (file,) = place.folder.iterdir()
    modes = [path.stat().st_mode & 0o777 for path in (cache, place.folder, file)]
    assert modes == [0o700, 0o700, 0o600]
    assert "seed" not in place.folder.name


@pytest.mark.parametrize("place", [0, 31, 32, 40, -1])
def test_what_is_damaged_is_not_taken(cache: Path, place: int) -> None:
    lies = shelf.Shelf("luong", "seed", "s")
    lies.put("exam", EXAM)
    (file,) = lies.folder.iterdir()
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    for damaged in (data, data[:20], b""):
        file.write_bytes(damaged)
        assert lies.take("exam", KIND) is None
    lies.put("exam", EXAM)
    assert lies.take("exam", KIND) == EXAM


def test_what_is_sealed_and_of_another_shape_is_not_taken(cache: Path) -> None:
    lies = shelf.Shelf("luong", "seed", "s")
    lies.put("exam", ({"id": "case"},))
    assert list(lies.folder.iterdir())
    assert lies.take("exam", KIND) is None


def test_the_oldest_go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT", 3)
    places = [shelf.Shelf("luong", str(seed), "s") for seed in range(5)]
    for age, place in enumerate(places):
        place.put("exam", EXAM)
        place.put("mistaken-case", EXAM)
        os.utime(place.folder, (age, age))
    assert [place.take("exam", KIND) is not None for place in places] == [False, False, True, True, True]


def test_a_shelf_that_cannot_be_used_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for folder in (str(tmp_path / "file"), "/dev/null", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        place = shelf.Shelf("luong", "seed", "s")
        assert place.put("exam", EXAM) == EXAM
        assert place.take("exam", KIND) is None
    assert not Path("relative").exists()
