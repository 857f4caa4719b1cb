"""Public checks of ``seq2seq`` (Bahdanau et al. 2015; Luong et al. 2015; Papineni et al. 2002)."""

from __future__ import annotations

from functools import partial

from autograder.cases import Script
from autograder.model import Hold
from autograder.specs.seq2seq_calls import (
    beam,
    better,
    encode,
    ends_apart,
    fixed,
    forward,
    greedy,
    inspect,
    step,
    train,
)
from autograder.specs.seq2seq_cases import SIZE, Ids
from autograder.specs.speed import speed
from autograder.specs.vocabulary import case, check, hold, right

TITLE = "Sequence to sequence with attention"

CANDIDATE = ["a", "cat", "sat", "on", "the", "mat"]
REFERENCE = ["the", "cat", "sat", "on", "the", "mat", "today"]
ABOUT = 1e-6  # relative, of a number that was computed with exp and ln, in whatever way


def bleu_interface(script: Script) -> None:
    """Looks at the arguments, and scores the worked example."""
    script.call("out", "corpus_bleu", [CANDIDATE], [REFERENCE], outputs={"bleu": None})
    script.call("short", "corpus_bleu", [CANDIDATE[:3]], [REFERENCE], outputs={"bleu": None})
    inspect(script, "", "corpus_bleu")


def bleu_simple(script: Script) -> None:
    """A perfect translation, one that is too short, one that is too long."""
    longer = [*REFERENCE, "it", "slept"]
    for name, words in (("same", REFERENCE), ("shorter", REFERENCE[:5]), ("longer", longer)):
        script.call(name, "corpus_bleu", [words, CANDIDATE], [REFERENCE, CANDIDATE], outputs={"bleu": None})


def arguments(*names: str) -> tuple[Hold, ...]:
    """The arguments of each name are the contract's."""
    return tuple(hold("signature", f"arguments-{name}") for name in names)


def kept(*names: str) -> tuple[Hold, ...]:
    """Modules are in the mode in which they were."""
    return tuple(hold("mode", f"{name}-after") for name in names)


ENCODE = case("encode", encode)
ENCODE_32 = case("encode-float32", encode, gradient=False, dtype="float32")
BAHDANAU = case("bahdanau-step", step, kind="bahdanau")
LUONG = case("luong-step", step, kind="luong")
STEPS_32 = {
    kind: case(f"{kind}-step-float32", step, kind=kind, gradient=False, dtype="float32")
    for kind in ("bahdanau", "luong")
}
FORWARD = tuple(case(f"{kind}-forward", forward, kind=kind) for kind in ("bahdanau", "luong"))
FORWARD_32 = case("forward-float32", forward, kind="bahdanau", gradient=False, dtype="float32")
OTHER = SIZE._replace(ids=Ids(pad=7, bos=0, eos=4))
GREEDY = (
    case("greedy-bahdanau", greedy, kind="bahdanau", max_len=6, telling=partial(ends_apart, ids=SIZE.ids)),
    case("greedy-luong", greedy, kind="luong", max_len=8, size=OTHER, boost=0.0, train=True,
         telling=partial(ends_apart, ids=OTHER.ids, max_len=8)),
)  # fmt: skip
MANY = SIZE._replace(lengths=(4, 7, 1, 6, 2))
BEAM = (  # chosen so that together they tell from the right search all wrong ones that the tests know
    case("beam-bahdanau", beam, kind="bahdanau", beams=(3,), max_len=5, boost=-1.5, train=True,
         size=MANY._replace(ids=OTHER.ids), telling=partial(better, of="out-3", eos=4, count=3)),
    case("beam-luong", beam, kind="luong", beams=(1, 3), max_len=5, boost=-4.0, size=MANY,
         telling=partial(better, of="out-3", eos=2, count=3)),
)  # fmt: skip
FIXED = case("fixed", fixed)
TRAIN = case("train-luong", train, kind="luong", clip=0.5)
TRAIN_FIXED = case("train-fixed", train, kind="fixed", clip=100.0)
LATER = {"relative": 1e-5, "of_largest": 1e-5}  # clip_grad_norm_ adds 1e-6 to the norm; not all need to
LOSSES = (
    *right("out-1"),
    *(hold("python_float", f"out-{n}") for n in (1, 2, 3)),
    *(hold("values", f"out-{n}", **LATER) for n in (2, 3)),
)
TRAINED = hold("state", "after", **LATER)
SEQ2SEQ = "Seq2Seq"
METHODS = ("", ".forward", ".greedy_decode", ".beam_search")

