"""Hidden checks of ``seq2seq``: other sizes, other numbers, and what the public checks leave open."""

from __future__ import annotations

from functools import partial

from autograder.model import Hold
from autograder.specs.hidden.seq2seq_cases import (
    BIG,
    EQUAL,
    NARROW,
    anywhere,
    baseline_anywhere,
    bleu_calls,
    bleu_random,
    encode_many,
    encode_ones,
    ends_on_the_way,
    fixed_many,
    forward_many,
    forward_ones,
    greedy_many,
    greedy_one,
    matches,
    search_anywhere,
    steep,
    step_many,
    step_ones,
)
from autograder.specs.seq2seq import ABOUT, TRAINED, kept
from autograder.specs.seq2seq_calls import beam, better, encode, fixed, forward, step, train
from autograder.specs.seq2seq_cases import SIZE, Ids
from autograder.specs.vocabulary import case, check, hold, right

BOTH = ("bahdanau", "luong")


def each(*steps: str) -> tuple[Hold, ...]:
    """Shapes and values of several calls."""
    return tuple(one for step in steps for one in right(step))


def scores(*steps: str) -> tuple[Hold, ...]:
    """BLEU of several calls."""
    return tuple(one for step in steps for one in right(step, relative=ABOUT))


ENCODE = case("hidden-encode", encode_many)
STEP = {kind: case(f"hidden-{kind}-step", step_many, kind=kind) for kind in BOTH}
STEEP = tuple(case(f"hidden-{kind}-steep", steep, kind=kind, pinned=True) for kind in BOTH)
FORWARD = tuple(case(f"hidden-{kind}-forward", forward_many, kind=kind) for kind in BOTH)
EQUAL_FORWARD = case("hidden-forward-equal", forward, kind="luong", size=EQUAL)
FIXED = case("hidden-fixed", fixed_many)
GREEDY = (
    case("hidden-greedy-bahdanau", greedy_many, kind="bahdanau", telling=ends_on_the_way),
    case("hidden-greedy-luong", greedy_many, kind="luong", telling=ends_on_the_way),
)
OTHER = SIZE._replace(lengths=(7, 2, 5, 4), ids=Ids(pad=3, bos=9, eos=6))
FEW = SIZE._replace(words=5, ids=Ids(pad=4, bos=0, eos=1))
BEAM = tuple(
    case(f"hidden-beam-{kind}", beam, kind=kind, beams=(1, 4), max_len=5, size=OTHER, scale=1.2, train=True,
         level=level, layout="gapped", telling=partial(better, of="out-4", eos=6))
    for kind, level in zip(BOTH, (1e4, 0.0), strict=True)
)  # fmt: skip
BEAM_WIDE = (
    *(
        case(f"hidden-beam-wide-{kind}", beam, kind=kind, beams=(7,), max_len=4, size=FEW,
             telling=partial(better, of="out-7", eos=1))
        for kind in BOTH
    ),
    case("hidden-beam-single", beam, kind="luong", beams=(7,), max_len=1, size=FEW._replace(lengths=(3,))),
)  # fmt: skip
ONE = case("hidden-greedy-one", greedy_one, kind="luong")
BEAM_LONG = case("hidden-beam-long", beam, kind="bahdanau", beams=(2,), max_len=7, size=SIZE, boost=-5.0,
                 telling=partial(better, of="out-2", eos=2))  # fmt: skip
