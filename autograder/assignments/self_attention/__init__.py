"""The assignment: its place in the course, and its title."""

ORDER = 3
TITLE = "Self-attention"
