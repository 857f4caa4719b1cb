"""Words at the rows and the columns of pictures of weights (see ``assignments``)."""

WORDS = {"attention-example": (("a",), ("une", "pomme", "rouge", "."))}
