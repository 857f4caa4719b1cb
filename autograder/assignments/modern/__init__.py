"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 8
TITLE = "Attention as it runs today"
PARTS = {
    "ProjectedAttention": 14,
    "streamed_attention": 17,
    "window_attention": 12,
    "sparse_attention": 9,
    "apply_rotary": 12,
    "grouped_attention": 11,
    "GroupedQueryAttention": 11,
    "TransformerBlock": 7,
    "attention_costs": 4,
    "visible_pairs": 3,
}
