"""The drawings of handouts: every box, arrow and label is there, and an error says what is wrong."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from autograder.instructor.release.figure import COLUMN, WIDTH, Arrow, Box, Figure, figure_in, svg
from tests.instructor.release.test_handout import TAUGHT

SVG = "{http://www.w3.org/2000/svg}"
TWO = (Box("a", "queries <q>\n(B, T)", (0, 0), "input"), Box("b", "weights", (1, 0), "result"))


def drawn(*arrows: Arrow) -> ET.Element:
    return ET.fromstring(svg(Figure("Two boxes", "One & two.", TWO, arrows)))


def test_texts_are_escaped_and_there() -> None:
    picture = drawn(Arrow("a", "b", "(B, d) & more"))
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert texts == ["(B, d) & more", "queries <q>", "(B, T)", "weights"]
    assert (picture.findtext(f"{SVG}title"), picture.findtext(f"{SVG}desc")) == ("Two boxes", "One & two.")
    assert picture.get("role") == "img"


def test_an_arrow_goes_from_border_to_border() -> None:
    [arrow] = [one for one in drawn(Arrow("a", "b")).iter(f"{SVG}path") if one.get("class") == "arrow"]
    start, end = (float(x) for x in re.findall(r"[ML ]*([\d.]+) [\d.]+", arrow.get("d", "")))
    assert end - start == pytest.approx(COLUMN - WIDTH)


def test_an_arrow_may_go_round() -> None:
    [arrow] = [one for one in drawn(Arrow("a", "b", via=((0, 1), (1, 1)))).iter(f"{SVG}path") if one.get("class")]
    assert arrow.get("d", "").count("L") == 3


@pytest.mark.parametrize(
    ("boxes", "arrows", "message"),
    [
        ((Box("a", "", (0, 0), "output"),), (), "no kind 'output'; expected one of input"),
        (TWO, (Arrow("a", "c"),), "no box 'c'"),
        (TWO, (Arrow("a", "b", side="top"),), "no side 'top'"),
    ],
)
def test_a_slip_is_named(boxes: tuple[Box, ...], arrows: tuple[Arrow, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Figure("", "", boxes, arrows)


@pytest.mark.parametrize("assignment", TAUGHT)
def test_no_box_covers_another(assignment: str, root: Path) -> None:
    figure = figure_in(root / "solutions" / assignment)
    assert figure is not None
    places = [box.at for box in figure.box]
    near = [
        (one, other)
        for number, one in enumerate(places)
        for other in places[number + 1 :]
        if abs(one[0] - other[0]) < 0.75 and abs(one[1] - other[1]) < 0.6
    ]
    assert near == []
    assert len(figure.alt) > 80
    assert any("(" in arrow.label for arrow in figure.arrow)  # shapes stand on the arrows
