"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 3
TITLE = "Self-attention"
PARTS = {
    "scaled_dot_product_attention": 25,
    "self_attention": 15,
    "SelfAttention": 14,
    "MultiHeadAttention": 26,
    "sinusoidal_positions": 10,
    "attention_entropy": 10,
}
