"""The programs of ``diagnostics``'s hidden cases."""

from __future__ import annotations

import numpy as np

from autograder.assignments.diagnostics.matrices import soft
from autograder.assignments.diagnostics.programs import (
    ABLATED,
    CURVE,
    DRAWN,
    ERROR_RATE,
    GEOMETRY,
    LINKS,
    NORMS,
    PATHS,
    RANKS,
    Answers,
    Batch,
    sentences,
)
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.protocol import Ref


def with_zeros(builder: ProgramBuilder, name: str, batch: Batch) -> None:
    """Call a function on weights that are exactly 0 here and there, also for whole columns."""
    matrices = [soft(builder.generator, *one) for one in batch.lengths]
    for matrix in matrices:
        matrix[:, 1::3] = 0.0
        matrix[::2, 2:3] = 0.0
        matrix /= matrix.sum(-1, keepdims=True)
    args = sentences(builder, batch, matrices)
    made = DRAWN[name](builder, "unused_", batch)
    for key in [key for key in builder.arrays if key.startswith("unused_")]:
        del builder.arrays[key]
    given = [args[0], args[2]] if len(made.args) == 2 else args
    builder.call("out", name, *given, outputs=made.outputs)


# ---- temperature_curve


def extreme_curve(builder: ProgramBuilder) -> None:
    """Call temperature_curve on scores of ±1e4 with small differences, at temperatures from 0.01 to 100."""
    levels = np.array([1e4, -1e4, 0.0, 3.0])[:, None]
    fine = np.round(builder.generator.normal(2, 4, 5) * 256) / 256  # so that adding a level is exact
    fine[..., :2] = fine[..., 2:3] + np.array([1.0, -2.0]) / 64
    values = levels + fine
    values[..., 0, 4] = -1e4  # far below the others, so that its weight is exactly 0
    values[..., 1, 3] = 1e4  # far above them
    scores = builder.array("scores", values)
    temperatures = builder.array("temperatures", [100.0, 0.01, 1.0])
    outputs = {"weights": (3, 2, 4, 5), "entropies": (3,)}
    builder.call("out", CURVE, scores, temperatures, outputs=outputs, wrt=("scores",))


# ---- links


def corner_rates(builder: ProgramBuilder) -> None:
    """Call alignment_error_rate without links, without sure links, without both, and on links that are all right."""
    shapes: dict[str, tuple[int, ...]] = {
        "no_links": (2, 3, 5),
        "no_sure": (1, 4, 3),
        "all": (3, 2, 4),
        "neither": (2, 2, 6),
    }
    for into, shape in shapes.items():
        sure, none = builder.generator.mask(*shape, keep=0.3), np.zeros(shape, dtype=bool)
        right = none if into in ("no_sure", "neither") else sure
        links = none if into in ("no_links", "neither") else sure
        given = {"links": links, "sure": right, "possible": none}
        args = [builder.array(f"{into}_{name}", values) for name, values in given.items()]
        builder.call(into, ERROR_RATE, *args, outputs={"rate": None})


def tied_links(builder: ProgramBuilder, batch: Batch) -> None:
    """Call alignment_links on rows with several largest weights; rows of padding have far larger numbers."""
    matrices = []
    for rows, columns in batch.lengths:
        values = builder.generator.uniform(rows, columns, high=0.3)
        values[:, -1] = values[:, columns // 2] = 0.5
        values[::2, columns // 3] = 0.5
        matrices.append(values)
    builder.call("out", LINKS, *sentences(builder, batch, matrices), outputs={"links": None})


# ---- effects


def zero_rows(builder: ProgramBuilder) -> None:
    """Call attention_geometry on rows of which one or all are 0, as padding would be.

    Similarities of these rows get no cotangent, so their gradient is 0 in any way of writing, or NaN.
    """
    x = builder.generator.normal(3, 5, 4, scale=0.8)
    x[0, 2] = x[1, :2] = x[2] = 0.0
    pairs = (3, 5, 5)
    outputs = {"before": pairs, "after": pairs, "gain": (3,)}
    given = builder.array("x", x)
    builder.call("out", GEOMETRY, given, outputs=outputs, gradient=True, back_from=("before", "after"))
    empty = (x == 0).all(-1)
    builder.arrays["out.cotangent.before"][empty[:, :, None] | empty[:, None]] = 0.0
    builder.arrays["out.cotangent.after"][2] = 0.0


def extreme_paths(builder: ProgramBuilder) -> None:
    """Call gradient_paths on scores of about ±1e4, with small differences."""
    queries = np.array([[1e4, 0.5, -1.0], [-1e4, 1.0, 0.5], [0.0, 2.0, 1.0]])
    states = builder.generator.normal(2, 5, 3) * [1e-4, 1.0, 1.0] + [1.0, 0.0, 0.0]
    given = [
        builder.array("queries", np.stack([queries, queries[::-1]])),
        builder.array("states", states),
        builder.normal("grad_contexts", 2, 3, 3),
    ]
    builder.call("out", PATHS, *given, outputs={"direct": (2, 5, 3), "indirect": (2, 5, 3)})


def silent_norms(builder: ProgramBuilder) -> None:
    """Call gradient_norms where some totals are 0: after the last state that the loss reaches."""
    grads = builder.generator.normal(3, 5, 3)
    grads[0, 3:] = grads[1, 2:] = 0.0
    given = [
        builder.array("states", np.tanh(builder.generator.normal(3, 5, 3))),
        builder.normal("recurrent_weight", 3, 3, scale=0.7),
        builder.array("grad_states", grads),
    ]
    builder.call("out", NORMS, *given, outputs={"norms": (3, 5)}, gradient=True)


def full_weight(builder: ProgramBuilder) -> None:
    """Call ablation_effects where one position has all the weight: without it, the context is 0."""
    DRAWN[ABLATED](builder, "", Answers(3, 5, 4, 3))
    builder.arrays["weights"][0] = np.eye(5)[3]
    builder.arrays["weights"][2, 1] = 0.0
    builder.arrays["weights"][2] /= builder.arrays["weights"][2].sum()
    args = [Ref(name) for name in ("weights", "states", "out_weight", "out_bias")]
    builder.call("out", ABLATED, *args, outputs={"effects": (3, 5)})


def single_rank(builder: ProgramBuilder) -> None:
    """Call rank_agreement on one position, on two, and on equal orders."""
    for into, length in (("one", 1), ("two", 2), ("many", 6)):
        first = builder.array(f"{into}_first", builder.generator.normal(3, length))
        second = builder.array(f"{into}_second", np.exp(builder.arrays[f"{into}_first"]) * [[1.0], [-1.0], [1.0]])
        builder.call(into, RANKS, first, second, outputs={"agreement": None})
