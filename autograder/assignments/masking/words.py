"""What pictures of weights must know of this assignment (see ``assignments``)."""

RETURN_WEIGHTS = ("masked_softmax",)
