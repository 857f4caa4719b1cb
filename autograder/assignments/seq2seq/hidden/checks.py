"""Hidden checks of ``seq2seq``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from functools import partial

from autograder import model
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, invariance, mask, shape, training, value
from autograder.assignments.seq2seq.checks import ABOUT, KEPT, TRAINED, WEIGHT_SUMS, WEIGHT_ZEROS, kept, tokens
from autograder.assignments.seq2seq.hidden import programs
from autograder.assignments.seq2seq.hidden.programs import BIG, EQUAL, NARROW, search_anywhere
from autograder.assignments.seq2seq.informative import better, better_without, partial_scores, says_more_after_eos
from autograder.assignments.seq2seq.models import KINDS, SIZE, Ids
from autograder.assignments.seq2seq.programs import beam, bleu, encode, fixed, forward, step, train

ENCODE = case("hidden-encode", programs.encode_many)
STEP = {kind: case(f"hidden-{kind}-step", programs.step_many, kind) for kind in KINDS}
FORWARD = [case(f"hidden-{kind}-forward", programs.forward_many, kind) for kind in KINDS]
FORWARD_EQUAL = case("hidden-forward-equal", forward, "luong", size=EQUAL, gradient=True)
FIXED = case("hidden-fixed", programs.fixed_many)
MORE = partial(says_more_after_eos, ids=BIG.ids)
GREEDY = [case(f"hidden-greedy-{kind}", programs.greedy_many, kind, is_informative=MORE) for kind in KINDS]
ONE = case("hidden-greedy-one", programs.greedy_one, "luong")

OTHER = SIZE._replace(lengths=(7, 2, 5, 4), ids=Ids(pad=3, bos=9, eos=6))
SEARCH = partial(beam, size=OTHER, scale=1.2, train=True, layout="gapped")
BETTER = partial(better, of="out-4", eos=6)
BEAM = (
    case("hidden-beam-bahdanau", SEARCH, "bahdanau", [1, 4], 5, level=1e4, is_informative=BETTER),
    case("hidden-beam-luong", SEARCH, "luong", [1, 4], 5, level=0.0, is_informative=BETTER),
)
FEW = SIZE._replace(words=5, ids=Ids(pad=4, bos=0, eos=1))
FEW_BETTER = partial(better, of="out-7", eos=1)
BEAM_WIDE = (
    *(case(f"hidden-beam-wide-{kind}", beam, kind, [7], 4, size=FEW, is_informative=FEW_BETTER) for kind in KINDS),
    case("hidden-beam-single", beam, "luong", [7], 1, size=FEW._replace(lengths=(3,))),
)
LONG_BETTER = partial(better, of="out-2", eos=2)
BEAM_LONG = case("hidden-beam-long", beam, "bahdanau", [2], 7, boost=-5.0, is_informative=LONG_BETTER)
TWINS = (3, 5)
UNTIED = partial(better_without, of="out-4", eos=2, words=TWINS)
BEAM_TIES = case("hidden-beam-ties", beam, "luong", [4], 5, twins=TWINS, is_informative=UNTIED)

SORTED = SIZE._replace(lengths=(6, 4, 2), source=6, target=3)
STALE = partial(train, size=SORTED, lengths=(1, 3, 2), stale=-0.3, steps=2)
TRAIN_BAHDANAU = case("hidden-train-bahdanau", train, "bahdanau", steep=6.0, steps=2, echo=True)
TRAIN_CLIPPED = (
    TRAIN_BAHDANAU,
    case("hidden-train-fixed", train, "fixed", lengths=(3, 1, 2), steps=1, clip=0.3, layout="reversed"),
    case("hidden-train-part", train, "luong", only="decoder", stale=0.0, steps=1, clip=0.5),
)
TRAIN_STALE = (
    case("hidden-train-luong", STALE, "luong", clip=100.0),
    case("hidden-train-float32", train, "fixed", clip=0.5, steps=1, dtype="float32"),
)
TRAIN_STEEP = case("hidden-train-steep", train, "fixed", steep=4e3, steps=1)
LOSS = (*right("out-1"), *expect("python_float", "out-1"))

ABCD, VWXYZ = ["a", "b", "c", "d"], ["x", "y", "z", "u", "v"]
CLIPPED = {
    "out": ([[3, 5, 7, 9, 3, 5, 7, 9, 3, 5, 7, 9, 3]], [[3, 5, 7, 9, 11, 3]]),
    "across": ([ABCD, VWXYZ], [VWXYZ, [*ABCD, "e"]]),
    "after": ([VWXYZ, ABCD], [["x", "y", "z", "u", "w"], [*ABCD, "e"]]),
}
RARE = {
    "no-fourth": ([["a", "b", "c", "e", "f", "g"]], [["a", "b", "c", "d", "e", "f", "g"]]),
    "three-words": ([["a", "b", "c"]], [["a", "b", "c"]]),
    "nothing": ([[]], [ABCD]),
    "one-empty": ([[], [*ABCD, "e"], ["a"]], [["b", "c"], [*ABCD, "f", "e"], ["a"]]),
    "out": ([[2, 4, 4, 4, 4, 8], [0]], [[2, 4, 4, 4, 8], [1, 0]]),
    "texts": ([[1, 2, 3, 4, 5]], [["1", "2", "3", "4", "5"]]),
    "joined": ([[1, 11, 2, 3, 4, 5]], [[11, 1, 2, 3, 4, 5]]),
}
ELSEWHERE = (
    *(case(f"hidden-device-{kind}-model", programs.anywhere, kind, device="meta") for kind in KINDS),
    case("hidden-device-greedy", search_anywhere, "luong", "greedy_decode", 3, device="meta"),
    case("hidden-device-beam", search_anywhere, "bahdanau", "beam_search", 2, 3, device="meta"),
)


def decoder(kind: str, name: str, *results: str) -> tuple[model.Check, ...]:
    """Return the checks of one decoder, whose step has these results."""
    return part(
        name,
        value(f"{kind}-sizes", 2, f"{name}.step is right for other sizes, in train mode too")
        .on(
            case(f"hidden-{kind}-equal", step, kind, size=EQUAL, train=True, gradient=True),
            case(f"hidden-{kind}-float32", step, kind, size=BIG, gradient=True, dtype="float32"),
            case(f"hidden-{kind}-narrow", step, kind, size=NARROW, gradient=True),
        )
        .expects(RIGHT, DTYPES, GRADIENTS, WEIGHT_SUMS),
        gradient(f"{kind}-paths", 1, f"Gradients flow through each result of {name}.step")
        .on(STEP[kind])
        .expects(expect("gradients", *(f"through-{result}" for result in results))),
        value(f"{kind}-next", 1, f"A second step of {name} goes on from the first")
        .on(STEP[kind])
        .expects(right("out", "next"), expect("gradients", "next")),
        "Shapes",
        shape(f"{kind}-ones", 0.5, f"{name} takes sentences of one word and batches of one")
        .on(case(f"hidden-{kind}-ones", programs.step_ones, kind))
        .expects(right("word", "sentence", "alone")),
        "Masks",
        mask(f"{kind}-dark", 0.5, f"{name} where the mask is False everywhere")
        .on(STEP[kind])
        .expects(right("dark"), expect("zeros", "dark", only=["weights"]), expect("gradients", "dark")),
        # A score of 30,000 is rounded to 4e-12; a gradient through it is a difference of weights times 20,000.
        mask(f"{kind}-steep", 0.5, f"{name} tells scores of ±10,000 apart, also where masked ones are larger")
        .on(case(f"hidden-{kind}-steep", programs.steep, kind, pinned=True))
        .expects(RIGHT, WEIGHT_ZEROS, WEIGHT_SUMS, expect("gradients", relative=1e-6, of_largest=1e-7)),
        "Rules",
        invariance(f"{kind}-calls", 0.5, f"{name} keeps nothing from call to call and leaves its inputs alone")
        .on(STEP[kind])
        .expects(
            right("out", "reversed", "gapped"),
            expect("same", "out", other="gapped"),
            expect("unchanged", "reversed", "gapped"),
        ),
        constraint(f"{kind}-device", 0.5, f"{name} makes new tensors on the device of its inputs")
        .on(case(f"hidden-device-{kind}", step, kind, device="meta"), case(f"hidden-{kind}-here", step, kind))
        .expects(expect("device")),
    )


ENCODER_CHECKS = part(
    "Encoder",
    value("encoder-sizes", 1.5, "The encoder is right for other sizes, in train mode too")
    .on(
        case("hidden-encode-equal", encode, size=EQUAL, train=True, gradient=True),
        case("hidden-encode-float32", encode, size=BIG, gradient=True, dtype="float32"),
    )
    .expects(RIGHT, DTYPES, GRADIENTS, expect("zeros", only=["states"])),
    invariance("encoder-padding", 2, "The encoder with other padding, and with more of it")
    .on(ENCODE)
    .expects(right("out", "padded", "full"), expect("zeros", "padded", only=["states"])),
    "Shapes",
    shape("encoder-ones", 1, "The encoder takes sentences of one word and batches of one")
    .on(case("hidden-encode-ones", programs.encode_ones))
    .expects(right("word", "sentence", "alone")),
    "Encoder",
    gradient("encoder-paths", 1, "The gradients of the encoder, through its states and through the first state")
    .on(ENCODE)
    .expects(expect("gradients", "out", "through-first")),
    "Rules",
    invariance("encoder-calls", 0.5, "The encoder keeps nothing from call to call and leaves its inputs alone")
    .on(ENCODE)
    .expects(right("out", "gapped"), expect("same", "out", other="gapped"), expect("unchanged", "gapped")),
    constraint("encoder-device", 0.5, "Encoder makes new tensors on the device of its inputs")
    .on(case("hidden-device-encoder", encode, device="meta"), case("hidden-encoder-here", encode))
    .expects(expect("device")),
)
MODEL_CHECKS = part(
    "Seq2Seq",
    value("seq2seq-sizes", 2, "Teacher forcing is right for other sizes and without padding")
    .on(*FORWARD)
    .expects(right("through-logits", "full"), expect("sums", "full", output="weights")),
    value("seq2seq-equal", 1, "Teacher forcing is right when all sizes are equal")
    .on(FORWARD_EQUAL, case("hidden-forward-float32", forward, "luong", size=BIG, gradient=True, dtype="float32"))
    .expects(RIGHT, DTYPES, GRADIENTS),
    "Shapes",
    shape("seq2seq-ones", 1, "One word, one sentence, one step")
    .on(*(case(f"hidden-{kind}-forward-ones", programs.forward_ones, kind) for kind in KINDS))
    .expects(right("word", "sentence", "step")),
    "Seq2Seq",
    gradient("seq2seq-paths", 1, "Gradients flow through the logits and through the weights")
    .on(*FORWARD)
    .expects(expect("gradients", "through-logits", "through-weights")),
    "Rules",
    invariance(
        "seq2seq-calls", 0.5, "Seq2Seq keeps nothing from call to call, and its inputs and its mode as they were"
    )
    .on(*FORWARD)
    .expects(
        right("through-logits", "reversed"),
        expect("unchanged", "reversed"),
        expect("same", "through-logits", other="reversed"),
        KEPT,
    ),
    "greedy_decode",
    training("greedy-ends", 1.5, "Sentences end one by one, with any special ids").on(*GREEDY).expects(RIGHT, DTYPES),
    training("greedy-short", 0.5, "greedy_decode of one word, and of one sentence")
    .on(*GREEDY, ONE)
    .expects(right("short")),
    training("greedy-word", 0.5, "greedy_decode of sentences of one word").on(ONE).expects(right("word")),
    "Rules",
    invariance("greedy-calls", 0.5, "greedy_decode changes nothing: no input, no mode, no later call")
    .on(*GREEDY)
    .expects(right("out", "forward", "other", "gapped"), expect("unchanged", "gapped"), KEPT),
    "beam_search",
    training("beam-ties", 0.5, "beam_search with two hypotheses of equal scores")
    .on(BEAM_TIES)
    .expects(tokens(4, pad=0, longest=5)),
    training("beam-sizes", 1, "beam_search is right for beams of 1 and of 4")
    .on(*BEAM)
    .expects(tokens(1, pad=3, longest=5), tokens(4, pad=3, longest=5)),
    training("beam-wide", 1, "beam_search with a beam wider than the vocabulary")
    .on(*BEAM_WIDE)
    .expects(tokens(7, pad=4, longest=4), expect("dtypes", "out-7")),
    training("beam-long", 1, "beam_search with hypotheses of other lengths, and ended ones")
    .on(BEAM_LONG)
    .expects(tokens(2, pad=0, longest=7)),
    "Rules",
    invariance("beam-calls", 0.5, "beam_search changes nothing: no input, no mode")
    .on(*BEAM)
    .expects(tokens(4, pad=3, longest=5), expect("unchanged", "out-4"), KEPT),
    constraint("seq2seq-device", 0.5, "Seq2Seq makes new tensors on the device of its inputs")
    .on(*ELSEWHERE, FORWARD_EQUAL)
    .expects(expect("device")),
)
FIXED_CHECKS = part(
    "FixedContextSeq2Seq",
    value("fixed-sizes", 1.5, "FixedContextSeq2Seq is right for other sizes")
    .on(
        case("hidden-fixed-equal", fixed, size=EQUAL, gradient=True),
        case("hidden-fixed-32", fixed, size=BIG, gradient=True, dtype="float32"),
    )
    .expects(RIGHT, DTYPES, GRADIENTS),
    "Rules",
    invariance("fixed-calls", 0.5, "FixedContextSeq2Seq: other forms, no state, no change of its inputs or its mode")
    .on(FIXED)
    .expects(
        right("out", "full", "sentence", "step", "alone", "gapped"),
        GRADIENTS,
        expect("unchanged", "gapped"),
        kept("model", "encoder"),
    ),
    constraint("fixed-device", 0.5, "FixedContextSeq2Seq makes new tensors on the device of its inputs")
    .on(case("hidden-device-fixed", programs.baseline_anywhere, device="meta"), case("hidden-fixed-here", fixed))
    .expects(expect("device")),
)
TRAINING_CHECKS = part(
    "train_step",
    training("train-clip", 2, "train_step with gradients to be clipped, to a global norm of 5 by default")
    .on(*TRAIN_CLIPPED)
    .expects(LOSS, TRAINED),
    training("train-stale", 1, "train_step with gradients left from before").on(*TRAIN_STALE).expects(LOSS, TRAINED),
    training("train-steep", 1, "The loss of logits of several thousand is finite and right")
    .on(TRAIN_STEEP)
    .expects(LOSS, TRAINED),
    "Rules",
    invariance("train-inputs", 0.5, "train_step leaves the sentences alone")
    .on(TRAIN_BAHDANAU)
    .expects(LOSS, expect("unchanged", "out-1")),
    constraint("train-device", 0.5, "train_step makes new tensors on the device of its inputs")
    .on(case("hidden-device-train", programs.training_anywhere, device="meta"), TRAIN_BAHDANAU)
    .expects(expect("device", "out-1")),
)
BLEU_CHECKS = part(
    "corpus_bleu",
    value("bleu-clipped", 1.5, "An n-gram counts at most as often as its reference has it")
    .on(case("hidden-bleu-clipped", bleu, CLIPPED))
    .expects(right(*CLIPPED, relative=ABOUT)),
    value("bleu-zero", 1, "corpus_bleu is 0 when an order has no match, and only then")
    .on(case("hidden-bleu-zero", bleu, RARE))
    .expects(right(*RARE, relative=ABOUT)),
    value("bleu-pooled", 1.5, "The counts of all sentences are pooled")
    .on(
        case("hidden-bleu-random-3", programs.bleu_random, 3, is_informative=partial_scores),
        case("hidden-bleu-random-5", programs.bleu_random, 5, is_informative=partial_scores),
    )
    .expects(right("out", "again", "first", "second", relative=ABOUT)),
)
CHECKS = (
    *ENCODER_CHECKS,
    *decoder("bahdanau", "BahdanauDecoder", "logits", "state", "weights"),
    *decoder("luong", "LuongDecoder", "logits", "state", "attentional", "weights"),
    *MODEL_CHECKS,
    *FIXED_CHECKS,
    *TRAINING_CHECKS,
    *BLEU_CHECKS,
)
