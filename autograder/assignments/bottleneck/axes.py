"""The names of axes of this assignment's calls (contract of the assignment)."""

from autograder.model import CallAxes

CALLS: dict[str, CallAxes] = {
    "uniform_context": CallAxes(("B T d",), ("B d", "B T")),
    "weight_of_dot": CallAxes((), ("dim dim",)),
    "entropy_bits": CallAxes(("... n",), ("...",)),
    "conditional_entropy": CallAxes(("n m",), ("",)),
    "mutual_information": CallAxes(("n m",), ("",)),
    "processing_chain": CallAxes(("n m", "m k"), ("", "")),
    "decay_along": CallAxes(("T d", "d d"), ("T",)),
}
