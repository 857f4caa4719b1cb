"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 1
TITLE = "Bahdanau attention"
PARTS = {"stable_softmax": 26, "softmax_vjp": 24, "BahdanauAttention": 50}