SORTED = SIZE._replace(lengths=(6, 4, 2), source=6, target=3)
TRAIN = {
    "bahdanau": case("hidden-train-bahdanau", train, kind="bahdanau", steep=6.0, steps=2, echo=True),
    "luong": case("hidden-train-luong", train, kind="luong", size=SORTED, lengths=(1, 3, 2), stale=-0.3,
                  steps=2, clip=100.0),
    "fixed": case("hidden-train-fixed", train, kind="fixed", lengths=(3, 1, 2), steps=1, clip=0.3, layout="reversed"),
    "float32": case("hidden-train-float32", train, kind="fixed", clip=0.5, steps=1, dtype="float32"),
    "part": case("hidden-train-part", train, kind="luong", only="decoder", stale=0.0, steps=1, clip=0.5),
    "steep": case("hidden-train-steep", train, kind="fixed", steep=4e3, steps=1),
}  # fmt: skip
ELSEWHERE = (
    *(case(f"hidden-device-{kind}", anywhere, kind=kind, device="meta") for kind in BOTH),
    case("hidden-device-fixed", baseline_anywhere, device="meta"),
    case("hidden-device-greedy", search_anywhere, kind="luong", method="greedy_decode", options=(3,), device="meta"),
    case("hidden-device-beam", search_anywhere, kind="bahdanau", method="beam_search", options=(2, 3), device="meta"),
)  # fmt: skip
LOSS = (*right("out-1"), hold("python_float", "out-1"))
ABCD = ["a", "b", "c", "d"]
CLIPPED = case("hidden-bleu-clipped", bleu_calls, pairs={
    "out": ([[3, 5, 7, 9, 3, 5, 7, 9, 3, 5, 7, 9, 3]], [[3, 5, 7, 9, 11, 3]]),
    "across": ([ABCD, ["x", "y", "z", "u", "v"]], [["x", "y", "z", "u", "v"], [*ABCD, "e"]]),
    "after": ([["x", "y", "z", "u", "v"], ABCD], [["x", "y", "z", "u", "w"], [*ABCD, "e"]]),
})  # fmt: skip
RARE = case("hidden-bleu-zero", bleu_calls, pairs={
    "no-fourth": ([["a", "b", "c", "e", "f", "g"]], [["a", "b", "c", "d", "e", "f", "g"]]),
    "three-words": ([["a", "b", "c"]], [["a", "b", "c"]]),
    "nothing": ([[]], [ABCD]),
    "one-empty": ([[], [*ABCD, "e"], ["a"]], [["b", "c"], [*ABCD, "f", "e"], ["a"]]),
    "out": ([[2, 4, 4, 4, 4, 8], [0]], [[2, 4, 4, 4, 8], [1, 0]]),
    "texts": ([[1, 2, 3, 4, 5]], [["1", "2", "3", "4", "5"]]),
    "joined": ([[1, 11, 2, 3, 4, 5]], [[11, 1, 2, 3, 4, 5]]),
})  # fmt: skip
RANDOM = tuple(
    case(f"hidden-bleu-random-{words}", bleu_random, words=words,
         telling=lambda shown: matches(shown, "out", "first", "second"))
    for words in (3, 5)
)  # fmt: skip

