"""Which expression of axes gives the sizes that were seen."""

from __future__ import annotations

import pytest

from autograder.assignments.kit.inputs import size_of
from autograder.instructor.authoring.suggest.fitting import fitted
from autograder.instructor.authoring.suggest.trying import tables

NAMES = ["vocab", "emb", "hidden", "enc", "attn", "heads"]
TABLES = tables(NAMES)


@pytest.mark.parametrize(
    "axes", ["hidden", "1", "3*hidden", "emb+enc", "hidden+enc", "heads*attn", "2*hidden+emb", "emb+hidden+enc"]
)
def test_sums_and_products_are_found(axes: str) -> None:
    shapes = [(size_of(axes, sizes), sizes["vocab"]) for sizes in TABLES]
    found = fitted(shapes, TABLES, NAMES)
    assert found is not None
    assert found[1] == "vocab"
    assert [size_of(found[0], sizes) for sizes in TABLES] == [shape[0] for shape in shapes]
    assert set(found[0].replace("*", "+").split("+")) == set(axes.replace("*", "+").split("+"))


def test_what_does_not_follow_from_the_sizes_is_marked() -> None:
    assert fitted([(number,) for number, _ in enumerate(TABLES, 50)], TABLES, NAMES) == ["?"]
    assert fitted([(2,) * number for number, _ in enumerate(TABLES)], TABLES, NAMES) is None


def test_sizes_of_a_table_differ() -> None:
    assert all(len(set(sizes.values())) == len(NAMES) for sizes in TABLES)
    assert {max(sizes, key=sizes.__getitem__) for sizes in TABLES[2:]} == set(NAMES)
