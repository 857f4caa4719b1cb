"""What shared diagnosis must know of this assignment's functions (see ``assignments``)."""

RESULTS: dict[str, str] = {"sinusoidal_positions": "positions", "attention_entropy": "entropy"}
SCORES: dict[str, str] = {"scaled_dot_product_attention": "scaled-dot"}
