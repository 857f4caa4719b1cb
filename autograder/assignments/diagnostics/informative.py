"""Whether sentences are worth classifying: judges of the reference's results (``case``'s is_informative)."""

from __future__ import annotations

import numpy as np

from autograder.assignments.diagnostics.programs import Batch
from autograder.protocol import Sequence, StepResult, Tensor, wire

Results = dict[str, StepResult]  # by step
DISTANCE = 0.02  # from a limit that is no count (contract of the assignment)
LIMITS = {"spread": (0.9,), "maximum": (0.5, 0.9), "drift": (0.2,)}


def numbers(result: StepResult, place: int | None = None) -> np.ndarray:
    """Return a result, or one of several."""
    value = result.value
    if place is not None and isinstance(value, Sequence):
        value = value.items[place]
    assert isinstance(value, Tensor)
    return wire.to_numpy(value.array)


def measures(results: Results, batch: Batch) -> dict[str, np.ndarray]:
    """Return the spread, the mean largest weight and the drift of each sentence."""
    columns = np.array([columns for _, columns in batch.lengths])
    entropy = numbers(results["sharpness"], 0)
    spread = np.where(columns > 1, entropy / np.log(np.maximum(columns, 2)), 0.0)
    return {"spread": spread, "maximum": numbers(results["sharpness"], 1), "drift": numbers(results["offset"], 1)}


def apart(results: Results, batch: Batch, expected: tuple[int, ...]) -> bool:
    """Return whether the classes are these, and no sentence is near a limit."""
    found = measures(results, batch)
    near = [np.abs(found[name] - limit) < DISTANCE for name, limits in LIMITS.items() for limit in limits]
    return not np.any(near) and tuple(numbers(results["out"]).tolist()) == expected
