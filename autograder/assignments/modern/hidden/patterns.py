"""Hidden checks of cached projections, streams and patterns."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, shape, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.modern.hidden import programs
from autograder.assignments.modern.hidden.given import rules, sizes
from autograder.assignments.modern.hidden.programs import FIRST, LAST
from autograder.assignments.modern.programs import (
    FORWARD,
    PROJECTED,
    SPARSE,
    STEP,
    STREAMED,
    WINDOW,
    Additive,
    far_below,
)

ONE = Additive(1, 1, 1, 1, 1, 1)
FORWARDS = sizes("forward", FORWARD, *((Additive(*s),) for s in [(3, 4, 2, 5, 3, 6), (2, 6, 3, 1, 4, 2)]))
STEPS = sizes("step", STEP, *((Additive(*s),) for s in [(3, 1, 4, 2, 5, 3), (1, 1, 3, 6, 1, 4)]))
STREAMS = sizes("streamed", STREAMED, (3, 5, 8, 2, 3, 4), (1, 2, 9, 5, 1, 5), (2, 4, 6, 3, 6, 6), (2, 3, 10, 4, 2, 3))
WINDOWS = sizes("window", WINDOW, (3, 8, 2, 5, 1), (1, 10, 6, 2, 3), (2, 6, 3, 3, 0), (2, 7, 4, 4, 2))
SPARSES = sizes("sparse", SPARSE, (3, 10, 2, 5, 2, 4), (1, 9, 6, 2, 1, 2), (2, 8, 3, 3, 3, 3), (2, 13, 4, 2, 2, 5))
MEGABYTES = 100.0  # the table of scores alone has 134

CHECKS = (
    *part(
        PROJECTED,
        value("projected-sizes", 2, "Other sizes and strides, with gradients")
        .on(*FORWARDS, *STEPS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("projected-ones", 1, "Sizes of 1")
        .on(
            *sizes("forward-ones", FORWARD, (ONE,), (ONE._replace(targets=3, sources=4),), (ONE._replace(batch=2),)),
            *sizes("step-ones", STEP, (ONE,), (Additive(3, 1, 1, 2, 2, 2),)),
        )
        .expects(RIGHT, GRADIENTS),
        value("projected-extreme", 1, "Scores of ±10,000 in step and forward")
        .on(case("hidden-projected-extreme", programs.extreme_steps))
        .expects(right("out", "one")),
        value("projected-steps", 1, "forward equals a loop of step with one project")
        .on(case("hidden-projected-steps", programs.steps, Additive(2, 3, 4, 5, 3, 2)))
        .expects(right("projected", "step0", "step1", "step2", "out")),
        "Rules",
        rules("projected", PROJECTED, 1, FORWARD, STEP),
        by_hand("projected-constraint-hidden", PROJECTED, 1, FORWARDS[0], STEPS[0]),
    ),
    *part(
        STREAMED,
        value("streamed-sizes", 1.5, "Other sizes, blocks and strides, with gradients")
        .on(*STREAMS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("streamed-ones", 0.5, "Sizes of 1")
        .on(*sizes("streamed-ones", STREAMED, (1, 1, 1, 1, 1, 1), (2, 1, 5, 1, 3, 2), (3, 4, 1, 2, 1, 4)))
        .expects(RIGHT, GRADIENTS),
        value("streamed-extreme", 1, "Scores of ±10,000, the largest in the first or in the last block")
        .on(
            case("hidden-streamed-first", programs.extreme_streams, FIRST, 3),
            case("hidden-streamed-last", programs.extreme_streams, LAST, 3),
            case("hidden-streamed-mixed", programs.extreme_streams, LAST, 4),
            case("hidden-streamed-single", programs.extreme_streams, LAST, 1),
            case("hidden-streamed-extreme-float32", programs.extreme_streams, FIRST, 4, dtype="float32"),
        )
        .expects(RIGHT),
        value("streamed-low", 0.5, "All scores far below 0")
        .on(
            case("hidden-streamed-low", far_below, 3, 2, 7, 2, 9000.0),
            case("hidden-streamed-low-float32", far_below, 2, 3, 5, 3, 900.0, dtype="float32"),
        )
        .expects(RIGHT),
        constraint("streamed-memory", 3.5, "streamed_attention needs little memory for many keys")
        .on(case("hidden-streamed-memory", programs.long_stream, dtype="float32", pinned=True))
        .expects(expect("fits", megabytes=MEGABYTES, beside="small"), right("small", "out")),
        "Rules",
        rules("streamed", STREAMED, 0.5, STREAMED),
        by_hand("streamed-constraint-hidden", STREAMED, 1, STREAMS[0]),
    ),
    *part(
        WINDOW,
        value("window-sizes", 2, "Other sizes, radii and strides, with gradients")
        .on(*WINDOWS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("window-ones", 0.5, "Sizes of 1")
        .on(*sizes("window-ones", WINDOW, (1, 1, 1, 1, 0), (2, 1, 3, 2, 2), (1, 5, 1, 1, 1)))
        .expects(RIGHT, GRADIENTS),
        value("window-wide", 1, "A radius of T - 1 or more sees everything")
        .on(*sizes("window-wide", WINDOW, (2, 5, 3, 4, 4), (1, 6, 2, 3, 5), (3, 4, 4, 2, 30)))
        .expects(RIGHT, GRADIENTS),
        value("window-extreme", 0.5, "window_attention with scores of ±10,000")
        .on(case("hidden-window-extreme", programs.extreme_patterns, WINDOW, 2))
        .expects(RIGHT),
        "Rules",
        rules("window", WINDOW, 1, WINDOW),
        by_hand("window-constraint-hidden", WINDOW, 1, WINDOWS[0]),
    ),
    *part(
        SPARSE,
        value("sparse-sizes", 1.5, "Other sizes, radii and strides, with gradients")
        .on(*SPARSES)
        .expects(RIGHT, GRADIENTS, DTYPES),
        value("sparse-patterns", 1, "Radius 0, a stride of T or more, a stride of 1, and sizes of 1")
        .on(
            *sizes("sparse-strided", SPARSE, (2, 7, 3, 2, 0, 3), (2, 6, 2, 3, 1, 6), (1, 5, 2, 4, 1, 30)),
            *sizes("sparse-all", SPARSE, (2, 6, 3, 2, 1, 1), (2, 5, 2, 3, 9, 2), (1, 1, 1, 1, 0, 1)),
        )
        .expects(RIGHT, GRADIENTS),
        value("sparse-extreme", 0.5, "sparse_attention with scores of ±10,000")
        .on(case("hidden-sparse-extreme", programs.extreme_patterns, SPARSE, 1, 3))
        .expects(RIGHT),
        "Rules",
        rules("sparse", SPARSE, 0.5, SPARSE),
        by_hand("sparse-constraint-hidden", SPARSE, 1, SPARSES[0]),
    ),
)
