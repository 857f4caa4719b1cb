"""What tests of known mistakes (tests/instructor/oracle) must know of this assignment."""

from typing import Any

from autograder.assignments.variations.causes import CAUSES
from autograder.assignments.variations.hidden.mistakes import (
    copying,
    directions,
    guiding,
    memories,
    pyramids,
    reading,
    retrieval,
)

# Causes that it can have, beside those of any assignment, and those of any assignment that it can't have.
OWN = {*CAUSES, "heads-mixed", "missing-output-projection", "padding-counted", "wrong-sigma", "general-transposed"}
OWN |= {"loss-counts-padding", "loss-mean-of-means", "padding-off-by-one", "padding-changes-state", "cosine-not-dot"}
OWN |= {"mask-not-used", "mask-inverted", "mask-after-softmax", "mask-multiplies-scores", "mask-leaks"}
OWN |= {"concat-order-swapped", "distance-not-squared", "diagonal-off-by-one", "nan-at-zero-row"}
NOT_IN = {"missing-tanh", "wrong-activation"}
# What variants are made of, with no part replaced: answers as the references do.
STAND_INS: dict[str, Any] = {
    **copying.coverage(),
    **copying.loss(),
    **copying.pointer(),
    **reading.hops(),
    **reading.spatial(),
    **directions.bidaf(),
    **pyramids.pyramid(),
    **guiding.supervised(),
    **guiding.monotonic(),
    **guiding.diagonal(),
    **memories.address(),
    **memories.read(),
    **memories.write(),
    **retrieval.luong(),
    **retrieval.top_k(),
}
