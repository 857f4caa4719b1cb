"""What the checks of ``diagnostics`` share: cases, the arguments of each function, and frequent assertions."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograder import model
from autograder.assignments.diagnostics.informative import apart
from autograder.assignments.diagnostics.programs import (
    ABLATED,
    COVERAGE,
    CURVE,
    ENTROPY,
    ERROR_RATE,
    FAILURE,
    GEOMETRY,
    LINKS,
    NORMS,
    OFFSET,
    PATHS,
    PATTERN,
    PERMUTED,
    RANKS,
    SHARPNESS,
    Batch,
    classified,
    examined,
    once,
)
from autograder.assignments.kit import kinds
from autograder.assignments.kit.assertions import RIGHT, Assertions, expect, right
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.observed import untouched

AUTOGRAD = "autograd::engine backward vjp jvp jacrev jacfwd make_dual autograd.grad"
BY_HAND = {name: untouched(AUTOGRAD, later="", by=[name]) for name in (PATHS, NORMS)}
ECHO: dict[str, Any] = {"call": {"gradient": True, "echo": True}}
AT_ZERO = expect("gradients", finite_at_zero=True)
GIVEN = {
    ENTROPY: "(weights)",
    CURVE: "(scores, temperatures)",
    SHARPNESS: "(weights, tgt_lengths)",
    **dict.fromkeys((COVERAGE, OFFSET, LINKS, PATTERN, FAILURE), "(weights, src_lengths, tgt_lengths)"),
    ERROR_RATE: "(links, sure, possible)",
    GEOMETRY: "(x, temperature=1.0)",
    PATHS: "(queries, states, grad_contexts)",
    NORMS: "(states, recurrent_weight, grad_states)",
    PERMUTED: "(weights, states, out_weight, out_bias, permutations)",
    ABLATED: "(weights, states, out_weight, out_bias)",
    RANKS: "(first, second)",
}


def interface(id: str, name: str, points: float, *size: Any) -> model.Check:
    """Return the check of a function's arguments. The function must also give the right result."""
    one = case(f"{id}-interface", examined, name, *size)
    draft = kinds.interface(f"{id}-interface", points, f"{name} takes {GIVEN[name]}").on(one)
    return draft.expects(expect("signature", "arguments"), RIGHT)


def both(id: str, name: str, *size: Any, gradient: bool = True, **options: Any) -> tuple[model.Case, model.Case]:
    """Return a case in double precision, with gradients if there are any, and one in single precision."""
    return (
        case(id, once, name, *size, call={"gradient": gradient, "echo": True}, **options),
        case(f"{id}-float32", once, name, *size, dtype="float32", **options),
    )


def sorts(name: str, id: str, batch: Batch, *sentences: tuple[str, int], **options: Any) -> model.Case:
    """Return a case that calls a classifier on sentences of these kinds, which have these classes."""
    names, classes = zip(*sentences, strict=True)
    return case(
        id, classified, name, names, batch, is_informative=partial(apart, batch=batch, expected=classes), **options
    )


def only(*outputs: str) -> Assertions:
    """Assert shapes and values of these results alone."""
    return right(only=outputs)
