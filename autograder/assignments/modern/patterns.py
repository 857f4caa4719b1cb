"""Public checks of cached projections, streams and patterns."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, expect
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, interface, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.modern import examples, given
from autograder.assignments.modern.given import both
from autograder.assignments.modern.programs import (
    FORWARD,
    PROJECTED,
    SPARSE,
    STEP,
    STREAMED,
    USUAL,
    WINDOW,
    Additive,
    far_below,
    project,
)
from autograder.assignments.modern.speed import SPEED

ADDITIVE = Additive(batch=2, targets=3, sources=5, enc=4, dec=2, attn=3)
PROJECT = case("project", project, ADDITIVE)
STEPS = both("step", STEP, ADDITIVE)
FORWARDS = both("forward", FORWARD, ADDITIVE)
STREAMS = both("streamed", STREAMED, 2, 3, 7, 4, 5, 3)
WIDE_STREAMS = both("streamed-wide", STREAMED, 2, 4, 5, 3, 2, 9)
SINGLE_STREAMS = both("streamed-single", STREAMED, 2, 3, 4, 2, 3, 1)
HIGH = case("streamed-high", far_below, 2, 2, 6, 4, -2000.0)
WINDOWS = both("window", WINDOW, 2, 9, 4, 5, 4)
ALL_WINDOWS = both("window-all", WINDOW, 2, 4, 3, 2, 6)
SPARSES = both("sparse", SPARSE, 2, 11, 4, 5, 1, 3)
LONG_STRIDES = both("sparse-long", SPARSE, 2, 8, 3, 2, 2, 5)
ERROR = "ValueError"

CHECKS = (
    *part(
        PROJECTED,
        given.interface("projected", FORWARD, 1, Additive(2, 2, 3, 3, 4, 2)),
        value("projected-step", 1.5, "project, and one step with the projections that it is given")
        .on(PROJECT, *STEPS)
        .expects(RIGHT, DTYPES, UNCHANGED),
        value("projected-forward", 1.5, "forward gives the contexts and weights of all steps")
        .on(*FORWARDS)
        .expects(RIGHT, DTYPES),
        gradient("projected-gradients", 1, "The gradients of states and layers; in step, W_h gets none")
        .on(PROJECT, STEPS[0], FORWARDS[0])
        .expects(GRADIENTS, RIGHT),
        "Rules",
        by_hand("projected-constraint", PROJECTED, 1, FORWARDS[0]),
        "Speed",
        SPEED[PROJECTED],
    ),
    *part(
        STREAMED,
        given.interface("streamed", STREAMED, 0.5, 2, 2, 5, 3, 4, 2),
        interface("streamed-errors", 1, "A block_size below 1 raises ValueError")
        .on(case("streamed-errors", USUAL.refused, STREAMED, [(1, 2, 3, 2, 2, 0)], (1, 2, 3, 2, 2, 2)))
        .expects(expect("raises", "bad0", error=ERROR), RIGHT),
        value("streamed-values", 3.5, "streamed_attention is plain attention, whatever the size of a block")
        .on(*STREAMS, *SINGLE_STREAMS, *WIDE_STREAMS, case("streamed-low", far_below, 2, 2, 6, 4, 2000.0), HIGH)
        .expects(RIGHT, DTYPES),
        gradient("streamed-gradients", 1, "The gradients of query, key and value")
        .on(STREAMS[0], WIDE_STREAMS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("streamed-constraint", STREAMED, 1.5, STREAMS[0]),
        "Worked example",
        value("streamed-example", 1, "The worked example of streamed_attention comes out")
        .on(case("streamed-example", examples.streamed))
        .expects(RIGHT),
    ),
    *part(
        WINDOW,
        given.interface("window", WINDOW, 0.5, 2, 5, 3, 4, 1),
        interface("window-errors", 0.5, "A radius below 0 raises ValueError")
        .on(case("window-errors", USUAL.refused, WINDOW, [(1, 4, 2, 2, -1)], (1, 4, 2, 2, 1)))
        .expects(expect("raises", "bad0", error=ERROR), RIGHT),
        value("window-values", 1.5, "window_attention sees the positions at most radius away")
        .on(*WINDOWS, *ALL_WINDOWS)
        .expects(RIGHT, DTYPES),
        gradient("window-gradients", 0.5, "The gradients of query, key and value")
        .on(WINDOWS[0], ALL_WINDOWS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("window-constraint", WINDOW, 0.5, WINDOWS[0]),
        "Speed",
        SPEED[WINDOW],
    ),
    *part(
        SPARSE,
        given.interface("sparse", SPARSE, 0.5, 2, 7, 3, 4, 1, 3),
        interface("sparse-errors", 0.5, "A radius below 0 or a stride below 1 raises ValueError")
        .on(case("sparse-errors", USUAL.refused, SPARSE, [(1, 4, 2, 2, -1, 2), (1, 4, 2, 2, 1, 0)], (1, 4, 2, 2, 1, 2)))
        .expects(expect("raises", "bad0", "bad1", error=ERROR), RIGHT),
        value("sparse-values", 1, "sparse_attention sees the window and every stride-th position, each once")
        .on(*SPARSES, *LONG_STRIDES)
        .expects(RIGHT, DTYPES, UNCHANGED),
        "Rules",
        by_hand("sparse-constraint", SPARSE, 0.5, SPARSES[0]),
        "Speed",
        SPEED[SPARSE],
    ),
)
