"""Words at the rows and the columns of pictures of weights (see ``assignments``)."""

WORDS = {"worked-example": (("bread",), ("pain", "et", "beurre"))}
