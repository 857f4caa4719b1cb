"""Public checks of ``seq2seq`` (Bahdanau et al. 2015; Luong et al. 2015; Papineni et al. 2002)."""

from __future__ import annotations

from functools import partial

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, Assertions, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, interface, mask, training, value
from autograder.assignments.seq2seq import programs
from autograder.assignments.seq2seq.informative import better, ends_apart
from autograder.assignments.seq2seq.models import KINDS, SIZE, Ids
from autograder.assignments.seq2seq.programs import beam, encode, fixed, forward, greedy, step, train
from autograder.assignments.seq2seq.speed import SPEED

ABOUT = 1e-6  # relative, of a number that exp and ln make, in whatever way
LATER = {"relative": 1e-5, "of_largest": 1e-5}  # clip_grad_norm_ adds 1e-6 to the norm; other code need not

ENCODE = case("encode", encode, gradient=True)
STEP = {kind: case(f"{kind}-step", step, kind, gradient=True) for kind in KINDS}
STEP_32 = {kind: case(f"{kind}-step-float32", step, kind, dtype="float32") for kind in KINDS}
FORWARD = [case(f"{kind}-forward", forward, kind, gradient=True) for kind in KINDS]
OTHER = SIZE._replace(ids=Ids(pad=7, bos=0, eos=4))
ENDS = partial(ends_apart, ids=SIZE.ids)
ENDS_EARLY = partial(ends_apart, ids=OTHER.ids, max_len=8)
GREEDY = (
    case("greedy-bahdanau", greedy, "bahdanau", max_len=6, is_informative=ENDS),
    case("greedy-luong", greedy, "luong", max_len=8, size=OTHER, boost=0.0, train=True, is_informative=ENDS_EARLY),
)
# Together these two tell all wrong searches that the tests know from the right one.
MANY = SIZE._replace(lengths=(4, 7, 1, 6, 2))
MANY_OTHER = MANY._replace(ids=OTHER.ids)
BETTER, BETTER_OTHER = (partial(better, of="out-3", eos=size.ids.eos, count=3) for size in (MANY, MANY_OTHER))
BEAM_BAHDANAU = case(
    "beam-bahdanau", beam, "bahdanau", [3], 5, boost=-1.5, train=True, size=MANY_OTHER, is_informative=BETTER_OTHER
)
BEAM_LUONG = case("beam-luong", beam, "luong", [1, 3], 5, boost=-4.0, size=MANY, is_informative=BETTER)
FIXED = case("fixed", fixed, gradient=True)
TRAIN = (case("train-luong", train, "luong", clip=0.5), case("train-fixed", train, "fixed", clip=100.0))

TRAINED = expect("state", "after", **LATER)
PARAMETERS = expect("parameters", "parameters")
WEIGHT_SUMS, WEIGHT_ZEROS = expect("sums", output="weights"), expect("zeros", only=["weights"])


def arguments(*names: str) -> Assertions:
    """Assert that the arguments of each name are the docstring's."""
    return expect("signature", *(f"arguments-{name}" for name in names))


def kept(*names: str) -> Assertions:
    """Assert that the modules are still in train mode, or in eval mode."""
    return expect("mode", *(f"{name}-after" for name in names))


def tokens(width: int, pad: int, longest: int) -> Assertions:
    """Assert that a beam search of this width finds the right sentences."""
    return expect("tokens", f"out-{width}", pad=pad, widest=longest)


