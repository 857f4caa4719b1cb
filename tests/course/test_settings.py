"""``assignment.toml``: what it may say, and what it makes of an assignment's points."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import assignments, model
from autograder.course.settings import Settings, SettingsError, read_settings
from autograder.feedback.causes import CAUSES
from autograder.grading.weights import weighted

SPEC = assignments.load("bahdanau", hidden=True)
PARTS = sorted({check.part for check in SPEC.checks})


def settings(tmp_path: Path, text: str) -> Settings:
    (path := tmp_path / "assignment.toml").write_text(text, encoding="utf-8")
    return read_settings(path, SPEC, CAUSES)


def points(spec: model.Spec, part: str = "") -> float:
    return sum(check.points for check in spec.checks if part in ("", check.part))


def test_nothing_said_changes_nothing(tmp_path: Path) -> None:
    assert weighted(SPEC, settings(tmp_path, "").weights) is SPEC


def test_others_of_a_part_make_up_for_a_dropped_check(tmp_path: Path) -> None:
    dropped = SPEC.checks[0]
    spec = weighted(SPEC, settings(tmp_path, f'drop = ["{dropped.id}"]').weights)
    assert dropped.id not in [check.id for check in spec.checks]
    for part in PARTS:
        assert points(spec, part) == pytest.approx(points(SPEC, part))


def test_parts_and_checks_are_weights_and_come_to_the_total(tmp_path: Path) -> None:
    check = next(one for one in SPEC.checks if one.part != "stable_softmax")
    text = f"total = 50\n[parts]\nstable_softmax = 60\n[checks]\n{check.id} = 20\n"
    spec = weighted(SPEC, settings(tmp_path, text).weights)
    assert points(spec) == pytest.approx(50)
    own = next(one.points for one in spec.checks if one.id == check.id)
    assert points(spec, "stable_softmax") == pytest.approx(3 * own)


def test_a_part_of_0_points_is_left_out_but_for_checks_with_points_of_their_own(tmp_path: Path) -> None:
    check = next(one for one in SPEC.checks if one.part == "stable_softmax")
    spec = weighted(SPEC, settings(tmp_path, "[parts]\nstable_softmax = 0\n").weights)
    assert "stable_softmax" not in {one.part for one in spec.checks}
    assert points(spec) == pytest.approx(100)
    spec = weighted(SPEC, settings(tmp_path, f"[parts]\nstable_softmax = 0\n[checks]\n{check.id} = 2\n").weights)
    assert [one.id for one in spec.checks if one.part == "stable_softmax"] == [check.id]
    assert points(spec) == pytest.approx(100)


def test_shares_of_causes(tmp_path: Path) -> None:
    spec = weighted(SPEC, settings(tmp_path, "[causes]\nmissing-tanh = 0.25\n").weights)
    assert spec.shares["missing-tanh"] == 0.25
    assert [check.points for check in spec.checks] == [check.points for check in SPEC.checks]


@given(
    st.dictionaries(st.sampled_from(PARTS), st.floats(0.5, 100), max_size=3),
    st.sets(st.sampled_from([check.id for check in SPEC.checks]), max_size=5),
    st.floats(1, 1000),
)
def test_points_always_come_to_the_total(parts: dict[str, float], dropped: set[str], total: float) -> None:
    weights = Settings(parts=parts, drop=tuple(dropped), total=total).weights
    assert points(weighted(SPEC, weights)) == pytest.approx(total)


WRONG = {
    "topic = 'x'": "there is no setting 'topic'; ",
    "totl = 5": "there is no setting 'totl'; did you mean total?",
    "total = 'all'": "Expected `float`, got `str` - at `$.total`",
    "total = 0": "no points are left",
    "total = -1": "total is -1.0; expected a number of points",
    "total = nan": "total is nan",
    "assignment = 'luong'": "these are settings of luong, not of bahdanau",
    "drop = ['attention-speeed']": "there is no check 'attention-speeed'; did you mean attention-speed",
    "[parts]\nsoftmax = 3": "there is no part 'softmax'; did you mean ",
    "[checks]\nvalues = 3": "there is no check 'values'; ",
    "[causes]\nmissing-tan = 1": "there is no cause 'missing-tan'; did you mean missing-tanh",
    "[causes]\nmissing-tanh = 2": "missing-tanh is 2.0; expected a share from 0 to 1",
    "[late]\ndeadlin = 'x'": "there is no setting of [late] 'deadlin'; did you mean deadline?",
    "[late]\ndeadline = 'tomorrow'": "'tomorrow' is no time",
    "total = ": "Invalid value (at end of document)",
    "late = 3": "Expected `object`, got `int` - at `$.late`",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_slip_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'assignment.toml'}: ")
    assert WRONG[text] in str(caught.value)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "assignment.toml").symlink_to("/etc/hostname")
    with pytest.raises(SettingsError, match="cannot be opened"):
        read_settings(tmp_path / "assignment.toml", SPEC, CAUSES)
