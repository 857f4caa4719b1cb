"""Public checks of ``bahdanau`` (Bahdanau, Cho and Bengio 2015, section 3.1 and appendix A.1.2)."""

from __future__ import annotations

from functools import partial

from autograder.assignments.bahdanau import programs
from autograder.assignments.bahdanau.programs import MODULE, Size, attention, softmax, softmax_of, vjp
from autograder.assignments.bahdanau.speed import ATTENTION_SPEED, SOFTMAX_SPEED, VJP_SPEED
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, interface, shape, value, weight_sum
from autograder.assignments.kit.observed import untouched, watched
from autograder.assignments.kit.programs import inspected

# Ready-made attention contains a softmax too: scores as query with the identity as key, say.
SOFTMAXES = (
    "softmax softmin logsumexp logcumsumexp dot_product_attention fused_sdp multi_head flash_attention "
    "efficient_attention flex_attention"
)
AUTOGRAD = f"{SOFTMAXES} autograd::engine backward vjp jvp jacrev jacfwd make_dual autograd.grad"
NO_SOFTMAX = untouched(SOFTMAXES, later=SOFTMAXES, by=["stable_softmax"])
BY_HAND = untouched(AUTOGRAD, later=SOFTMAXES, by=["softmax_vjp"])

SIZE = Size(batch=2, source=7, enc=5, dec=3, attn=11)
LARGE = [[1e4, 1e4 - 1, -1e4], [-1e4, -1e4 + 2, -1e4], [0.0, 1.0, 2.0], [1e4, -1e4, 0.0]]

SOFTMAX = case("softmax", softmax, 3, 7, echo=True)
SOFTMAX_32 = case("softmax-float32", softmax, 3, 7, dtype="float32")
EXTREME = case("softmax-extreme", softmax_of, LARGE)
FORWARD = case("forward", attention, SIZE, gradient=True)
FORWARD_32 = case("forward-float32", attention, SIZE, dtype="float32")

INSPECTED = partial(inspected, methods=(".score", ".forward"), made="attention")
INTERFACE = case("attention-interface", INSPECTED, "arguments", MODULE, attention, Size(2, 3, 5, 7, 11))
SIGNATURE = expect("signature", "interface")

SOFTMAX_CHECKS = part(
    "stable_softmax",
    interface("softmax-interface", 1, "stable_softmax takes (scores, dim=-1)")
    .on(case("softmax-interface", inspected, "interface", "stable_softmax", softmax, 2, 3))
    .expects(SIGNATURE, RIGHT),
    value("softmax-values", 3, "stable_softmax gives the right values").on(SOFTMAX, SOFTMAX_32).expects(RIGHT, DTYPES),
    weight_sum("softmax-sums", 1, "Every row of stable_softmax sums to 1")
    .on(SOFTMAX, EXTREME)
    .expects(expect("sums", output="result"), RIGHT),
    value("softmax-extreme", 3, "stable_softmax is right for scores of ±10,000").on(EXTREME).expects(RIGHT),
    constraint("softmax-constraint", 4, "stable_softmax does without a ready-made softmax")
    .on(case("softmax-traced", softmax, 2, 5, trace=True))
    .expects(NO_SOFTMAX, RIGHT),
    "Worked example",
    value("softmax-example", 1, "The worked example of stable_softmax comes out")
    .on(case("softmax-example", programs.softmax_example))
    .expects(RIGHT),
    "Speed",
    SOFTMAX_SPEED,
)
VJP_CHECKS = part(
    "softmax_vjp",
    interface("vjp-interface", 1, "softmax_vjp takes (weights, grad_weights)")
    .on(case("vjp-interface", inspected, "interface", "softmax_vjp", vjp, 2, 3))
    .expects(SIGNATURE, RIGHT),
    value("vjp-values", 3, "softmax_vjp gives the right gradient of the scores")
    .on(case("vjp", vjp, 3, 5, echo=True))
    .expects(RIGHT, DTYPES),
    constraint("vjp-constraint", 4, "softmax_vjp is written by hand, without autograd")
    .on(case("vjp-traced", vjp, 2, 5, trace=True))
    .expects(BY_HAND, RIGHT),
    "Worked example",
    value("vjp-example", 1, "The worked example of softmax_vjp comes out")
    .on(case("vjp-example", programs.vjp_example))
    .expects(RIGHT),
    "Speed",
    VJP_SPEED,
)
ATTENTION_CHECKS = part(
    MODULE,
    interface("attention-interface", 4, "BahdanauAttention has its arguments, methods and parameters")
    .on(INTERFACE)
    .expects(
        expect("signature", "arguments", "arguments.score", "arguments.forward"),
        expect("parameters", "parameters"),
        RIGHT,
    ),
    "Shapes",
    shape("attention-shapes", 3, "The context and the weights have the right shapes and dtypes")
    .on(FORWARD)
    .expects(RIGHT),
    MODULE,
    value("attention-score", 4, "The scores are v^T tanh(W_s s + W_h h_j)")
    .on(case("score", attention, SIZE, method=".score"))
    .expects(RIGHT),
    value("attention-values", 5, "The context and the weights have the right values")
    .on(FORWARD, FORWARD_32)
    .expects(RIGHT, DTYPES),
    weight_sum("attention-sums", 2, "The weights of every sentence sum to 1")
    .on(FORWARD)
    .expects(expect("sums", output="weights"), right(only=["weights"])),
    "Worked example",
    value("attention-example", 2, "The worked example of BahdanauAttention comes out")
    .on(case("attention-example", programs.attention_example))
    .expects(right("score", "out")),
    MODULE,
    gradient("attention-gradients", 4, "The gradients of every input and every parameter")
    .on(FORWARD)
    .expects(GRADIENTS),
    "Speed",
    ATTENTION_SPEED,
)
CHECKS = (*SOFTMAX_CHECKS, *VJP_CHECKS, *ATTENTION_CHECKS)
CHECKS = watched(CHECKS, "softmax", {"softmax-constraint": ["stable_softmax"]}, traced=0.25)
CHECKS = watched(CHECKS, "softmax", {"vjp-constraint": ["softmax_vjp"]}, traced=0.25)
