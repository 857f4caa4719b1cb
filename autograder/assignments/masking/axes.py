"""The names of axes of this assignment's calls (contract, section 2)."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "padding_mask": CallAxes(("B",), ("B max_len",)),
    "causal_mask": CallAxes((), ("length length",)),
    "window_mask": CallAxes((), ("length length",)),
    "strided_mask": CallAxes((), ("length length",)),
    "combine_masks": CallAxes(("B T_k", "T_q T_k"), ("B T_q T_k",)),
    "masked_softmax": CallAxes(("...",), ("...",)),
    "masked_attention": CallAxes(("... T_q d_k", "... T_k d_k", "... T_k d_v"), ("... T_q d_v", "... T_q T_k")),
    "masked_cross_entropy": CallAxes(("B T V", "B T", "B"), ("",)),
}
