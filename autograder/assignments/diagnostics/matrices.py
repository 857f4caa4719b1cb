"""Matrices of weights, by their kinds: each is drawn for T rows and S columns, and every row sums to 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autograder.assignments.kit.programs import InputGenerator

Peaks = Callable[[InputGenerator, int, int], np.ndarray]  # the column of each row's largest weight
Kind = Callable[[InputGenerator, int, int], np.ndarray]


def soft(generator: InputGenerator, rows: int, columns: int, scale: float = 1.3) -> np.ndarray:
    """Return the softmax of Gaussian scores."""
    powers = np.exp(generator.normal(rows, columns, scale=scale))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def padded(
    generator: InputGenerator, matrices: Sequence[np.ndarray], rows: int, columns: int, most: float
) -> np.ndarray:
    """Return the matrices in one array. Columns of padding hold 0, and rows of padding numbers up to ``most``."""
    batch = generator.uniform(len(matrices), rows, columns, high=most)
    for place, matrix in zip(batch, matrices, strict=True):
        place[: len(matrix)] = 0.0
        place[: len(matrix), : matrix.shape[1]] = matrix
    return batch


# ---- peaks


def along(rows: int, columns: int) -> np.ndarray:
    """Return the columns nearest to a line from the first cell to the last one."""
    return np.asarray(np.rint(np.linspace(0, columns - 1, rows)), dtype=int)


def blocks(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return the columns of a line whose blocks of two or three rows are read backwards."""
    width = int(generator.integers(low=2, high=4))
    line = along(rows, columns)
    return np.concatenate([line[start : start + width][::-1] for start in range(0, rows, width)])


def stripes(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return columns among at most half as many as there are rows and columns."""
    few = max(1, min(rows, columns) // 2 - int(generator.integers(high=2)))
    chosen = generator.generator.choice(columns, size=few, replace=False)
    return np.asarray(chosen[generator.integers(rows, high=few)])


def lagging(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return columns that fall behind the diagonal, more and more."""
    last = (columns - 1) * float(generator.uniform(low=0.2, high=0.45))
    return np.asarray(np.rint(np.linspace(0, last, rows)), dtype=int)


def shifted(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return a line whose distance from the diagonal is large and does not grow."""
    return np.asarray(np.minimum(along(rows, columns) + max(1, columns // 4), columns - 1))


def returning(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return columns that fall behind the diagonal, and end on it."""
    found = lagging(generator, rows, columns)
    found[-1] = columns - 1
    return found


def stuck(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return the middle column for most rows, and others for the first and the last few."""
    found = np.full(rows, columns // 2)
    few = (rows - 1) // 4
    found[:few], found[rows - few :] = 0, columns - 1
    return found


# ---- weights


def peaked(
    generator: InputGenerator, at: np.ndarray, columns: int, low: float, high: float, scale: float = 0.4
) -> np.ndarray:
    """Return rows with a weight between ``low`` and ``high`` at these columns; the others share the rest.

    ``scale``: how unevenly.
    """
    largest = generator.uniform(len(at), 1, low=low, high=high)
    rest = soft(generator, len(at), columns, scale=scale)
    rest[np.arange(len(at)), at] = 0.0
    found = rest / np.maximum(rest.sum(-1, keepdims=True), 1e-9) * (1 - largest)
    found[np.arange(len(at)), at] = largest[:, 0] if columns > 1 else 1.0
    return np.asarray(found)


def _of(peaks: Peaks, low: float, high: float) -> Kind:
    return lambda generator, rows, columns: peaked(generator, peaks(generator, rows, columns), columns, low, high)


def line(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return a line from the first cell to the last one."""
    return along(rows, columns)


def broad(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return rows that share their weight among three or four neighbours near the diagonal."""
    distance = np.abs(np.arange(columns) - along(rows, columns)[:, None])
    powers = np.exp(generator.normal(rows, columns, scale=0.2)) * (distance <= 1) + 1e-3
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def broad_stripes(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return rows with peaks in few columns, but with most of the weight elsewhere."""
    found, peaks = broad(generator, rows, columns), stripes(generator, rows, columns)
    found[np.arange(rows), peaks] = 1.1 * found.max(-1)
    return np.asarray(found / found.sum(-1, keepdims=True))


def noise(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return rows around 1 / S."""
    return soft(generator, rows, columns, scale=0.2)


def even_stripes(generator: InputGenerator, rows: int, columns: int) -> np.ndarray:
    """Return rows around 1 / S with peaks in few columns."""
    return peaked(generator, stripes(generator, rows, columns), columns, 0.2, 0.25, scale=0.1)


# Patterns need weights of any sharpness; failures need some that are sharp and no failure.
PATTERNS: dict[str, Kind] = {
    "diagonal": _of(line, 0.6, 0.85),
    "reordered": _of(blocks, 0.6, 0.85),
    "many-to-one": _of(stripes, 0.6, 0.85),
    "one-to-many": broad,
    "diffuse": noise,
    "broad-stripes": broad_stripes,
    "even-stripes": even_stripes,
    "two-words": _of(line, 0.54, 0.64),  # of two columns: diffuse, and yet with large weights
}
FAILURES: dict[str, Kind] = {
    "soft": _of(line, 0.6, 0.8),
    "sharp": _of(line, 0.94, 0.98),
    "shifted": _of(shifted, 0.6, 0.8),
    "middle": _of(stuck, 0.6, 0.8),
    "uniform": noise,
    "stuck": _of(stuck, 0.94, 0.98),
    "lagging": _of(lagging, 0.6, 0.8),
    "returning": _of(returning, 0.6, 0.8),
}
