"""What the checks of ``diagnostics`` share: cases, the arguments of each function, and frequent assertions."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograder import model
from autograder.assignments.diagnostics.informative import apart
from autograder.assignments.diagnostics.programs import NORMS, PATHS, USUAL, Batch, classified
from autograder.assignments.kit.assertions import Assertions, expect, right
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.observed import untouched

AUTOGRAD = "autograd::engine backward vjp jvp jacrev jacfwd make_dual autograd.grad"
BY_HAND = {name: untouched(AUTOGRAD, later="", by=[name]) for name in (PATHS, NORMS)}
ECHO: dict[str, Any] = {"call": {"gradient": True, "echo": True}}
AT_ZERO = expect("gradients", finite_at_zero=True)
interface, both = USUAL.interface, USUAL.both


def sorts(name: str, id: str, batch: Batch, *sentences: tuple[str, int], **options: Any) -> model.Case:
    """Return a case that calls a classifier on sentences of these kinds, which have these classes."""
    names, classes = zip(*sentences, strict=True)
    return case(
        id, classified, name, names, batch, is_informative=partial(apart, batch=batch, expected=classes), **options
    )


def only(*outputs: str) -> Assertions:
    """Assert shapes and values of these results alone."""
    return right(only=outputs)
