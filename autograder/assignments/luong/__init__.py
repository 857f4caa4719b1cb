"""The assignment: its place in the course, and its title."""

ORDER = 2
TITLE = "Luong attention"
