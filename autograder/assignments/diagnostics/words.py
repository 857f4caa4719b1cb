"""What pictures of weights must know of this assignment (see ``assignments``)."""

WORDS = {"offset-example": (("the", "grey", "wolf"), ("le", "loup", "gris"))}
