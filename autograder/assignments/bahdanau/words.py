"""What pictures of weights must know of this assignment (see ``assignments``)."""

WORDS = {"attention-example": (("a",), ("une", "pomme", "rouge", "."))}
