"""Hidden checks of ``experiments``: other sizes, other seeds, and what the public checks leave open."""

from __future__ import annotations

from autograder.assignments.experiments import heads, programs
from autograder.assignments.experiments.checks import ABOUT, LATER
from autograder.assignments.experiments.heads import Heads
from autograder.assignments.experiments.hidden import programs as more
from autograder.assignments.experiments.programs import Size
from autograder.assignments.experiments.properties import OF_THE_RUN, POSITIVE, UNSEEN, weighed
from autograder.assignments.experiments.speed import NOT_READY_MADE
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, ZEROS, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, interface, invariance, mask, shape, training, value
from autograder.assignments.kit.observed import watched

ROWS = case("hidden-copy-rows", programs.rows, 7, 300, 17, twice=True)
COPY_CHECKS = part(
    "copy_task",
    invariance("copy-seed", 2, "copy_task depends on its seed alone, and leaves the global random state alone")
    .on(ROWS)
    .expects(
        expect("agrees", other="again", says="the same seed gives the same numbers", cause="global-random-state"),
        expect("differs", other="other", says="another seed gives other numbers", cause="seed-ignored"),
        expect("undrawn", says="the global random state stays as it was", cause="global-random-state"),
        expect(
            "within", only=["src"], low=3, high=16, says="no id of src is below 3", cause="symbols-include-specials"
        ),
        expect("holds", output="src", entry=16, says="the last symbol occurs", cause="last-symbol-missing"),
        expect("evenly", output="src", low=3, high=16, says="symbols are evenly spread, and positions independent"),
    ),
    "Shapes",
    shape("copy-small", 1, "copy_task for one place, one row and one symbol")
    .on(case("hidden-copy-small", more.small_rows))
    .expects(
        *(expect("shapes", step) for step in ("out", "row", "symbol")),
        *(
            expect("joined", step, output="tgt_out", of="src", after=[2], says="tgt_out is src, then EOS")
            for step in ("out", "row", "symbol")
        ),
    ),
)
ACCURACY_CHECKS = part(
    "copy_accuracy",
    value("accuracy-short", 2, "Columns that the prediction lacks are wrong")
    .on(
        case("hidden-accuracy-short", programs.accuracy, (5, 4), 9),
        case("hidden-accuracy-none", programs.accuracy, (3, 1), 6),
    )
    .expects(RIGHT),
    value("accuracy-long", 1, "A prediction may be wider than the source")
    .on(case("hidden-accuracy-long", programs.accuracy, (5, 11), 6, near=2, echo=True))
    .expects(RIGHT, UNCHANGED, expect("python_float")),
)
WIDE = Size(lengths=(3, 1, 4), targets=(5, 1, 2), src_words=7, words=6, emb=2, hidden=4)
BIG_BATCH = case("hidden-epoch-one-batch", programs.epoch, "WithAttention", 9, size=WIDE, clip=0.3)
ORDERED = case("hidden-epoch-order", programs.epoch, "FixedContext", 2, chosen=4, calls=2, stale=0.0, echo=True)
CLIPPED = case("hidden-epoch-clip", programs.epoch, "FixedContext", 3, steep=6.0, clip=0.2, stale=0.0)
EPOCH_CHECKS = part(
    "train_epoch",
    training("epoch-clip", 2, "The global norm is clipped, by default to 1")
    .on(CLIPPED, case("hidden-epoch-default", programs.epoch, "WithAttention", 2, steep=5.0))
    .expects(right("out-1", **LATER), expect("state", "after", **LATER)),
    training("epoch-stale", 1, "train_epoch with gradients left from before")
    .on(case("hidden-epoch-stale", programs.epoch, "WithAttention", 2, stale=-0.3, clip=100.0, ordered=True))
    .expects(right("out-1", **LATER), expect("state", "after", **LATER)),
    training("epoch-order", 2, "The pairs come in the given order, which may leave some out")
    .on(ORDERED)
    .expects(right("out-1", "out-2", **LATER), expect("state", "after", **LATER)),
    "Rules",
    invariance("epoch-inputs", 1, "train_epoch leaves its tensors alone")
    .on(ORDERED)
    .expects(expect("unchanged", "out-1", "out-2"), right("out-1", **LATER)),
    "Shapes",
    training("epoch-one-batch", 1, "A batch larger than the data is one batch")
    .on(BIG_BATCH)
    .expects(expect("python_floats", "out-1"), expect("state", "after", **LATER)),
)
CURVES_CHECKS = part(
    "copy_curves",
    value("curves-other", 3, "copy_curves tests other lengths than those of training")
    .on(case("hidden-known-curves", programs.known_curves, (5, 20), (12, 7), dtype="float32", pinned=True))
    .expects(RIGHT, DTYPES),
    training("curves-unseen", 3, "Lengths that training did not see are harder")
    .on(case("hidden-curves-unseen", programs.curves, (5, 10, 20, 40), (5, 10, 20), dtype="float32", pinned=True))
    .expects(UNSEEN),
    training("curves-seed", 4, "The curves are those of a run with this seed")
    .on(case("hidden-curves-seed", programs.repeated, (5, 7), dtype="float32", pinned=True))
    .expects(OF_THE_RUN),
)
CORNERS = case("hidden-bleu-corners", more.corners)
BLEU_CHECKS = part(
    "bleu_by_length",
    value("bleu-buckets", 2, "Both ends of a bucket belong to it, and an empty one has 0")
    .on(CORNERS)
    .expects(right("out", relative=ABOUT)),
    value("bleu-corpus", 2, "BLEU is that of a corpus, without smoothing")
    .on(CORNERS)
    .expects(right("no-match", "short", "repeated", "pooled", "nothing", relative=ABOUT)),
)
TRANSLATION_CHECKS = part(
    "translation_bleu",
    value("translation-unknown", 4, "Words that only the test has are unknown, and test pairs are not trained on")
    .on(case("hidden-known-translations", programs.known_translations, dtype="float32", pinned=True))
    .expects(right(relative=1e-4), DTYPES),
)
TIMES_CHECKS = part(
    "attention_times",
    value("times-sizes", 2, "attention_times takes other lengths, widths and repeats")
    .on(case("hidden-times", more.known_times_of, (20, 2000), 9, dtype="float32", pinned=True))
    .expects(
        expect("shapes"),
        expect("dtypes"),
        POSITIVE,
        weighed(
            [[1, 0, 1], [-0.5, 1, 1]], 0.0, "the dot product takes no longer than the additive score", "rows-swapped"
        ),
    ),
)
SPLIT_CHECKS = part(
    "split_projection",
    value("split-sizes", 1, "split_projection takes any width, dtype and strides")
    .on(
        case("hidden-split-one", heads.split, 1),
        case("hidden-split-float32", heads.split, 6, dtype="float32", layout="reversed"),
    )
    .expects(RIGHT, DTYPES),
    "Rules",
    invariance("split-memory", 2, "The parts share no memory with the projection")
    .on(case("hidden-split-memory", more.split_twice, 4))
    .expects(RIGHT, right("later"), expect("unchanged", "later")),
)
SINGLE = Heads(batch=1, queries=1, keys=1, heads=1, width=4)
OFF = case("hidden-cross-off", heads.attend, Heads(heads=4, width=2), heads=[0.0, 1.0, 0.3, 0.0], gradient=True)
CROSS_CHECKS = part(
    "CrossAttention",
    value("cross-sizes", 1, "CrossAttention is right for other sizes, in float32 too")
    .on(
        case("hidden-cross-single", heads.attend, SINGLE, gradient=True),
        case("hidden-cross-float32", heads.attend, Heads(batch=3, queries=7, keys=4), dtype="float32", mask=True),
        case("hidden-cross-equal", heads.attend, Heads(batch=4, queries=4, keys=4, heads=4, width=4), mask=True),
    )
    .expects(RIGHT, DTYPES),
    gradient("cross-gradients", 1, "The gradients of every input and parameter")
    .on(case("hidden-cross-gradients", heads.attend, Heads(batch=3, heads=3), mask=True, gradient=True))
    .expects(GRADIENTS),
    value("cross-heads-off", 1, "Any heads may be switched off, or weakened").on(OFF).expects(RIGHT, GRADIENTS),
    "Masks",
    mask("cross-dark", 1, "Rows without a real position give 0, and gradients without NaN")
    .on(case("hidden-cross-dark", heads.attend, Heads(batch=3), mask=True, dark=[0, 2], gradient=True, scale=2.0))
    .expects(ZEROS, RIGHT, GRADIENTS),
    "CrossAttention",
    interface("cross-raises", 0.5, "A width that the heads do not divide is an error")
    .on(case("hidden-cross-raises", more.refused))
    .expects(expect("raises", "made", error="ValueError"), RIGHT),
    constraint("cross-constraint-hidden", 0.5, "CrossAttention does without ready-made attention, in all calls")
    .on(OFF)
    .expects(NOT_READY_MADE, RIGHT),
)
NOISY = case("hidden-ablation", heads.ablation, batch=9, length=5, noise=0.3, echo=True)
ABLATION_CHECKS = part(
    "head_ablation",
    value("ablation-other", 2, "head_ablation for other weights, in float32 too")
    .on(NOISY, case("hidden-ablation-float32", heads.ablation, noise=0.2, dtype="float32"))
    .expects(RIGHT, DTYPES),
    "Rules",
    invariance("ablation-unchanged", 1, "The model and the inputs stay as they were")
    .on(NOISY)
    .expects(expect("state", "after"), right("out", "again"), UNCHANGED),
)
MAP_CHECKS = part(
    "mean_attention_map",
    value("map-empty", 1, "A length of 0 gives a map of 0")
    .on(case("hidden-map-empty", heads.mean_map, (1, 3, 3, 5, 4), (0, 4, 2), (3, 0, 5)))
    .expects(RIGHT, ZEROS),
    value("map-sizes", 1, "One layer, one head, one sentence; float32; any strides")
    .on(
        case("hidden-map-one", heads.mean_map, (1, 1, 1, 1, 1), (1,), (1,)),
        case(
            "hidden-map-float32",
            heads.mean_map,
            (3, 2, 5, 6, 2),
            (2, 1),
            (6, 2),
            dtype="float32",
            layout="gapped",
            echo=True,
        ),
    )
    .expects(RIGHT, DTYPES, UNCHANGED),
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
    {"cross-constraint-hidden": ["CrossAttention"]},
    most=2,
)