KEPT = kept("model", "encoder", "decoder")
ENCODER_CHECKS = part(
    "Encoder",
    interface("encoder-interface", 1, "Encoder has its arguments and parameters")
    .on(ENCODE)
    .expects(arguments("Encoder", "Encoder.forward"), PARAMETERS, RIGHT),
    value("encoder-values", 4, "The encoder's states and the decoder's first state are right")
    .on(ENCODE, case("encode-float32", encode, dtype="float32"))
    .expects(RIGHT, DTYPES),
    mask("encoder-zeros", 1, "The encoder's states are zero at padding")
    .on(ENCODE)
    .expects(expect("zeros", only=["states"]), RIGHT),
    gradient("encoder-gradients", 2, "The gradients of every parameter of the encoder").on(ENCODE).expects(GRADIENTS),
    "Speed",
    SPEED["Encoder"],
)
BAHDANAU_CHECKS = part(
    "BahdanauDecoder",
    interface("bahdanau-interface", 1, "BahdanauDecoder has its arguments, methods and parameters")
    .on(STEP["bahdanau"])
    .expects(arguments("BahdanauDecoder", "BahdanauDecoder.step"), PARAMETERS, RIGHT),
    value("bahdanau-step", 4, "BahdanauDecoder.step gives the right logits, state and weights")
    .on(STEP["bahdanau"], STEP_32["bahdanau"])
    .expects(RIGHT, DTYPES),
    "Masks",
    mask("bahdanau-weights", 1, "The weights of BahdanauDecoder.step, also under the mask")
    .on(STEP["bahdanau"])
    .expects(WEIGHT_SUMS, WEIGHT_ZEROS, RIGHT),
    "BahdanauDecoder",
    gradient("bahdanau-gradients", 2, "The gradients of every input and parameter of BahdanauDecoder.step")
    .on(STEP["bahdanau"])
    .expects(GRADIENTS),
    "Speed",
    SPEED["BahdanauDecoder"],
)
LUONG_CHECKS = part(
    "LuongDecoder",
    interface("luong-interface", 1, "LuongDecoder has its arguments, methods and parameters")
    .on(STEP["luong"])
    .expects(arguments("LuongDecoder", "LuongDecoder.step"), PARAMETERS, RIGHT),
    value("luong-step", 4, "LuongDecoder.step gives the right logits, states and weights")
    .on(STEP["luong"], STEP_32["luong"])
    .expects(RIGHT, DTYPES),
    "Masks",
    mask("luong-weights", 1, "The weights of LuongDecoder.step, also under the mask")
    .on(STEP["luong"])
    .expects(WEIGHT_SUMS, WEIGHT_ZEROS, RIGHT),
    "LuongDecoder",
    gradient("luong-gradients", 2, "The gradients of every input and parameter of LuongDecoder.step")
    .on(STEP["luong"])
    .expects(GRADIENTS),
    "Speed",
    SPEED["LuongDecoder"],
)
MODEL_CHECKS = part(
    "Seq2Seq",
    interface("seq2seq-interface", 1, "Seq2Seq has its arguments and methods, and keeps encoder and decoder")
    .on(*FORWARD)
    .expects(
        arguments("Seq2Seq", "Seq2Seq.forward", "Seq2Seq.greedy_decode", "Seq2Seq.beam_search"), PARAMETERS, RIGHT
    ),
    value("seq2seq-forward", 4, "Teacher forcing is right with both decoders")
    .on(*FORWARD, case("forward-float32", forward, "bahdanau", dtype="float32"))
    .expects(RIGHT, DTYPES, KEPT),
    "Masks",
    mask("seq2seq-weights", 1, "The weights of every step, also at padding")
    .on(*FORWARD)
    .expects(WEIGHT_SUMS, WEIGHT_ZEROS, RIGHT),
    "Seq2Seq",
    gradient("seq2seq-gradients", 2, "The gradients of every parameter of encoder and decoder")
    .on(*FORWARD)
    .expects(GRADIENTS),
    "greedy_decode",
    training("greedy", 3, "greedy_decode, word by word until eos or max_len").on(*GREEDY).expects(RIGHT, DTYPES, KEPT),
    "beam_search",
    training("beam-bahdanau", 3, "beam_search finds better sentences than greedy_decode")
    .on(BEAM_BAHDANAU)
    .expects(tokens(3, pad=7, longest=5), expect("dtypes", "out-3"), KEPT),
    training("beam-luong", 2, "beam_search with a LuongDecoder, with a beam of 1 too")
    .on(BEAM_LUONG)
    .expects(tokens(3, pad=0, longest=5), tokens(1, pad=0, longest=5), KEPT),
    "Speed",
    SPEED["Seq2Seq"],
)
FIXED_CHECKS = part(
    "FixedContextSeq2Seq",
    interface("fixed-interface", 1, "FixedContextSeq2Seq has its arguments and parameters")
    .on(FIXED)
    .expects(arguments("FixedContextSeq2Seq", "FixedContextSeq2Seq.forward"), PARAMETERS, RIGHT),
    value("fixed-values", 3, "FixedContextSeq2Seq gives the right logits").on(FIXED).expects(RIGHT, DTYPES),
    gradient("fixed-gradients", 1, "The gradients of every parameter of FixedContextSeq2Seq")
    .on(FIXED)
    .expects(GRADIENTS),
    "Speed",
    SPEED["FixedContextSeq2Seq"],
)
TRAINING_CHECKS = part(
    "train_step",
    training("train-loss", 3, "The losses of three training steps, as Python floats")
    .on(*TRAIN)
    .expects(
        right("out-1"),
        expect("python_float", "out-1", "out-2", "out-3"),
        expect("values", "out-2", "out-3", **LATER),
        arguments("train_step"),
    ),
    training("train-three-steps", 3, "Three steps of training end in the right parameters").on(*TRAIN).expects(TRAINED),
)
BLEU_CHECKS = part(
    "corpus_bleu",
    "Worked example",
    value("bleu-example", 1, "corpus_bleu gives the worked example's figures")
    .on(case("bleu-example", programs.bleu_interface))
    .expects(arguments("corpus_bleu"), right("out", "short", relative=ABOUT)),
    "corpus_bleu",
    value("bleu-brevity", 1, "corpus_bleu of translations that are too short or too long")
    .on(case("bleu-brevity", programs.bleu_simple))
    .expects(right("same", "shorter", "longer", relative=ABOUT)),
)
CHECKS = (
    *ENCODER_CHECKS,
    *BAHDANAU_CHECKS,
    *LUONG_CHECKS,
    *MODEL_CHECKS,
    *FIXED_CHECKS,
    *TRAINING_CHECKS,
    *BLEU_CHECKS,
)
