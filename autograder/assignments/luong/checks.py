"""Public checks of ``luong`` (Luong, Pham and Manning 2015, sections 3.1 and 3.2)."""

from __future__ import annotations

from functools import partial

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, ZEROS, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, interface, mask, shape, value, weight_sum
from autograder.assignments.kit.programs import inspected
from autograder.assignments.luong import programs
from autograder.assignments.luong.programs import HIDDEN_STATE, LOCAL, METHODS, MODULE, Size, attention, joined, local
from autograder.assignments.luong.speed import ATTENTION_SPEED, HIDDEN_SPEED, LOCAL_SPEED

SIZE = Size(batch=2, target=3, source=7, enc=5, dec=11, attn=13)
FORWARD = {
    method: case(f"forward-{method}", attention, method, SIZE, gradient=True, ways=["score"]) for method in METHODS
}
SQUARE = case("forward-general-square", attention, "general", Size(2, 3, 7, 5, 5, 13), ways=["score"])
SINGLE = case("forward-float32", attention, "general", SIZE, dtype="float32")
WHOLE = case("local", local, 11, 2, [4.0, 0.0, 10.0, 6.0, 1.0])
BETWEEN = case("local-between", local, 7, 3, [2.5, 3.25, -0.5], dtype="float32")
AWAY = case("local-away-beside", local, 7, 2, [30.0, 3.0, -2.25], gradient=True)
INSPECTED = partial(inspected, methods=(".forward",), made="hidden")
JOINED = case("joined", joined, batch=2, target=3, enc=7, dec=5, gradient=True)
JOINED_INTERFACE = case("joined-interface", INSPECTED, "arguments", HIDDEN_STATE, joined, 2, 3, 7, 5)
BOTH = (right("score", "out"), DTYPES)

ATTENTION_CHECKS = part(
    MODULE,
    interface("attention-interface", 2, "LuongAttention has its arguments, methods and parameters")
    .on(case("attention-interface", programs.module_interface))
    .expects(
        expect("signature", "arguments", "arguments.score", "arguments.forward"),
        expect("parameters", "concat", "general", "dot"),
        RIGHT,
    ),
    interface("attention-errors", 3, "The constructor refuses wrong calls with a ValueError")
    .on(case("attention-errors", programs.wrong_calls))
    .expects(RIGHT, expect("raises", *programs.REFUSED, error="ValueError")),
    value("attention-dot", 4, "dot: scores s^T h, and the results that follow").on(FORWARD["dot"]).expects(*BOTH),
    value("attention-general", 4, "general: scores s^T W_a h, and the results that follow")
    .on(FORWARD["general"], SQUARE)
    .expects(*BOTH),
    value("attention-concat", 5, "concat: scores v^T tanh(W_a [s; h]), and the results that follow")
    .on(FORWARD["concat"])
    .expects(*BOTH),
    "Shapes",
    shape("attention-shapes", 2, "The context and the weights have the right shapes and dtypes")
    .on(*FORWARD.values(), SINGLE)
    .expects(RIGHT, DTYPES),
    MODULE,
    weight_sum("attention-sums", 1, "The weights of every target position sum to 1")
    .on(*FORWARD.values())
    .expects(expect("sums", output="weights")),
    "Worked example",
    value("attention-example", 2, "The worked example of dot comes out")
    .on(case("worked-example", programs.worked_example))
    .expects(right("scores", "out")),
    MODULE,
    gradient("attention-gradients", 3, "The gradients of every input and every parameter")
    .on(*FORWARD.values())
    .expects(GRADIENTS),
    "Speed",
    ATTENTION_SPEED,
)
HIDDEN_CHECKS = part(
    HIDDEN_STATE,
    interface("attentional-interface", 3, "AttentionalHidden has its arguments and its parameter")
    .on(JOINED_INTERFACE)
    .expects(expect("signature", "arguments", "arguments.forward"), expect("parameters", "parameters"), RIGHT),
    value("attentional-values", 5, "AttentionalHidden gives tanh(W_c [c; s])").on(JOINED).expects(RIGHT, DTYPES),
    gradient("attentional-gradients", 2, "The gradients of the context, the decoder states and W_c")
    .on(JOINED)
    .expects(GRADIENTS),
    "Speed",
    HIDDEN_SPEED,
)
LOCAL_CHECKS = part(
    LOCAL,
    interface("local-interface", 1, "local_weights takes (scores, center, half_width)")
    .on(case("local-interface", inspected, "arguments", LOCAL, local, 7, 2, [2.0, 4.0]))
    .expects(expect("signature", "arguments"), RIGHT),
    value("local-values", 7, "local_weights: softmax in the window, times the Gaussian")
    .on(WHOLE, BETWEEN)
    .expects(RIGHT, ZEROS, DTYPES),
    "Worked example",
    value("local-example", 2, "The worked example of local_weights comes out")
    .on(case("local-example", programs.local_example))
    .expects(RIGHT, ZEROS),
    mask("local-away", 1, "local_weights and its gradients, also where a window is empty")
    .on(case("local-away", programs.local_example, center=20.0), AWAY)
    .expects(RIGHT, ZEROS, GRADIENTS),
    "Speed",
    LOCAL_SPEED,
)
CHECKS = (*ATTENTION_CHECKS, *HIDDEN_CHECKS, *LOCAL_CHECKS)
