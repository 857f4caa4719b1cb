"""Known mistakes of diagonal_offset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.diagnostics.hidden.mistakes.measures import MEANS, Mean
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.diagnostics.functions import real, row_mean

Diagonal = Callable[..., Tensor]  # t (T_t,), S (B, 1), T (B, 1), T_t, T_s -> (B, T_t) or (1, T_t)
Offsets = Callable[[Tensor, Tensor, Tensor], Tensor]  # weights, j (T_s,), diagonal (B, T_t) -> (B, T_t)
Slope = Callable[[Tensor, Tensor, Tensor], Tensor]  # t (T_t,), offsets (B, T_t), T (B,) -> (B,)


def _diagonal(t: Tensor, S: Tensor, T: Tensor, rows: int, columns: int) -> Tensor:
    return t * (S - 1) / (T - 1).clamp(min=1)


def _offsets(weights: Tensor, j: Tensor, diagonal: Tensor) -> Tensor:
    return (weights * (j - diagonal.unsqueeze(2)).abs()).sum(2)


def _line(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    centered = (t - (T.unsqueeze(1) - 1) / 2).masked_fill(~real(T, len(t)), 0)
    return (centered * offsets).sum(1) / centered.square().sum(1).masked_fill(T == 1, 1)


def offset(
    diagonal: Diagonal = _diagonal, offsets: Offsets = _offsets, mean: Mean = row_mean, slope: Slope = _line
) -> dict[str, Any]:
    """Build a diagonal_offset with some parts replaced by wrong ones."""

    def diagonal_offset(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
        rows, columns = weights.shape[1:]
        t, j = torch.arange(rows, dtype=weights.dtype), torch.arange(columns, dtype=weights.dtype)
        S, T = (lengths.to(weights.dtype).unsqueeze(1) for lengths in (src_lengths, tgt_lengths))
        found = offsets(weights, j, diagonal(t, S, T, rows, columns))
        return mean(found, tgt_lengths), slope(t, found, tgt_lengths)

    return {"diagonal_offset": diagonal_offset}


def _ends(t: Tensor, offsets: Tensor, T: Tensor, steps: Tensor) -> Tensor:
    last = offsets.gather(1, (T - 1).unsqueeze(1)).squeeze(1)
    return (last - offsets[:, 0]) / steps


def _all_rows(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    centered = t - t.mean()
    return (centered * offsets).sum(1) / centered.square().sum()


def _masked(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    """Fit a line to all rows, of which those of padding have the offset 0."""
    return _all_rows(t, offsets.masked_fill(~real(T, len(t)), 0), T)


def _through_origin(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    places = t.masked_fill(~real(T, len(t)), 0)
    return (places * offsets).sum(1) / places.square().sum(1).masked_fill(T == 1, 1)


def _from_one(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    places = (t + 1).masked_fill(~real(T, len(t)), 0)
    return (places * offsets).sum(1) / places.square().sum(1)


def _unguarded(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    centered = (t - (T.unsqueeze(1) - 1) / 2).masked_fill(~real(T, len(t)), 0)
    return (centered * offsets).sum(1) / centered.square().sum(1)


def _turned(t: Tensor, offsets: Tensor, T: Tensor) -> Tensor:
    """Return the slope of the places over the offsets."""
    centered = (t - (T.unsqueeze(1) - 1) / 2).masked_fill(~real(T, len(t)), 0)
    around = (offsets - row_mean(offsets, T).unsqueeze(1)).masked_fill(~real(T, len(t)), 0)
    return (centered * around).sum(1) / around.square().sum(1).clamp(min=1e-12)


DIAGONALS: dict[str, dict[str, Diagonal]] = {
    "diagonal-not-stretched": {"": lambda t, S, T, rows, columns: t.unsqueeze(0)},
    "diagonal-by-width": {
        "": lambda t, S, T, rows, columns: (t * (columns - 1) / max(rows - 1, 1)).unsqueeze(0),
        "columns": lambda t, S, T, rows, columns: t * (columns - 1) / (T - 1).clamp(min=1),
        "rows": lambda t, S, T, rows, columns: t * (S - 1) / max(rows - 1, 1),
        "ratio": lambda t, S, T, rows, columns: (t * columns / rows).unsqueeze(0),
    },
    "diagonal-off-by-one": {
        "": lambda t, S, T, rows, columns: t * S / T,
        "last": lambda t, S, T, rows, columns: t * (S - 1) / T,
        "steps": lambda t, S, T, rows, columns: t * S / (T - 1).clamp(min=1),
        "from-one": lambda t, S, T, rows, columns: (t + 1) * S / T,
        "from-one-less": lambda t, S, T, rows, columns: (t + 1) * S / T - 1,
        "column-from-one": lambda t, S, T, rows, columns: _diagonal(t, S, T, rows, columns) - 1,
        "diagonal-from-one": lambda t, S, T, rows, columns: _diagonal(t, S, T, rows, columns) + 1,
        "row-from-one": lambda t, S, T, rows, columns: _diagonal(t + 1, S, T, rows, columns),
        "middles": lambda t, S, T, rows, columns: (t + 0.5) * S / T - 0.5,
    },
    "divides-by-zero": {"diagonal": lambda t, S, T, rows, columns: t * (S - 1) / (T - 1)},
    "": {
        "turned": lambda t, S, T, rows, columns: t * (T - 1) / (S - 1).clamp(min=1),
        "rounded": lambda t, S, T, rows, columns: _diagonal(t, S, T, rows, columns).round(),
        "floor": lambda t, S, T, rows, columns: _diagonal(t, S, T, rows, columns).floor(),
        "from-the-end": lambda t, S, T, rows, columns: S - 1 - _diagonal(t, S, T, rows, columns),
    },
}
OFFSETS: dict[str, dict[str, Offsets]] = {
    "offset-signed": {
        "": lambda w, j, d: (w * (j - d.unsqueeze(2))).sum(2),
        "turned": lambda w, j, d: (w * (d.unsqueeze(2) - j)).sum(2),
    },
    "offset-of-mean-position": {"": lambda w, j, d: ((w * j).sum(2) - d).abs()},
    "offset-squared": {
        "": lambda w, j, d: (w * (j - d.unsqueeze(2)).square()).sum(2),
        "root": lambda w, j, d: (w * (j - d.unsqueeze(2)).square()).sum(2).sqrt(),
    },
    "mean-not-sum": {"": lambda w, j, d: (w * (j - d.unsqueeze(2)).abs()).mean(2)},
    "detached-graph": {"": lambda w, j, d: _offsets(w.detach(), j, d) + 0 * w.sum(2)},
    "": {"peak": lambda w, j, d: (w.argmax(2) - d).abs() + 0 * w.sum(2)},
}
SLOPES: dict[str, dict[str, Slope]] = {
    "drift-end-to-end": {
        "": lambda t, o, T: _ends(t, o, T, (T - 1).clamp(min=1)),
        "rows": lambda t, o, T: _ends(t, o, T, T),
        "not-divided": lambda t, o, T: _ends(t, o, T, torch.ones_like(T)),
        "nan": lambda t, o, T: _ends(t, o, T, T - 1),
    },
    "drift-through-origin": {"": _through_origin, "from-one": _from_one},
    "padding-counted": {
        "slope": _all_rows,
        "slope-masked": _masked,
        "slope-or-0": lambda t, o, T: _all_rows(t, o, T).masked_fill(T == 1, 0),
        "slope-masked-or-0": lambda t, o, T: _masked(t, o, T).masked_fill(T == 1, 0),
    },
    "divides-by-zero": {"slope": _unguarded},
    "detached-graph": {"slope": lambda t, o, T: _line(t, o.detach(), T)},
    "ignores-batch": {"slope": lambda t, o, T: _line(t, o, T).mean().expand(len(o))},
    "": {
        "turned-slope": _turned,
        "negative": lambda t, o, T: -_line(t, o, T),
        "covariance": lambda t, o, T: _line(t, o, T) * (T * T - 1) / 12,
    },
}


def _variants() -> Iterator[Variant]:
    yield from from_table(DIAGONALS, lambda one: offset(diagonal=one), "offset-{}")
    yield from from_table(OFFSETS, lambda one: offset(offsets=one), "offset-{}")
    yield from from_table(MEANS, lambda one: offset(mean=one), "offset-mean-{}")
    yield from from_table(SLOPES, lambda one: offset(slope=one), "offset-{}")
    counted = MEANS["padding-counted"]
    for how, mean in counted.items():
        for which, slope in SLOPES["padding-counted"].items():
            yield Variant("padding-counted", f"offset-{how}-{which}", offset(mean=mean, slope=slope))
    swapped = {"diagonal_offset": lambda *given: offset()["diagonal_offset"](*given)[::-1]}
    yield Variant("returns-swapped", "offset", swapped)
    both = offset(DIAGONALS["divides-by-zero"]["diagonal"], slope=_unguarded)
    yield Variant("divides-by-zero", "offset-both", both)


VARIANTS = tuple(_variants())
