"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "values-not-projected": Cause(
        "The inputs themselves are averaged, but the projected values should be.", "What is W_V for?"
    ),
    "projection-reused": Cause(
        "One projection is used twice, and another one not at all.",
        "Which of W_Q, W_K and W_V makes the queries, the keys and the values?",
    ),
    "query-key-swapped": Cause(
        "Queries and keys are swapped.", "Which side asks, and along which axis do the weights sum to 1?"
    ),
    "heads-mixed": Cause(
        "Columns and positions are mixed where the heads are split or joined.",
        "Follow one column of the projection. Which head gets it, and where does it end? A view never swaps two axes.",
    ),
    "missing-output-projection": Cause(
        "The output projection is missing.", "What happens to the heads after they are concatenated?"
    ),
    "projection-transposed": Cause(
        "The output projection is transposed.",
        "Which axis of W_O has one entry for each column of the joined heads, and which one for each output?",
    ),
    "weights-applied-twice": Cause(
        "The weights are applied twice.", "How often does the formula multiply by the weights?"
    ),
    "sin-cos-halves": Cause(
        "Sines fill the first half of the columns and cosines the second, but they must alternate.",
        "Which columns hold the sine and the cosine of the same angle?",
    ),
    "sin-cos-swapped": Cause("Sine and cosine are swapped.", "What is the expected row at position 0?"),
    "wrong-frequency": Cause(
        "The wavelengths of the positions are wrong.",
        "Work out the angles of columns 2 and 3 at position 1. Which number is the exponent, and what is the base?",
    ),
    "temperature-multiplies": Cause(
        "The temperature multiplies the scores.", "A higher temperature makes weights more even."
    ),
    "wrong-log-base": Cause(
        "The entropy is in another unit.",
        "Two equal weights have an entropy of 0.6931 nats, which is 1 bit. Which unit does the docstring ask for?",
    ),
    "weights-softmaxed": Cause(
        "A softmax is taken of the weights, but they are a distribution already.",
        "Each row of the argument sums to 1. What would a softmax change?",
    ),
    "nan-at-zero-weight": Cause(
        "A weight of exactly 0 gives a value or a gradient that is not finite.",
        "What does your code compute for a weight of 0, forward and backward? In an entropy, 0 ln 0 counts as 0.",
    ),
}
