"""Public checks of ``experiments``."""

from __future__ import annotations

from autograder.assignments.experiments import heads, programs
from autograder.assignments.experiments.heads import Heads
from autograder.assignments.experiments.properties import (
    FALLS,
    GRADIENTS,
    HOLDS,
    LEARNS,
    MEASURES,
    MEDIAN,
    TRANSLATES,
    WARM,
)
from autograder.assignments.experiments.speed import NOT_READY_MADE, SPEED
from autograder.assignments.kit.assertions import DTYPES, RIGHT, ZEROS, Assertions, expect, right
from autograder.assignments.kit.assertions import GRADIENTS as GRADS
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, interface, mask, shape, training, value
from autograder.assignments.kit.observed import watched

ABOUT = 1e-6  # relative, of a number that exp and ln make, in whatever way
LATER = {"relative": 1e-5, "of_largest": 1e-5}  # clip_grad_norm_ adds 1e-6 to the norm; other code need not


def arguments(*names: str) -> Assertions:
    """Assert that the arguments of each name are the docstring's."""
    return expect("signature", *(f"arguments-{name}" for name in names))


ROWS = case("copy-rows", programs.rows, 12, 400, 13, twice=True)
COPY_SHAPES = expect("shapes")
COPY_CHECKS = part(
    "copy_task",
    shape("copy-shapes", 1, "copy_task returns three int64 tensors of the right shapes")
    .on(ROWS)
    .expects(COPY_SHAPES, DTYPES, arguments("copy_task")),
    value("copy-symbols", 2, "The symbols are ids from 3 to vocab_size - 1, evenly spread")
    .on(ROWS)
    .expects(
        COPY_SHAPES,
        expect("within", low=0, high=12, says="no id is below 0 or above vocab_size - 1"),
        expect(
            "within", only=["src"], low=3, high=12, says="no id of src is below 3", cause="symbols-include-specials"
        ),
        expect("holds", output="src", entry=12, says="the last symbol occurs", cause="last-symbol-missing"),
        expect("evenly", output="src", low=3, high=12, says="symbols are evenly spread, and positions independent"),
    ),
    value("copy-targets", 2, "The decoder reads BOS and the source, and must say the source and EOS")
    .on(ROWS)
    .expects(
        expect(
            "joined", output="tgt_in", of="src", before=[1], says="tgt_in is BOS, then src", cause="target-not-shifted"
        ),
        expect("joined", output="tgt_out", of="src", after=[2], says="tgt_out is src, then EOS", cause="eos-missing"),
    ),
)
ACCURACY = case("accuracy", programs.accuracy, (6, 9), 9)
ACCURACY_CHECKS = part(
    "copy_accuracy",
    interface("accuracy-interface", 1, "copy_accuracy takes (predicted, src) and returns a Python float")
    .on(ACCURACY)
    .expects(arguments("copy_accuracy"), expect("python_float"), RIGHT),
    value("accuracy-values", 2, "copy_accuracy is the share of right symbols").on(ACCURACY).expects(RIGHT),
)
EPOCH = (
    case("epoch-fixed", programs.epoch, "FixedContext", 2, clip=100.0),
    case("epoch-attention", programs.epoch, "WithAttention", 2, clip=0.5, calls=2),
)
LOSSES = expect("python_floats", "out-1")
EPOCH_CHECKS = part(
    "train_epoch",
    interface("epoch-interface", 1, "train_epoch takes its arguments and returns a list of Python floats")
    .on(*EPOCH)
    .expects(arguments("train_epoch"), LOSSES, right("out-1", **LATER)),
    training("epoch-losses", 3, "Each batch's loss, before its step").on(*EPOCH).expects(right("out-1", **LATER)),
    training("epoch-parameters", 3, "The parameters after the epochs")
    .on(*EPOCH)
    .expects(expect("state", "after", **LATER)),
)
KNOWN_CURVES = case("known-curves", programs.known_curves, (8, 13), (6, 9), dtype="float32", pinned=True)
CURVES = case("curves", programs.curves, programs.LENGTHS, programs.LENGTHS, dtype="float32", pinned=True)
CURVES_CHECKS = part(
    "copy_curves",
    interface("curves-interface", 1, "copy_curves takes its arguments")
    .on(KNOWN_CURVES)
    .expects(arguments("copy_curves"), RIGHT),
    value("curves-decoding", 3, "copy_curves tests what a model says by itself, on rows that it has not seen")
    .on(KNOWN_CURVES)
    .expects(RIGHT, DTYPES),
    training("curves-learn", 2, "Both models learn to copy short rows").on(CURVES).expects(LEARNS),
    training("curves-fall", 2, "The fixed context forgets long rows").on(CURVES).expects(FALLS),
    training("curves-hold", 2, "Attention copies long rows too").on(CURVES).expects(HOLDS),
)
BY_LENGTH = case("bleu-by-length", programs.by_length, 40, [[2, 4], [5, 8], [9, 12]])
BLEU_CHECKS = part(
    "bleu_by_length",
    interface("bleu-interface", 1, "bleu_by_length returns a list of Python floats, one a bucket")
    .on(BY_LENGTH)
    .expects(arguments("bleu_by_length"), expect("python_floats"), right(relative=ABOUT)),
    value("bleu-values", 3, "The BLEU of each bucket of source lengths").on(BY_LENGTH).expects(right(relative=ABOUT)),
)
KNOWN_SCORES = case("known-translations", programs.known_translations, dtype="float32", pinned=True)
TRANSLATIONS = case("translations", programs.translations, dtype="float32", pinned=True)
TRANSLATION_CHECKS = part(
    "translation_bleu",
    interface("translation-interface", 1, "translation_bleu takes its arguments")
    .on(KNOWN_SCORES)
    .expects(arguments("translation_bleu"), right(relative=1e-4)),
    value(
        "translation-decoding", 3, "translation_bleu scores what a model says by itself, with the training vocabulary"
    )
    .on(KNOWN_SCORES)
    .expects(right(relative=1e-4), DTYPES),
    training("translation-scores", 4, "Attention translates better, above all long sentences")
    .on(TRANSLATIONS)
    .expects(TRANSLATES),
)
TIMES = case("times", programs.times, dtype="float32", pinned=True)
KNOWN_TIMES = case("known-times", programs.known_times, dtype="float32", pinned=True)
TIMES_CHECKS = part(
    "attention_times",
    value("times-measured", 2, "attention_times measures both scores")
    .on(TIMES)
    .expects(arguments("attention_times"), MEASURES),
    value("times-median", 2, "attention_times warms up, records no gradients, and takes the median")
    .on(KNOWN_TIMES)
    .expects(expect("shapes", "out", "three", "fifteen"), GRADIENTS, WARM, MEDIAN),
)
SPLIT = case("split", heads.split, 5, echo=True)
SPLIT_CHECKS = part(
    "split_projection",
    value("split-values", 2, "split_projection returns the rows of W_Q, W_K and W_V")
    .on(SPLIT)
    .expects(arguments("split_projection"), RIGHT, DTYPES),
)
ATTEND = case("cross", heads.attend, gradient=True)
MASKED = case("cross-masked", heads.attend, Heads(keys=6), mask=True, dark=[1], gradient=True)
ONE_OFF = case("cross-one-head-off", heads.attend, Heads(heads=3), mask=True, heads=[1.0, 0.0, 0.5])
LOADED = case("checkpoint", heads.loaded)
CROSS_CHECKS = part(
    "CrossAttention",
    interface("cross-interface", 0.5, "CrossAttention has its arguments and parameters")
    .on(ATTEND)
    .expects(arguments("CrossAttention", "CrossAttention.forward"), expect("parameters", "parameters"), RIGHT),
    value("cross-values", 2, "CrossAttention gives the right output and weights").on(ATTEND).expects(RIGHT, DTYPES),
    "Masks",
    mask("cross-masks", 1, "Weights are exactly 0 under the mask, and a dark row is 0, not NaN")
    .on(MASKED)
    .expects(ZEROS, RIGHT, GRADS),
    "CrossAttention",
    value("cross-heads", 1, "A head that is switched off leaves the output and keeps its weights")
    .on(ONE_OFF)
    .expects(RIGHT),
    constraint("cross-constraint", 1, "CrossAttention does without ready-made attention")
    .on(ATTEND, MASKED)
    .expects(NOT_READY_MADE, RIGHT),
    value("cross-checkpoint", 1, "The trained model's logits, with your CrossAttention in it")
    .on(LOADED, case("checkpoint-float32", heads.loaded, dtype="float32"))
    .expects(right("out", "without"), expect("dtypes", "out")),
    "Speed",
    SPEED,
)
ABLATION = case("ablation", heads.ablation)
ABLATION_CHECKS = part(
    "head_ablation",
    value("ablation-values", 2, "head_ablation is the accuracy that is lost without each head")
    .on(ABLATION)
    .expects(arguments("head_ablation"), RIGHT, DTYPES),
)
MAP = case("map", heads.mean_map, (2, 3, 2, 4, 5), (5, 2, 4), (1, 4, 3))
MAP_CHECKS = part(
    "mean_attention_map",
    value("map-values", 2, "mean_attention_map is the mean over layers and heads, and 0 at padding")
    .on(MAP)
    .expects(arguments("mean_attention_map"), RIGHT, DTYPES, ZEROS),
)
CHECKS = watched(
    (
        *COPY_CHECKS,
        *ACCURACY_CHECKS,
        *EPOCH_CHECKS,
        *CURVES_CHECKS,
        *BLEU_CHECKS,
        *TRANSLATION_CHECKS,
        *TIMES_CHECKS,
        *SPLIT_CHECKS,
        *CROSS_CHECKS,
        *ABLATION_CHECKS,
        *MAP_CHECKS,
    ),
    "attention",
    {"cross-constraint": ["CrossAttention"]},
    most=2,
)
