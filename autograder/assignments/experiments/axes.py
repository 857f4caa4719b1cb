"""The names of axes of this assignment's calls."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "copy_task": CallAxes((), ("count length", "count length+1", "count length+1")),
    "copy_curves": CallAxes((), ("models lengths",)),
    "translation_bleu": CallAxes((), ("models buckets",)),
    "attention_times": CallAxes((), ("scores lengths",)),
    "split_projection": CallAxes(("3*d d",), ("d d", "d d", "d d")),
    "CrossAttention.forward": CallAxes(
        ("B T_q d_model", "B T_k d_model"), ("B T_q d_model", "B num_heads T_q T_k"), "B T_k"
    ),
    "TinyTranslator.forward": CallAxes(("B T_s", "B T_t"), ("B T_t V",)),
    "head_ablation": CallAxes((), ("num_heads",)),
    "mean_attention_map": CallAxes(("layers B heads T_t T_s", "B", "B"), ("B T_t T_s",)),
}
MADE_WITH: dict[str, tuple[str, ...]] = {  # a class -> the sizes that its constructor takes
    "CrossAttention": ("d_model", "num_heads"),
    "TinyTranslator": ("V", "d_model", "num_heads"),
}
