"""The assignment: its place in the course, and its title."""

ORDER = 5
TITLE = "Sequence to sequence with attention"
