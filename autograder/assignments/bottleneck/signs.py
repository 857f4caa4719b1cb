"""What shared diagnosis must know of this assignment's functions (see ``assignments``)."""

RESULTS: dict[str, str] = {"entropy_bits": "entropy"}
