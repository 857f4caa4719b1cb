"""The checks of speed, and the calls that they time.

The limits are wide, because only the method matters. A loop over positions or over the batch costs 8 to 1000 times what
the reference costs. No way of writing the same sums without a loop costs twice as much. The source lengths of ``bench``
go from a short sentence to a long page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from autograder import model, protocol
from autograder.assignments.kit.assertions import Assertions
from autograder.assignments.kit.checks import Write
from autograder.assignments.kit.observed import Watch
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder

D = 128
SCALE = 0.05  # of weights: sums of 128 products stay where tanh and softmax are neither flat nor 0 or 1
LENGTHS = (10, 50, 100, 500, 1000)
POSITIONS, TARGETS, SENTENCES, ROWS = "source positions", "target positions", "sentences", "rows"
SOURCE_LENGTH = "source length T (positions)"


def timed(
    name: str,
    write: Write,
    varies: str,
    axis: str,
    /,
    *,
    at: int,
    limit: float,
    growing: Sequence[int] = (),
    calls: int = 2,
    watch: Watch | None = None,
    allowed: Assertions = (),
    **sizes: Any,
) -> model.TimedCall:
    """Return a timed call (see ``model.TimedCall``). ``write(builder, calls, **sizes)`` writes it, ``calls`` times.

    Each call gets inputs of its own. ``varies`` names the size that ``at`` and ``growing`` set, and ``axis`` says in
    words what it counts. ``allowed`` is at most one assertion.
    """
    build = partial(_program, write, varies, sizes)
    slack = 0.5  # in the exponent of the cost
    return model.TimedCall(name, axis, build, at, limit, tuple(growing), slack, calls, watch or "", *allowed)


def _program(
    write: Write, varies: str, sizes: dict[str, Any], generator: InputGenerator, size: int, calls: int
) -> protocol.Program:
    builder = ProgramBuilder(generator, "float32")
    write(builder, calls, **{**sizes, varies: size})
    return builder.program()


def speed(name: str, points: float, subject: str, *timed: model.TimedCall) -> model.Check:
    """Return the check of a part's speed. ``subject`` names what is timed."""
    title = f"{subject} takes at most a few times the reference's time"
    return model.Check(name, title, "timing", points, (), (), timed=timed)
