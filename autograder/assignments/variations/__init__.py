"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 10
TITLE = "Variations on attention"
PARTS = {
    "coverage_attention": 8,
    "coverage_loss": 5,
    "PointerGenerator": 13,
    "multi_hop": 7,
    "BiDAF": 14,
    "SpatialAttention": 8,
    "PyramidalEncoder": 11,
    "supervised_loss": 5,
    "monotonic_attention": 6,
    "diagonal_prior_attention": 5,
    "memory_address": 4,
    "memory_read": 1,
    "memory_write": 3,
    "MultiHeadLuong": 6,
    "top_k_retrieval": 4,
}
