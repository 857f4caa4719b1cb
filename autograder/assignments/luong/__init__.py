"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 2
TITLE = "Luong attention"
PARTS = {"LuongAttention": 50, "AttentionalHidden": 18, "local_weights": 32}