CHECKS = (
    check(
        "encoder-interface", "Encoder has its arguments and parameters", "interface", 1, ENCODE,
        *arguments("Encoder", "Encoder.forward"), hold("parameters", "parameters"), *right(),
        section="Encoder",
    ),
    check("encoder-values", "The encoder's states and the decoder's first state are right", "value", 3,
          (ENCODE, ENCODE_32), *right(), hold("dtypes"), section="Encoder"),
    check("encoder-zeros", "The encoder's states are zero at padding", "mask", 1, ENCODE,
          hold("zeros", only=["states"]), *right(), section="Encoder"),
    check("encoder-gradients", "Gradients reach every parameter of the encoder", "gradient", 2, ENCODE,
          hold("gradients"), section="Encoder"),
    check("bahdanau-interface", "BahdanauDecoder has its arguments and parameters", "interface", 1, BAHDANAU,
          *arguments("BahdanauDecoder", "BahdanauDecoder.step"), hold("parameters", "parameters"), *right(),
          section="BahdanauDecoder"),
    check(
        "bahdanau-step", "BahdanauDecoder.step is right, and looks with the state before the step", "value",
        3, (BAHDANAU, STEPS_32["bahdanau"]), *right(), hold("dtypes"), section="BahdanauDecoder",
    ),
    check(
        "bahdanau-weights", "BahdanauDecoder's weights sum to 1 and are exactly 0 under the mask", "mask", 1,
        BAHDANAU, hold("sums", output="weights"), hold("zeros", only=["weights"]), *right(), section="Masks",
    ),
    check(
        "bahdanau-gradients", "Gradients reach every input and parameter of BahdanauDecoder.step", "gradient",
        2, BAHDANAU, hold("gradients"), section="BahdanauDecoder",
    ),
    check("luong-interface", "LuongDecoder has its arguments and parameters", "interface", 1, LUONG,
          *arguments("LuongDecoder", "LuongDecoder.step"), hold("parameters", "parameters"), *right(),
          section="LuongDecoder"),
    check("luong-step", "LuongDecoder.step is right, and looks with the state after the step", "value", 3,
          (LUONG, STEPS_32["luong"]), *right(), hold("dtypes"), section="LuongDecoder"),
    check("luong-weights", "LuongDecoder's weights sum to 1 and are exactly 0 under the mask", "mask", 1,
          LUONG, hold("sums", output="weights"), hold("zeros", only=["weights"]), *right(), section="Masks"),
    check("luong-gradients", "Gradients reach every input and parameter of LuongDecoder.step", "gradient", 2,
          LUONG, hold("gradients"), section="LuongDecoder"),
    check(
        "seq2seq-interface", "Seq2Seq has its arguments, and keeps encoder and decoder", "interface", 1,
        FORWARD, *arguments(*(f"Seq2Seq{name}" for name in METHODS)), hold("parameters", "parameters"),
        *right(), section=SEQ2SEQ,
    ),
    check(
        "seq2seq-forward", "Teacher forcing is right with both decoders", "value", 3, (*FORWARD, FORWARD_32),
        *right(), hold("dtypes"), *kept("model", "encoder", "decoder"), section=SEQ2SEQ,
    ),
    check("seq2seq-weights", "No weight falls on padding, in any step", "mask", 1, FORWARD,
          hold("sums", output="weights"), hold("zeros", only=["weights"]), *right(), section="Masks"),
    check(
        "seq2seq-gradients", "Gradients reach every parameter of encoder and decoder", "gradient", 2, FORWARD,
        hold("gradients"), section=SEQ2SEQ,
    ),
    check("greedy", "greedy_decode takes the best word until eos or max_len", "training", 3, GREEDY,
          *right(), hold("dtypes"), *kept("model", "encoder", "decoder"), section="greedy_decode"),
    check(
        "beam-bahdanau", "beam_search finds better sentences than greedy_decode", "training", 2, BEAM[0],
        hold("tokens", "out-3", pad=7, widest=5), hold("dtypes", "out-3"),
        *kept("model", "encoder", "decoder"), section="beam_search",
    ),
    check(
        "beam-luong", "beam_search carries what LuongDecoder needs; a beam of 1 is greedy", "training", 2,
        BEAM[1], hold("tokens", "out-3", pad=0, widest=5), hold("tokens", "out-1", pad=0, widest=5),
        *kept("model", "encoder", "decoder"), section="beam_search",
    ),
    check("fixed-interface", "FixedContextSeq2Seq has its arguments and parameters", "interface", 1, FIXED,
          *arguments("FixedContextSeq2Seq", "FixedContextSeq2Seq.forward"), hold("parameters", "parameters"),
          *right(), section="FixedContextSeq2Seq"),
    check("fixed-values", "FixedContextSeq2Seq gives the right logits", "value", 2, FIXED,
          *right(), hold("dtypes"), section="FixedContextSeq2Seq"),
    check("fixed-gradients", "Gradients reach every parameter of FixedContextSeq2Seq", "gradient", 1, FIXED,
          hold("gradients"), section="FixedContextSeq2Seq"),
    check(
        "train-loss", "train_step gives the right loss, a Python float", "training", 2, (TRAIN, TRAIN_FIXED),
        *LOSSES, *arguments("train_step"), section="train_step",
    ),
    check("train-three-steps", "Three steps of training end in the right parameters", "training", 2,
          (TRAIN, TRAIN_FIXED), TRAINED, section="train_step"),
    check("bleu-example", "corpus_bleu gives the worked example's figures", "value", 1,
          case("bleu-example", bleu_interface), *arguments("corpus_bleu"), *right(relative=ABOUT),
          *right("short", relative=ABOUT), section="Worked example"),
    check(
        "bleu-brevity", "corpus_bleu of translations that are too short or too long", "value", 1,
        case("bleu-brevity", bleu_simple), *right("same", relative=ABOUT), *right("shorter", relative=ABOUT),
        *right("longer", relative=ABOUT), section="corpus_bleu",
    ),
    speed("seq2seq"),
)  # fmt: skip
