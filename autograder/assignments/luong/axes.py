"""The names of axes of this assignment's calls (contract, section 2)."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "LuongAttention.score": CallAxes(("B T_t dec_dim", "B T_s enc_dim"), ("B T_t T_s",)),
    "LuongAttention.forward": CallAxes(("B T_t dec_dim", "B T_s enc_dim"), ("B T_t enc_dim", "B T_t T_s")),
    "AttentionalHidden.forward": CallAxes(("B T_t enc_dim", "B T_t dec_dim"), ("B T_t dec_dim",)),
    "local_weights": CallAxes(("B T_s", "B"), ("B T_s",)),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "LuongAttention": ("enc_dim", "dec_dim", "", "attn_dim"),
    "AttentionalHidden": ("enc_dim", "dec_dim"),
}
