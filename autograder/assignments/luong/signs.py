"""What shared diagnosis must know of this assignment's functions (see ``assignments``)."""

WINDOWS: dict[str, str] = {"local_weights": "center"}
