"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "missing-decoder-term": Cause(
        "The decoder state does not enter the scores.", "The score has two terms inside the tanh. Are both there?"
    ),
    "missing-encoder-term": Cause(
        "The encoder states do not enter the scores.", "The score has two terms inside the tanh. Are both there?"
    ),
    "projections-not-added": Cause(
        "The two projections are subtracted or multiplied, but they should be added.",
        "Which sign stands between the two terms of the score?",
    ),
    "weights-not-used": Cause(
        "The context adds up the states without their weights.",
        "Which index do the weights and the states share in the formula of the context?",
    ),
    "vjp-diagonal-only": Cause(
        "Only the diagonal of the softmax's Jacobian is used.",
        "Each weight depends on every score, not only on its own. What is d alpha_i / d e_j for i != j?",
    ),
    "vjp-missing-weight": Cause(
        "The softmax's derivative is not multiplied by the weights.",
        "What is the derivative where a weight is exactly 0? Work out d alpha_i / d e_j for i = j and for i != j.",
    ),
    "vjp-missing-mean": Cause(
        "The second term of the softmax's derivative is missing, or it is not minus the weighted mean.",
        "Write the sum over i on paper. Two terms are left, and one is the same for the whole row.",
    ),
}
