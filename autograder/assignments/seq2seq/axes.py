"""The names of axes of this assignment's calls (contract, section 2)."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "Encoder.forward": CallAxes(("B T_s", "B"), ("B T_s 2*hidden_dim", "B hidden_dim")),
    "BahdanauDecoder.step": CallAxes(("B", "B hidden_dim", "B T_s enc_dim", "B T_s"), ("B V", "B hidden_dim", "B T_s")),
    "LuongDecoder.step": CallAxes(
        ("B", "B hidden_dim", "B hidden_dim", "B T_s enc_dim", "B T_s"),
        ("B V", "B hidden_dim", "B hidden_dim", "B T_s"),
    ),
    "Seq2Seq.forward": CallAxes(("B T_s", "B", "B T_t"), ("B T_t V", "B T_t T_s")),
    "FixedContextSeq2Seq.forward": CallAxes(("B T_s", "B", "B T_t"), ("B T_t V",)),
    "Seq2Seq.greedy_decode": CallAxes(("B T_s", "B"), ("B L",)),
    "Seq2Seq.beam_search": CallAxes(("B T_s", "B"), ("B L",)),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "Encoder": ("V", "emb_dim", "hidden_dim"),
    "BahdanauDecoder": ("V", "emb_dim", "hidden_dim", "enc_dim", "attn_dim"),
    "LuongDecoder": ("V", "emb_dim", "hidden_dim", "enc_dim"),
}
