"""The assignment: its place in the course, and its title."""

ORDER = 1
TITLE = "Bahdanau attention"
