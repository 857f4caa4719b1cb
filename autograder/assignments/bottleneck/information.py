"""Public checks of entropies, mutual information and a chain of two steps."""

from __future__ import annotations

from autograder.assignments.bottleneck import examples
from autograder.assignments.bottleneck.given import AT_ZERO, BITS, ECHO, GRADIENTS, both, interface
from autograder.assignments.bottleneck.programs import CHAIN, CONDITIONAL, ENTROPY, MUTUAL, USUAL
from autograder.assignments.bottleneck.speed import SPEED
from autograder.assignments.kit.assertions import DTYPES, UNCHANGED, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value

ENTROPIES = both("entropy", ENTROPY, 3, 5, 7)
CONDITIONALS = both("conditional", CONDITIONAL, 4, 6)
MUTUALS = both("mutual", MUTUAL, 5, 3)
CHAINS = (*both("chain", CHAIN, 4, 3, 5), case("chain-square", USUAL.once, CHAIN, 5, 4, 4))
CHECKS = (
    *part(
        ENTROPY,
        interface("entropy", ENTROPY, 0.5, 2, 3, 5),
        value("entropy-values", 2, "entropy_bits is right, in bits").on(*ENTROPIES).expects(BITS, DTYPES),
        gradient("entropy-zero", 1, "A probability of 0 adds nothing, and its gradient is finite")
        .on(case("entropy-zero", USUAL.once, ENTROPY, 3, 5, 7, zeros=0.4, **ECHO))
        .expects(BITS, UNCHANGED, AT_ZERO),
    ),
    *part(
        CONDITIONAL,
        interface("conditional", CONDITIONAL, 0.5, 3, 5),
        value("conditional-values", 1.5, "conditional_entropy is H(X given Y), X along the rows")
        .on(*CONDITIONALS)
        .expects(BITS, DTYPES),
        gradient("conditional-zero", 0.5, "Rows and columns of zeros give no NaN")
        .on(case("conditional-zero", USUAL.once, CONDITIONAL, 5, 4, zeros=0.3, **ECHO))
        .expects(BITS, AT_ZERO),
        "Speed",
        SPEED[CONDITIONAL],
    ),
    *part(
        MUTUAL,
        interface("mutual", MUTUAL, 0.5, 3, 5),
        value("mutual-values", 2, "mutual_information is right, in bits").on(*MUTUALS).expects(BITS, DTYPES),
        gradient("mutual-gradients", 0.5, "The gradient of mutual_information").on(MUTUALS[0]).expects(GRADIENTS, BITS),
        "Worked example",
        value("mutual-example", 0.5, "The worked example of mutual_information comes out")
        .on(case("mutual-example", examples.mutual))
        .expects(BITS),
        "Speed",
        SPEED[MUTUAL],
    ),
    *part(
        CHAIN,
        interface("chain", CHAIN, 0.5, 3, 5, 4),
        value("chain-before", 1, "processing_chain: the information before the second step")
        .on(*CHAINS)
        .expects(right(only=["before"], scale=1.0), DTYPES),
        value("chain-after", 1, "processing_chain: the information after it")
        .on(*CHAINS)
        .expects(right(only=["after"], scale=1.0), DTYPES),
        "Worked example",
        value("chain-example", 0.5, "The worked example of processing_chain comes out")
        .on(case("chain-example", examples.chain))
        .expects(BITS),
        "Speed",
        SPEED[CHAIN],
    ),
)
