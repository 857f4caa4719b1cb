"""The names of axes of this assignment's calls (contract, section 2)."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "stable_softmax": CallAxes(("...",), ("...",)),
    "softmax_vjp": CallAxes(("... T", "... T"), ("... T",)),
    "BahdanauAttention.score": CallAxes(("B dec_dim", "B T_s enc_dim"), ("B T_s",)),
    "BahdanauAttention.forward": CallAxes(("B dec_dim", "B T_s enc_dim"), ("B enc_dim", "B T_s")),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "BahdanauAttention": ("enc_dim", "dec_dim", "attn_dim")
}
