"""The causes that a message can name (contract, section 5): what each means, and a hint that leads to it.

A sentence is true for any inputs, so messages of hidden checks can hold it too. A hint says where to look and what to
compare, and never the line to write.
"""

from __future__ import annotations

import functools

from autograder import assignments
from autograder.assignments import places
from autograder.model import Cause

SHARED: dict[str, Cause] = {
    "softmax-wrong-axis": Cause(
        "The softmax runs along the wrong axis, or along several.",
        "Which axis counts the positions that share the attention? Sum your weights along each axis.",
    ),
    "missing-softmax": Cause(
        "The scores are used as weights without a softmax.",
        "Weights are a distribution: none is negative, and every row sums to 1.",
    ),
    "not-softmax": Cause(
        "The scores are normalised, but not by a softmax.",
        "Compare with the formula. Which function does it apply to each score, what does it divide by, and how often?",
    ),
    "softmax-unstable": Cause(
        "Scores that are large or far apart give wrong weights: they overflow, underflow, or are cut off.",
        "What is exp(10000)? Which number can you subtract from all scores of a row without changing the result? "
        "Nothing needs to be cut off.",
    ),
    "epsilon-too-large": Cause(
        "A number is added to a sum, or inside a logarithm, that is large enough to change the result.",
        "Which sum could be 0 without that number? How large is the number beside the others?",
    ),
    "hard-attention": Cause(
        "The best position gets all the weight, but all positions should share it.",
        "The largest score gets the most weight, not all of it.",
    ),
    "tanh-before-sum": Cause(
        "The tanh is applied to one term or to each term alone, but it belongs around their sum.",
        "Follow one number through the formula of the score. What is inside the tanh?",
    ),
    "sum-wrong-axis": Cause(
        "The weighted sum runs over the wrong axis of the weights.",
        "Each result is a mean of the values by the weights of one query. Which axis of the weights counts the keys?",
    ),
    "contiguous-only": Cause(
        "The code works only for tensors that are contiguous in memory.",
        "A transposed or sliced tensor is not contiguous. Which of your calls needs one that is?",
    ),
    "argument-ignored": Cause(
        "An argument does not change the result as it must.",
        "Compare two calls that differ in one argument only. Which argument changes nothing?",
    ),
    "wrong-exception": Cause(
        "Bad arguments must raise the exception that the docstring names.",
        "Which line decides that the arguments are bad, and what does it raise?",
    ),
    "mask-from-values": Cause(
        "A position that counts is left out as padding, because of its values.",
        "Which line decides that a position does not count? Does the docstring speak of padding?",
    ),
    "missing-scale": Cause(
        "The scores are not scaled.", "For a large width, compare your scores with the formula. What does it divide by?"
    ),
    "wrong-scale": Cause(
        "The scores are multiplied or divided by the wrong number.",
        "Write down what divides your scores, in terms of the input sizes, and compare it with the formula.",
    ),
    "detached-graph": Cause(
        "The values are right, but the autograd graph is cut on the way.",
        "Look for .detach(), .data, .item(), torch.no_grad(), numpy, or a tensor that is rebuilt from numbers.",
    ),
    "modifies-input": Cause(
        "The code changes an input, which belongs to its caller.",
        "Methods that end in _ and assignments like x += y or x[...] = y work in place.",
    ),
    "dtype-hardcoded": Cause(
        "A dtype is fixed, but it should be the inputs' dtype.",
        "Look for .float(), dtype=..., and tensors that are made without the dtype of an input.",
    ),
    "device-hardcoded": Cause(
        "A tensor is made on, or moved to, another device than that of the inputs.",
        "Look at each place that makes or moves a tensor. If the inputs are on another device, where does it go?",
    ),
    "ignores-batch": Cause(
        "The rows or sentences of a batch are mixed, or all get the result of one of them.",
        "Pass the second row or sentence of a batch alone. It must get the same result as in the batch.",
    ),
    "squeeze-drops-dim": Cause(
        "An axis of length 1 is dropped, so one sentence or one word fails where longer inputs work.",
        "Which squeeze() drops an axis that only happens to have length 1? Without an axis, it drops all of them.",
    ),
    "returns-swapped": Cause("The results are in the wrong order.", "Look at the order in the docstring."),
    "position-left-out": Cause(
        "The last position is left out of a sum.",
        "For a sentence of three words, how many terms does your sum have, and how many has the formula?",
    ),
    "mean-not-sum": Cause(
        "The code takes a mean where the formula has a sum.",
        "How many times too small are your numbers? Is that the length of an axis?",
    ),
    "stateful": Cause(
        "A call keeps something that changes the result of another call.",
        "Call it twice with the same inputs and once with others in between. What is kept from call to call?",
    ),
    "random-in-eval": Cause(
        "Equal calls give different results.", "These mechanisms have no dropout and no randomness."
    ),
    "hardcoded-answer": Cause(
        "The result does not depend on the inputs as it should.",
        "Change one input at a time, and see whether the result changes with it.",
    ),
    "silent-broadcast": Cause(
        "Broadcasting combines tensors whose axes do not belong together.",
        "Write the shape beside each line. Axes are matched from the last one. Where is one missing?",
    ),
    "wrong-parameters": Cause(
        "The module's parameters differ from those in the docstring.",
        "Compare names and sizes in __init__ with the docstring. The weight of an nn.Linear has the output width first."
        " Use bias=False where the docstring says so.",
    ),
    "not-implemented": Cause(
        "This part is not written yet, or returns nothing.",
        "Replace `raise NotImplementedError` with your code, and return the result.",
    ),
    "forbidden-call": Cause(
        "The code uses a ready-made function that is not allowed in this exercise.",
        "Write it with the operations that the handout allows.",
    ),
    "too-slow": Cause(
        "It takes far longer than the computation needs.",
        "Which loop runs once for each position or sentence, or may never end?",
    ),
    "too-much-memory": Cause(
        "It needs far more memory than the computation does.",
        "Which tensors are as large as all scores together? Do you need them all at the same time?",
    ),
    "missing-tanh": Cause(
        "The tanh is missing from its place in the formula.", "Compare each line with the formula, from the inside out."
    ),
    "wrong-activation": Cause(
        "Another function is used in place of the tanh, or one where the formula has none.",
        "Compare each line with the formula, from the inside out.",
    ),
    "context-from-projections": Cause(
        "The context is a sum of projected states, but it should be a sum of the states themselves.",
        "What does the context add up? The projections are only for the scores.",
    ),
}
CAUSES: dict[str, Cause] = SHARED | assignments.gathered("causes", "CAUSES", places.own())  # of the package


@functools.cache
def of(assignment: str) -> dict[str, Cause]:
    """Return the causes that an assignment may show. Its own words go before those of other assignments."""
    own: dict[str, Cause] = assignments.declared(assignment, "causes", "CAUSES", {})
    return CAUSES | own
