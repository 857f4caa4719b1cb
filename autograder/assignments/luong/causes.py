"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "general-transposed": Cause(
        "W_a is applied to the wrong side, or it is transposed.",
        "Which states fit W_a, by its shape? Try widths that differ.",
    ),
    "concat-order-swapped": Cause(
        "The two parts are concatenated in the wrong order.",
        "Which part comes first in the formula? If you join vectors in several places, compare each one.",
    ),
    "cosine-not-dot": Cause(
        "The vectors are normalised, so the score is a cosine.", "A dot product grows with the lengths of both vectors."
    ),
    "window-off-by-one": Cause(
        "The window is too wide or too narrow, often by one position.",
        "Which positions lie exactly at the edge of the window? Count positions from 0.",
    ),
    "center-rounded": Cause(
        "The center is rounded, or moved into the sentence, but it counts as it is.",
        "Which positions lie in the window of a center of 2.6, and which in that of a center of -1.5?",
    ),
    "no-window": Cause(
        "Positions outside the window get weight.",
        "What weight should a position get when it is further than D from the center?",
    ),
    "wrong-sigma": Cause(
        "The Gaussian has the wrong width.", "Which number is sigma here? Where does its square stand in the formula?"
    ),
    "gaussian-inverted": Cause(
        "The Gaussian grows with the distance from the center, but it should fall.",
        "What is your factor at the center itself, and what is it two positions away?",
    ),
    "distance-not-squared": Cause(
        "The Gaussian is a function of the distance, but it should be one of its square.",
        "Compare the exponent with the formula, for a distance of 2.",
    ),
    "no-gaussian": Cause(
        "The weights in the window are not multiplied by the Gaussian.", "Which factor makes near positions count more?"
    ),
    "renormalised-window": Cause(
        "The weights are normalised after the Gaussian has come in.", "After the factor, must a row still sum to 1?"
    ),
}
