"""Words at the rows and the columns of pictures of weights (see ``assignments``)."""

SENTENCE = ("red", "wine", "bottle")
WORDS = {"bare-example": (SENTENCE, SENTENCE), "sdpa-example": (SENTENCE, SENTENCE)}
