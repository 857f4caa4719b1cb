"""Hidden checks of ``bahdanau``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from autograder.assignments.bahdanau.checks import BY_HAND, NO_SOFTMAX
from autograder.assignments.bahdanau.hidden import programs
from autograder.assignments.bahdanau.programs import MODULE, Size, attention, softmax, vjp
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, STATELESS, UNCHANGED, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, invariance, shape, value
from autograder.assignments.kit.observed import watched
from autograder.assignments.kit.programs import with_zero_position

SIZE = Size(batch=3, source=13, enc=7, dec=5, attn=11)
FORWARD = case("hidden-forward", attention, SIZE, gradient=True)
FORWARD_32 = case("hidden-forward-float32", attention, SIZE, gradient=True, dtype="float32")
SCORE = case("hidden-score", attention, SIZE, method=".score", gradient=True)
SMALL = (Size(1, 1, 1, 1, 1), Size(1, 7, 5, 3, 11), Size(3, 1, 5, 7, 2), Size(2, 5, 1, 3, 1))
ONES = [case(f"hidden-ones-{i}", attention, size, gradient=True) for i, size in enumerate(SMALL)]
STRIDED = [case(f"hidden-{way}", attention, SIZE, layout=way, gradient=True) for way in ("reversed", "gapped")]
PATHS = [
    case(f"hidden-through-{name}", attention, SIZE, gradient=True, back_from=(name,)) for name in ("context", "weights")
]

SOFTMAX_CHECKS = part(
    "stable_softmax",
    value("softmax-dims", 2, "stable_softmax along any dimension, of any rank")
    .on(
        case("hidden-softmax-0", softmax, 5, 3, dim=0),
        case("hidden-softmax-1", softmax, 2, 7, 3, dim=1),
        case("hidden-softmax-default", softmax, 2, 3, 5, 7, dim=None),
        case("hidden-softmax-minus-2", softmax, 3, 5, 7, dim=-2),
        case("hidden-softmax-vector", softmax, 7, dim=0),
        case("hidden-softmax-single", softmax, 5, 1),
    )
    .expects(RIGHT),
    gradient("softmax-gradient", 2, "Gradients flow through stable_softmax")
    .on(
        case("hidden-softmax-gradient", softmax, 3, 7, gradient=True),
        case("hidden-softmax-gradient-0", softmax, 5, 3, dim=0, gradient=True),
        case("hidden-softmax-of-softmax", programs.softmax_of_softmax),
    )
    .expects(GRADIENTS, RIGHT),
    value("softmax-levels", 2, "stable_softmax with rows far from each other")
    .on(
        case("hidden-softmax-levels", programs.extreme),
        case("hidden-softmax-levels-0", programs.extreme, dim=0),
        case("hidden-softmax-levels-32", programs.extreme, dtype="float32"),
    )
    .expects(RIGHT, GRADIENTS),
    invariance("softmax-shift", 1, "A constant added to the scores changes nothing")
    .on(case("hidden-softmax-shift", programs.shifted))
    .expects(expect("permuted", "first", other="out", order="order", axes={"result": []}), RIGHT),
    invariance("softmax-input", 0.5, "stable_softmax leaves its input alone, whatever its strides")
    .on(
        case("hidden-softmax-reversed", softmax, 3, 5, 7, layout="reversed", echo=True),
        case("hidden-softmax-gapped", softmax, 3, 7, layout="gapped", echo=True, dtype="float32"),
    )
    .expects(UNCHANGED, RIGHT, DTYPES),
    invariance("softmax-state", 0.5, "stable_softmax keeps no state")
    .on(case("hidden-softmax-twice", programs.softmax_twice))
    .expects(STATELESS),
    constraint("softmax-constraint-hidden", 3, "No ready-made softmax on other inputs either")
    .on(case("hidden-softmax-traced", softmax, 5, 2, 11, dim=0, gradient=True, trace=True))
    .expects(NO_SOFTMAX, RIGHT),
    "Rules",
    constraint("softmax-device", 1, "stable_softmax makes new tensors on the device of its inputs")
    .on(case("hidden-softmax-device", softmax, 2, 9, device="meta"), case("hidden-softmax-here", softmax, 2, 8))
    .expects(expect("device")),
)
VJP_CHECKS = part(
    "softmax_vjp",
    value("vjp-shapes", 4, "softmax_vjp for any number of leading dimensions and any strides")
    .on(
        case("hidden-vjp", vjp, 2, 3, 5, echo=True),
        case("hidden-vjp-vector", vjp, 7),
        case("hidden-vjp-32", vjp, 5, 11, dtype="float32"),
        case("hidden-vjp-strided", vjp, 3, 5, layout="reversed"),
        case("hidden-vjp-strided-3", vjp, 2, 3, 5, layout="reversed"),
        case("hidden-vjp-single", vjp, 3, 1),
    )
    .expects(RIGHT, DTYPES),
    value("vjp-one-hot", 2, "softmax_vjp of weights that are 0 and 1")
    .on(case("hidden-vjp-one-hot", programs.one_hot), case("hidden-vjp-other", vjp, 2, 7))
    .expects(RIGHT),
    gradient("vjp-gradient", 1, "softmax_vjp can itself be differentiated")
    .on(case("hidden-vjp-gradient", vjp, 3, 5, gradient=True))
    .expects(GRADIENTS, RIGHT),
    constraint("vjp-constraint-hidden", 4, "By hand on other inputs too")
    .on(case("hidden-vjp-traced", vjp, 5, 2, 3, trace=True, echo=True))
    .expects(BY_HAND, UNCHANGED, RIGHT),
    "Rules",
    constraint("vjp-device", 1, "softmax_vjp makes new tensors on the device of its inputs")
    .on(case("hidden-vjp-device", vjp, 2, 9, device="meta"), case("hidden-vjp-here", vjp, 2, 8))
    .expects(expect("device")),
)
ATTENTION_CHECKS = part(
    MODULE,
    value("attention-sizes", 4, "Right for other sizes and for inputs with any strides")
    .on(
        *(FORWARD, FORWARD_32, SCORE, *STRIDED),
        case("hidden-long", attention, Size(2, 131, 3, 2, 5)),
        case("hidden-zero-position", with_zero_position, attention, ["encoder_states"], SIZE),
    )
    .expects(RIGHT, DTYPES),
    value("attention-square", 3, "Right when all sizes are equal, in train mode too")
    .on(case("hidden-square", attention, Size(5, 5, 5, 5, 5), gradient=True, train=True))
    .expects(RIGHT, GRADIENTS),
    "Shapes",
    shape("attention-ones", 3, "Right for batches of one and sentences of one word")
    .on(*ONES)
    .expects(RIGHT, GRADIENTS),
    MODULE,
    gradient("attention-gradients-hidden", 4, "All gradients, through each of the two results")
    .on(*PATHS, FORWARD, FORWARD_32, SCORE, case("hidden-chained", programs.chained))
    .expects(GRADIENTS),
    invariance("attention-permuted", 1, "Source positions in another order")
    .on(case("hidden-permuted", programs.permuted))
    .expects(expect("permuted", "first", other="out", order="order", axes={"context": [], "weights": [1]}), RIGHT),
    invariance("attention-batch", 2, "A batch of sentences, each as if it were alone")
    .on(case("hidden-batch", programs.batch_alone))
    .expects(right("first", "out")),
    "Worked example",
    invariance("attention-uniform", 1, "Equal scores give the mean")
    .on(case("hidden-uniform", programs.uniform), SCORE, FORWARD)
    .expects(RIGHT),
    MODULE,
    value("attention-saturated", 2, "Scores of ±10,000")
    .on(case("hidden-saturated", programs.saturated))
    .expects(RIGHT, GRADIENTS),
    "Rules",
    invariance("attention-state", 1, "No state between calls, no change of the inputs")
    .on(case("hidden-twice", programs.twice))
    .expects(STATELESS),
    constraint("attention-device", 1, "BahdanauAttention makes new tensors on the device of its inputs")
    .on(
        case("hidden-attention-device", programs.everything, source=9, device="meta"),
        case("hidden-attention-here", programs.everything, source=8),
    )
    .expects(expect("device", "score", "out")),
)
CHECKS = (*SOFTMAX_CHECKS, *VJP_CHECKS, *ATTENTION_CHECKS)
CHECKS = watched(CHECKS, "softmax", {"softmax-constraint-hidden": ["stable_softmax"]}, traced=0.25)
CHECKS = watched(CHECKS, "softmax", {"vjp-constraint-hidden": ["softmax_vjp"]}, traced=0.25)
