"""The assignment: its place in the course, its title, the points of its parts, and what it declares of its own."""

ORDER = 6
TITLE = "Experiments, run and read"
PARTS = {
    "copy_task": 8,
    "copy_accuracy": 6,
    "train_epoch": 14,
    "copy_curves": 20,
    "bleu_by_length": 8,
    "translation_bleu": 12,
    "attention_times": 6,
    "split_projection": 5,
    "CrossAttention": 12,
    "head_ablation": 5,
    "mean_attention_map": 4,
}
# Code that students get complete. The grader always uses its own copy.
GIVEN = (
    *("PAD", "BOS", "EOS", "LENGTHS", "BUCKETS", "sinusoids", "FixedContext", "WithAttention", "toy_corpus"),
    "TinyTranslator",
)
LIMITS = {"submission_seconds": 240.0, "case_seconds": 60.0}  # it trains models
