"""The results of ``bench`` as a CSV file and as a plot."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.grading.timing.bench import BenchResult, Panel
from autograder.grading.timing.intervals import SURE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("assignment", "call", "who", "device", "size", "median_ms", "low_ms", "high_ms", "exponent")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # of lines; safe for colour-blind readers (Okabe and Ito)
STYLES = {"reference": ("-", "o"), "student": ("--", "s")}
NEAR = 1.25  # factor between two sizes, below which their labels would overlap
DOTS = 150  # per inch


def rows(results: BenchResult) -> list[dict[str, Any]]:
    """Return a row with ``COLUMNS`` for every call, who, device and size. Durations are CPU time in milliseconds."""
    return [
        dict(zip(COLUMNS, (line.assignment, line.call, line.who, line.device, size, *figures), strict=True))
        for panel in results.panels
        for line in panel.lines
        for size, cost in line.costs.items()
        for figures in [[float(f"{n:.6g}") for n in (cost.middle, cost.low, cost.high, line.exponent)]]
    ]


def write_csv(path: Path, results: BenchResult) -> None:
    """Write the rows. Raises OSError."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows(results))


def write_plot(path: Path, results: BenchResult) -> None:
    """Draw cost over size as a PNG, both axes logarithmic, one plot per panel. Raises OSError."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(results.panels)
    figure = Figure(figsize=(7.5, 5) if count == 1 else (5 * count, 4.6), layout="constrained")
    FigureCanvasAgg(figure)  # opens no window, whatever the user's settings are
    shaded = f"median; shaded: {'its 99 % interval' if results.rounds >= SURE else 'smallest to largest'}"
    for axes, panel in zip(figure.subplots(1, count, squeeze=False)[0], results.panels, strict=True):
        _draw(axes, panel, shaded)
    figure.savefig(path, dpi=DOTS)


def _draw(axes: Axes, panel: Panel, shaded: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    for line, colour in zip(panel.lines, COLOURS, strict=False):
        sizes, costs = list(line.costs), list(line.costs.values())
        style, marker = STYLES[line.who]
        axes.plot(
            sizes,
            [cost.middle for cost in costs],
            style,
            marker=marker,
            color=colour,
            label=f"{line.call}, {line.who} (exponent {line.exponent:.2f})",
        )
        axes.fill_between(sizes, [c.low for c in costs], [c.high for c in costs], color=colour, alpha=0.18, linewidth=0)
    axes.set(xscale="log", yscale="log", title=panel.title)
    axes.set_xlabel(panel.axis)
    axes.set_ylabel("CPU time of a call (ms)")
    axes.set_xticks(_apart(panel.lines[0].costs), minor=False)
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(which="major", alpha=0.3)
    axes.legend(frameon=False, title=shaded, alignment="left")


def _plain(value: float, _: object) -> str:
    return f"{value:g}"


def _apart(sizes: Iterable[int]) -> list[int]:
    """Return the sizes whose labels have room on the axis."""
    kept: list[int] = []
    for size in sorted(sizes):
        if not kept or size >= NEAR * kept[-1]:
            kept.append(size)
    return kept
