"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 4
TITLE = "Masks"
PARTS = {
    "padding_mask": 11,
    "causal_mask": 8,
    "window_mask": 8,
    "strided_mask": 8,
    "combine_masks": 9,
    "masked_softmax": 24,
    "masked_attention": 16,
    "masked_cross_entropy": 16,
}
