"""What pictures of weights must know of this assignment (see ``assignments``)."""

SENTENCE = ("red", "wine", "bottle")
WORDS = {"bare-example": (SENTENCE, SENTENCE), "sdpa-example": (SENTENCE, SENTENCE)}
