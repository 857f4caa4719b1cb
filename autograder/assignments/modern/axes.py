"""The names of axes of this assignment's calls (contract of the assignment)."""

from autograder.model import CallAxes

ROW = ("B T d_k", "B T d_k", "B T d_v")
CACHE = ("B num_groups T_p d_h", "B num_groups T_p d_h")
LONGER = ("B num_groups T_p+T_n d_h", "B num_groups T_p+T_n d_h")
CALLS: dict[str, CallAxes] = {
    "ProjectedAttention.project": CallAxes(("B T_s enc_dim",), ("B T_s attn_dim",)),
    "ProjectedAttention.step": CallAxes(("B dec_dim", "B T_s enc_dim", "B T_s attn_dim"), ("B enc_dim", "B T_s")),
    "ProjectedAttention.forward": CallAxes(("B T_t dec_dim", "B T_s enc_dim"), ("B T_t enc_dim", "B T_t T_s")),
    "streamed_attention": CallAxes(("B T_q d_k", "B T_k d_k", "B T_k d_v"), ("B T_q d_v",)),
    "window_attention": CallAxes(ROW, ("B T d_v",)),
    "sparse_attention": CallAxes(ROW, ("B T d_v",)),
    "apply_rotary": CallAxes(("... T d", "T"), ("... T d",)),
    "grouped_attention": CallAxes(("B H T_q d_k", "B G T_k d_k", "B G T_k d_v"), ("B H T_q d_v",)),
    "GroupedQueryAttention.forward": CallAxes(("B T d_model",), ("B T d_model",)),
    "GroupedQueryAttention.extend": CallAxes(("B T_n d_model", *CACHE), ("B T_n d_model", *LONGER)),
    "TransformerBlock.forward": CallAxes(("B T d_model",), ("B T d_model",)),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "ProjectedAttention": ("enc_dim", "dec_dim", "attn_dim"),
    "GroupedQueryAttention": ("d_model", "num_heads", "num_groups"),
    "TransformerBlock": ("d_model", "num_heads", "num_groups", "d_ff"),
}
