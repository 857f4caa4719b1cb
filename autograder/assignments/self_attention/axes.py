"""The names of axes of this assignment's calls (contract, section 2)."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "self_attention": CallAxes(("B T d",), ("B T d", "B T T")),
    "scaled_dot_product_attention": CallAxes(
        ("... T_q d_k", "... T_k d_k", "... T_k d_v"), ("... T_q d_v", "... T_q T_k")
    ),
    "SelfAttention.forward": CallAxes(("B T d_model",), ("B T d_v", "B T T")),
    "MultiHeadAttention.forward": CallAxes(
        ("B T_q d_model", "B T_k d_model", "B T_k d_model"), ("B T_q d_model", "B num_heads T_q T_k"), "B T_q T_k"
    ),
    "sinusoidal_positions": CallAxes((), ("length dim",)),
    "attention_entropy": CallAxes(("... T",), ("...",)),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "SelfAttention": ("d_model", "d_k", "d_v"),
    "MultiHeadAttention": ("d_model", "num_heads"),
}