CHECKS = (
    check("encoder-sizes", "The encoder is right for other sizes, in train mode too", "value", 2, (
        case("hidden-encode-equal", encode, size=EQUAL, train=True),
        case("hidden-encode-float32", encode, size=BIG, dtype="float32"),
    ), *right(), hold("dtypes"), hold("gradients"), hold("zeros", only=["states"]), section="Encoder"),
    check(
        "encoder-padding", "Neither the padding nor its width changes what the encoder gives", "invariance",
        2, ENCODE, *each("out", "padded", "full"), hold("zeros", "padded", only=["states"]),
        section="Encoder",
    ),
    check("encoder-ones", "The encoder takes sentences of one word and batches of one", "shape", 2,
          case("hidden-encode-ones", encode_ones),
          *each("word", "sentence", "alone"), section="Shapes"),
    check(
        "encoder-paths", "Gradients reach the encoder through its states and through the first state",
        "gradient", 2, ENCODE, hold("gradients"), hold("gradients", "through-first"), section="Encoder",
    ),
    check(
        "encoder-calls", "The encoder keeps nothing from call to call and leaves its inputs alone",
        "invariance", 1, ENCODE, *each("out", "gapped"), hold("same", "out", other="gapped"),
        hold("unchanged", "gapped"), section="Rules",
    ),
    *(
        one
        for kind, name, paths in (
            ("bahdanau", "BahdanauDecoder", ("logits", "state", "weights")),
            ("luong", "LuongDecoder", ("logits", "state", "attentional", "weights")),
        )
        for one in (
            check(f"{kind}-sizes", f"{name}.step is right for other sizes, in train mode too", "value", 2, (
                case(f"hidden-{kind}-equal", step, kind=kind, size=EQUAL, train=True),
                case(f"hidden-{kind}-float32", step, kind=kind, size=BIG, dtype="float32"),
                case(f"hidden-{kind}-narrow", step, kind=kind, size=NARROW),
            ), *right(), hold("dtypes"), hold("gradients"), hold("sums", output="weights"), section=name),
            check(
                f"{kind}-paths", f"Gradients flow through each result of {name}.step", "gradient", 2,
                STEP[kind], *(hold("gradients", f"through-{path}") for path in paths), section=name,
            ),
            check(f"{kind}-next", f"A second step of {name} goes on from the first", "value", 1, STEP[kind],
                  *each("out", "next"), hold("gradients", "next"), section=name),
        )
    ),
    check("decoder-ones", "Decoders take sentences of one word and batches of one", "shape", 1,
          tuple(case(f"hidden-{kind}-ones", step_ones, kind=kind) for kind in BOTH),
          *each("word", "sentence", "alone"), section="Shapes"),
    check(
        "decoder-dark", "Where the mask is False everywhere all weights are 0, and nothing is NaN", "mask", 1,
        tuple(STEP.values()), *right("dark"), hold("zeros", "dark", only=["weights"]),
        hold("gradients", "dark"), section="Masks",
    ),
    check(
        "decoder-steep", "Scores of ±10,000 are told apart, also where masked ones are larger", "mask", 2,
        # A score of 30,000 is rounded to 4e-12; a gradient through it is a difference of weights times 20,000.
        STEEP, *right(), hold("zeros", only=["weights"]), hold("sums", output="weights"),
        hold("gradients", relative=1e-6, of_largest=1e-7), section="Masks",
    ),
    check(
        "decoder-calls", "Decoders keep nothing from call to call and leave their inputs alone", "invariance",
        1, tuple(STEP.values()), *each("out", "reversed", "gapped"), hold("same", "out", other="gapped"),
        hold("unchanged", "reversed"), hold("unchanged", "gapped"), section="Rules",
    ),
    check("seq2seq-sizes", "Teacher forcing is right for other sizes and without padding", "value", 2, (
        *FORWARD,
    ), *each("through-logits", "full"), hold("sums", "full", output="weights"), section="Seq2Seq"),
    check("seq2seq-equal", "Teacher forcing is right when all sizes are equal", "value", 1, (
        EQUAL_FORWARD,
        case("hidden-forward-float32", forward, kind="luong", size=BIG, dtype="float32"),
    ), *right(), hold("dtypes"), hold("gradients"), section="Seq2Seq"),
    check("seq2seq-ones", "One word, one sentence, one step", "shape", 1,
          tuple(case(f"hidden-{kind}-forward-ones", forward_ones, kind=kind) for kind in BOTH),
          *each("word", "sentence", "step"), section="Shapes"),
    check(
        "seq2seq-paths", "Gradients flow through the logits and through the weights", "gradient", 1, FORWARD,
        hold("gradients", "through-logits"), hold("gradients", "through-weights"), section="Seq2Seq",
    ),
    check(
        "seq2seq-calls", "Seq2Seq keeps nothing from call to call, and its inputs and its mode as they were",
        "invariance", 1, FORWARD, *each("through-logits", "reversed"), hold("unchanged", "reversed"),
        hold("same", "through-logits", other="reversed"), *kept("model", "encoder", "decoder"),
        section="Rules",
    ),
    check("greedy-ends", "Sentences end one by one, with any special ids", "training", 2, GREEDY,
          *each("out"), hold("dtypes"), section="greedy_decode"),
    check("greedy-short", "greedy_decode of one word, and of one sentence", "training", 0.5,
          (*GREEDY, ONE), *each("short"), section="greedy_decode"),
    check("greedy-word", "greedy_decode of sentences of one word", "training", 0.5, ONE, *each("word"),
          section="greedy_decode"),
    check(
        "greedy-calls", "greedy_decode changes nothing: no input, no mode, no later call", "invariance", 1,
        GREEDY, *each("out", "forward", "other", "gapped"), hold("unchanged", "gapped"),
        *kept("model", "encoder", "decoder"), section="Rules",
    ),
    check("beam-sizes", "beam_search is right for beams of 1 and of 4", "training", 2, BEAM,
          *(hold("tokens", f"out-{width}", pad=3, widest=5) for width in (1, 4)), section="beam_search"),
    check("beam-wide", "A beam may be wider than the vocabulary", "training", 1, BEAM_WIDE,
          hold("tokens", "out-7", pad=4, widest=4), hold("dtypes", "out-7"), section="beam_search"),
    check(
        "beam-long", "No hypothesis counts for more because it is longer or has ended", "training", 1,
        BEAM_LONG, hold("tokens", "out-2", pad=0, widest=7),
        section="beam_search",
    ),
    check("beam-calls", "beam_search changes nothing: no input, no mode", "invariance", 1, BEAM,
          hold("tokens", "out-4", pad=3, widest=5), hold("unchanged", "out-4"),
          *kept("model", "encoder", "decoder"), section="Rules"),
    check(
        "fixed-sizes", "FixedContextSeq2Seq is right for other sizes", "value", 1,
        (
            case("hidden-fixed-equal", fixed, size=EQUAL),
            case("hidden-fixed-32", fixed, size=BIG, dtype="float32"),
        ),
        *right(), hold("dtypes"), hold("gradients"), section="FixedContextSeq2Seq",
    ),
    check(
        "fixed-calls", "FixedContextSeq2Seq: other forms, no state, no change of its inputs or its mode",
        "invariance", 1, FIXED, *each("out", "full", "sentence", "step", "alone", "gapped"),
        hold("gradients"), hold("unchanged", "gapped"), *kept("model", "encoder"), section="Rules",
    ),
    check("train-clip", "The gradients' global norm is clipped, to 5 by default", "training", 2,
          (TRAIN["bahdanau"], TRAIN["fixed"], TRAIN["part"]), *LOSS, TRAINED, section="train_step"),
    check(
        "train-stale", "Gradients from before do not count", "training", 1,
        (TRAIN["luong"], TRAIN["float32"]), *LOSS, TRAINED,
        section="train_step",
    ),
    check(
        "train-steep", "The loss of logits of several thousand is finite and right", "training", 1,
        TRAIN["steep"], *LOSS, TRAINED, section="train_step",
    ),
    check("train-inputs", "train_step leaves the sentences alone", "invariance", 1, TRAIN["bahdanau"],
          *LOSS, hold("unchanged", "out-1"), section="Rules"),
    check("seq2seq-device", "New tensors are made on the device of the inputs", "constraint", 1,
          (*ELSEWHERE, EQUAL_FORWARD), hold("device"), section="Rules"),
    check("bleu-clipped", "An n-gram is matched no more often than its own reference has it", "value", 1,
          CLIPPED, *scores("out", "across", "after"), section="corpus_bleu"),
    check("bleu-zero", "corpus_bleu is 0 when an order has no match, and only then", "value", 1,
          RARE, *scores("no-fourth", "three-words", "nothing", "one-empty", "out", "texts", "joined"),
          section="corpus_bleu"),
    check("bleu-pooled", "The counts of all sentences are pooled", "value", 1, RANDOM,
          *scores("out", "again", "first", "second"), section="corpus_bleu"),
)  # fmt: skip
