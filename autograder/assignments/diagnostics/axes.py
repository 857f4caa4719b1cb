"""The names of axes of this assignment's calls (contract of the assignment)."""

from autograder.model import CallAxes

SENTENCES = ("B T_t T_s", "B", "B")
ANSWERS = ("B T", "B T d", "C d", "C")
CALLS: dict[str, CallAxes] = {
    "row_entropy": CallAxes(("... T",), ("...",)),  # as in the other assignment that has it
    "temperature_curve": CallAxes(("B T_t T_s", "K"), ("K B T_t T_s", "K")),
    "sharpness": CallAxes(("B T_t T_s", "B"), ("B", "B")),
    "coverage": CallAxes(SENTENCES, ("B T_s", "B")),
    "diagonal_offset": CallAxes(SENTENCES, ("B", "B")),
    "alignment_links": CallAxes(SENTENCES, ("B T_t T_s",)),
    "alignment_error_rate": CallAxes(("B T_t T_s", "B T_t T_s", "B T_t T_s"), ("",)),
    "classify_pattern": CallAxes(SENTENCES, ("B",)),
    "diagnose_failure": CallAxes(SENTENCES, ("B",)),
    "attention_geometry": CallAxes(("B T d",), ("B T T", "B T T", "B")),
    "gradient_paths": CallAxes(("B T_t d", "B T_s d", "B T_t d"), ("B T_s d", "B T_s d")),
    "gradient_norms": CallAxes(("B T d", "d d", "B T d"), ("B T",)),
    "permutation_test": CallAxes((*ANSWERS, "N T"), ("N B", "B")),
    "ablation_effects": CallAxes(ANSWERS, ("B T",)),
    "rank_agreement": CallAxes(("B T", "B T"), ("B",)),
}
