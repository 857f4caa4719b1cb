"""The assignment: its place in the course, and its title."""

ORDER = 4
TITLE = "Masks"
