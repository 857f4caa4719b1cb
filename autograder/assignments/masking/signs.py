"""What shared diagnosis must know of this assignment's functions (see ``assignments``)."""

SCORES: dict[str, str] = {"masked_softmax": "scores", "masked_attention": "scaled-dot"}
