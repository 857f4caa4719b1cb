"""The assignment: its place in the course, its title, the points of its parts, and what it declares of its own."""

ORDER = 9
TITLE = "The bottleneck in numbers"
PARTS = {
    "uniform_context": 4,
    "weight_of_dot": 3,
    "score_multiplications": 6,
    "attention_bytes": 4,
    "entropy_bits": 7,
    "conditional_entropy": 6,
    "mutual_information": 8,
    "processing_chain": 7,
    "binary_channel_capacity": 4,
    "context_capacity": 2,
    "bits_per_token": 2,
    "longest_lossless": 5,
    "path_length": 4,
    "path_decay": 3,
    "reach": 4,
    "decay_along": 7,
    "own_answers": 12,
    "quiz_answers": 12,
}
# Code that students get complete. The grader always uses its own copy.
GIVEN = ("Own", "FIELDS", "token_seed", "token_draw", "own_numbers", "QUESTIONS", "quiz_questions")
TOKEN = True  # each student's file names its owner: see ``model.tokens``
