"""What pictures of weights must know of this assignment (see ``assignments``)."""

WORDS = {"worked-example": (("bread",), ("pain", "et", "beurre"))}
RETURN_WEIGHTS = ("local_weights",)
