"""The names of axes of this assignment's calls (contract of the assignment)."""

from autograder.model import CallAxes

TABLE = "B T_t T_s"
CALLS: dict[str, CallAxes] = {
    "coverage_attention": CallAxes((TABLE,), (TABLE, TABLE)),
    "coverage_loss": CallAxes((TABLE, TABLE, "B"), ("",)),
    "PointerGenerator.forward": CallAxes(
        ("B enc_dim", "B dec_dim", "B emb_dim", "B V", "B T_s", "B T_s"), ("B extended_size", "B")
    ),
    "multi_hop": CallAxes(("B d", "B T d"), ("B d", "B hops T")),
    "BiDAF.similarity": CallAxes(("B m dim", "B n dim"), ("B m n",)),
    "BiDAF.forward": CallAxes(("B m dim", "B n dim", "B m", "B n"), ("B m 4*dim",)),
    "SpatialAttention.forward": CallAxes(("B feature_dim H W", "B state_dim"), ("B feature_dim", "B H W")),
    "PyramidalEncoder.forward": CallAxes(("B T input_dim", "B"), ("B T' 2*hidden_dim", "B")),
    "supervised_loss": CallAxes(("", TABLE, TABLE, "B"), ("",)),
    "monotonic_attention": CallAxes((TABLE,), (TABLE,)),
    "diagonal_prior_attention": CallAxes((TABLE, "B", "B"), (TABLE,)),
    "memory_address": CallAxes(("B N d", "B d", "B"), ("B N",)),
    "memory_read": CallAxes(("B N d", "B N"), ("B d",)),
    "memory_write": CallAxes(("B N d", "B N", "B d", "B d"), ("B N d",)),
    "MultiHeadLuong.forward": CallAxes(("B T_t dec_dim", "B T_s enc_dim"), ("B T_t enc_dim", "B num_heads T_t T_s")),
    "top_k_retrieval": CallAxes(("B T_q d_k", "B N d_k", "B N d_v"), ("B T_q d_v", "B T_q k")),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "PointerGenerator": ("enc_dim", "dec_dim", "emb_dim"),
    "BiDAF": ("dim",),
    "SpatialAttention": ("feature_dim", "state_dim"),
    "PyramidalEncoder": ("input_dim", "hidden_dim", "num_layers"),
    "MultiHeadLuong": ("enc_dim", "dec_dim", "num_heads"),
}
