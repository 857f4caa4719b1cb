"""Draws ``solutions/T/figure.toml``: the boxes and arrows of a mechanism, with shapes on the arrows, as SVG.

    title = "..."                     # what the drawing shows, in one line
    alt = "..."                       # the same in words, for those who do not see it
    [[box]]
    id = "scores"
    text = "scores"                   # a second line after "\\n" is set small
    at = [2, 1]                       # column and row, from the top left; halves are fine
    kind = "step"                     # input, step, learned or result
    [[arrow]]
    from = "scores"
    to = "weights"
    label = "(B, T_s)"                # a shape, usually
    side = "right"                    # of the label: left, right, above, below, or on the arrow (default)
    via = [[2, 1.5]]                  # points between, if a straight arrow would cross a box

The drawing has its own ground, so it reads on a light and on a dark page.
"""

from __future__ import annotations

import html
import itertools
import math
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

NAME = "figure.toml"
COLUMN, ROW = 170, 92  # pixels from one box to the next
WIDTH, HEIGHT = 116, 46  # of a box
MARGIN = 22
KINDS = ("input", "step", "learned", "result")
SIDES = {"on": (0, 4, "middle"), "left": (-8, 4, "end"), "right": (8, 4, "start")} | {
    "above": (0, -8, "middle"),
    "below": (0, 17, "middle"),
}
STYLE = """\
text { font: 14px system-ui, sans-serif; fill: #1c2733 }
.small { font-size: 11.5px } .shape { font: 12px ui-monospace, monospace; fill: #35506b }
.shape { paint-order: stroke; stroke: #fbfaf7; stroke-width: 5px; stroke-linejoin: round }
.ground { fill: #fbfaf7; stroke: #d8d4c8 } .box { stroke-width: 1.5 }
.input { fill: #e4eefb; stroke: #2f6fb3 } .step { fill: #ffffff; stroke: #5d6b7a }
.learned { fill: #fdebd7; stroke: #b8620b } .result { fill: #e1f3e6; stroke: #2b7a46 }
.arrow { fill: none; stroke: #5d6b7a; stroke-width: 1.5; marker-end: url(#head) } #head path { fill: #5d6b7a }"""

Point = tuple[float, float]


class Box(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A box and the column and row of its centre."""

    id: str
    text: str
    at: Point
    kind: str = "step"


class Arrow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """An arrow from one box to another."""

    source: str
    target: str
    label: str = ""
    side: str = "on"
    via: tuple[Point, ...] = ()


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A drawing, as ``figure.toml`` has it."""

    title: str
    alt: str
    box: tuple[Box, ...]
    arrow: tuple[Arrow, ...]

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown kind, side or box."""
        known = {box.id for box in self.box}
        names: list[tuple[str, str, Collection[str]]] = [("kind", box.kind, KINDS) for box in self.box]
        names += [("side", one.side, SIDES) for one in self.arrow]
        names += [("box", end, known) for one in self.arrow for end in (one.source, one.target)]
        for what, name, allowed in names:
            if name not in allowed:
                raise ValueError(f"there is no {what} {name!r}; expected one of {', '.join(sorted(allowed))}")


def figure_in(texts: Path) -> Figure | None:
    """Return the drawing in the folder of an assignment's texts; None without one.

    Raises ValueError (of msgspec, or of ``Figure``).
    """
    path = texts / NAME
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Figure) if path.is_file() else None


def svg(figure: Figure) -> str:
    """Return the drawing as SVG."""
    points = [box.at for box in figure.box] + [point for one in figure.arrow for point in one.via]
    width, height = (max(at[axis] for at in points) for axis in (0, 1))
    size = width * COLUMN + WIDTH + 2 * MARGIN, height * ROW + HEIGHT + 2 * MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:g} {size[1]:g}" width="{size[0]:g}"'
            ' role="img" aria-labelledby="title alt">',
            f'<title id="title">{html.escape(figure.title)}</title>',
            f'<desc id="alt">{html.escape(figure.alt)}</desc>',
            f"<style>\n{STYLE}\n</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
            ' orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="ground" x="1" y="1" width="{size[0] - 2:g}" height="{size[1] - 2:g}" rx="10"/>',
            *_arrows(figure),
            *(part for box in figure.box for part in _box(box)),
            "</svg>\n",
        ]
    )


def _centre(at: Point) -> Point:
    return MARGIN + WIDTH / 2 + at[0] * COLUMN, MARGIN + HEIGHT / 2 + at[1] * ROW


def _box(box: Box) -> Iterator[str]:
    x, y = _centre(box.at)
    yield (
        f'<rect class="box {box.kind}" x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}"'
        f' height="{HEIGHT}" rx="7"/>'
    )
    first, _, second = box.text.partition("\n")
    yield f'<text x="{x:g}" y="{y + (-2 if second else 5):g}" text-anchor="middle">{html.escape(first)}</text>'
    if second:
        yield f'<text class="small" x="{x:g}" y="{y + 14:g}" text-anchor="middle">{html.escape(second)}</text>'


def _arrows(figure: Figure) -> Iterator[str]:
    """Yield all arrows, then all labels, so that no arrow crosses a label."""
    centres = {box.id: _centre(box.at) for box in figure.box}
    labels = []
    for arrow in figure.arrow:
        path = [centres[arrow.source], *map(_centre, arrow.via), centres[arrow.target]]
        path[0], path[-1] = _border(path[0], path[1]), _border(path[-1], path[-2])
        yield f'<path class="arrow" d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in path)}"/>'
        if arrow.label:
            labels.append(_label(arrow, path))
    yield from labels


def _label(arrow: Arrow, path: list[Point]) -> str:
    """Return the label, in the middle of the longest piece of the arrow."""
    start, end = max(itertools.pairwise(path), key=lambda piece: math.dist(*piece))
    right, down, anchor = SIDES[arrow.side]
    x, y = (start[0] + end[0]) / 2 + right, (start[1] + end[1]) / 2 + down
    return f'<text class="shape" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(arrow.label)}</text>'


def _border(centre: Point, towards: Point) -> Point:
    """Return where the line from the centre of a box to another point leaves the box."""
    right, down = towards[0] - centre[0], towards[1] - centre[1]
    if not (right or down):
        return centre
    share = min(limit / abs(way) for limit, way in ((WIDTH / 2, right), (HEIGHT / 2, down)) if way)
    return centre[0] + right * share, centre[1] + down * share
