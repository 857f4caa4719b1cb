"""Hidden checks of entropies, mutual information and a chain of two steps."""

from __future__ import annotations

import numpy as np

from autograder.assignments.bottleneck.given import AT_ZERO, BITS, GRADIENTS
from autograder.assignments.bottleneck.hidden import programs
from autograder.assignments.bottleneck.hidden.given import rules, sizes
from autograder.assignments.bottleneck.programs import CHAIN, CONDITIONAL, ENTROPY, MUTUAL
from autograder.assignments.kit.assertions import DTYPES, Assertions, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value

CERTAIN = case("hidden-entropy-certain", programs.certain)
MANY = sizes("entropy-zeros", ENTROPY, (6, 4), (2, 3, 4), zeros=0.5)


def nothing(step: str) -> Assertions:
    """Assert that a result is 0 up to rounding, and not below."""
    never = expect("within", step, low=-1e-12, high=np.inf, says="information is never negative")
    return (*right(step, scale=1.0), *never)


CHECKS = (
    *part(
        ENTROPY,
        value("entropy-sizes", 1.5, "entropy_bits for any leading axes and strides, with its gradient")
        .on(*sizes("entropy", ENTROPY, (7,), (2, 3, 5), (2, 3, 5, 7), (1, 3, 4)))
        .expects(BITS, GRADIENTS, DTYPES),
        gradient("entropy-certain", 1.5, "Values that are certain, impossible or equally likely")
        .on(CERTAIN, *MANY)
        .expects(BITS, AT_ZERO),
        "Rules",
        rules(ENTROPY),
    ),
    *part(
        CONDITIONAL,
        value("conditional-sizes", 1.5, "conditional_entropy for other sizes and strides, with its gradient")
        .on(*sizes("conditional", CONDITIONAL, (3, 7), (6, 2), (4, 4), (5, 3)))
        .expects(BITS, GRADIENTS, DTYPES),
        value("conditional-related", 1, "conditional_entropy of independent and of equal variables")
        .on(case("hidden-conditional-related", programs.related, CONDITIONAL))
        .expects(right("alone", scale=1.0), nothing("equal")),
        "Rules",
        rules(CONDITIONAL),
    ),
    *part(
        MUTUAL,
        value("mutual-sizes", 1.5, "mutual_information for other sizes and strides, with its gradient")
        .on(*sizes("mutual", MUTUAL, (3, 7), (6, 2), (4, 4), (5, 3)))
        .expects(BITS, GRADIENTS, DTYPES),
        gradient("mutual-zero", 1, "Rows and columns of zeros give no NaN in mutual_information")
        .on(*sizes("mutual-zero", MUTUAL, (5, 4), (3, 6), zeros=0.3))
        .expects(BITS, AT_ZERO),
        value("mutual-related", 1, "mutual_information of independent and of equal variables")
        .on(case("hidden-mutual-related", programs.related, MUTUAL))
        .expects(right("equal", scale=1.0), nothing("alone")),
        "Rules",
        rules(MUTUAL),
    ),
    *part(
        CHAIN,
        value("chain-sizes", 1, "processing_chain for other sizes and strides, with its gradient")
        .on(*sizes("chain", CHAIN, (3, 5, 2), (6, 2, 4), (2, 3, 3), (4, 3, 5)))
        .expects(BITS, GRADIENTS, DTYPES),
        value("chain-forgets", 1, "A channel that forgets everything, and one that only changes places")
        .on(case("hidden-chain-forgets", programs.forgetting))
        .expects(right("kept", scale=1.0), right(only=["before"], scale=1.0), right(scale=1.0, only=["after"])),
        gradient("chain-zero", 1, "Rows and columns of zeros give no NaN in processing_chain")
        .on(*sizes("chain-zero", CHAIN, (5, 4, 3), (4, 3, 6), zeros=0.3))
        .expects(BITS, AT_ZERO),
        "Rules",
        rules(CHAIN),
    ),
)
