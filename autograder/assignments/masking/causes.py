"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "mask-inverted": Cause(
        "The mask is read the wrong way round.",
        "True means that a position may be attended to, or that a token is real.",
    ),
    "mask-after-softmax": Cause(
        "The mask is applied after the softmax, so rows no longer sum to 1.",
        "Masked positions must not count when the softmax divides.",
    ),
    "mask-multiplies-scores": Cause(
        "The scores are multiplied by the mask, so masked scores become 0.", "What weight does a score of 0 get?"
    ),
    "mask-leaks": Cause(
        "Masked positions still get weight: the number that replaces their scores is not low enough.",
        "Scores of -10000 are legal, and masked ones may be far greater. Is the number below all others then?",
    ),
    "mask-wrong-axis": Cause(
        "The mask is applied along the wrong axis.",
        "Write the shape of the mask under the shape of the weights, aligned at the last axis. Does each axis meet its"
        " own: sentences, heads, queries, keys?",
    ),
    "strided-relative": Cause(
        "The stride counts from the position itself, but it should count from 0.",
        "Which columns does row 1 see for a stride of 3? Compare them with those of row 0.",
    ),
    "strided-excludes-self": Cause(
        "A position between two strides does not see itself.", "Which columns does row 1 see for a stride of 3?"
    ),
    "window-one-sided": Cause(
        "The window has one side only: of the positions on the other side, all are seen or none.",
        "For a radius of 1, which columns does row 0 see, and which the last row? Is j - i ever below -1?",
    ),
    "causal-excludes-self": Cause("A position does not see itself.", "Is j = i among the positions that i sees?"),
    "causal-reversed": Cause(
        "Positions see later positions instead of earlier ones.", "Row i, column j: may i see j when j > i?"
    ),
    "padding-off-by-one": Cause(
        "The mask is too long or too short by one.", "A sentence of length 2 has the positions 0 and 1."
    ),
    "nan-on-masked-row": Cause("A fully masked row gives NaN.", "A fully masked row has no softmax. It gets zeros."),
    "uniform-on-masked-row": Cause(
        "A fully masked row still gets weights.", "A fully masked row gets zeros, in the result too."
    ),
    "nan-in-gradient": Cause(
        "The values are right, but a gradient is not finite.",
        "The backward pass also goes through what `where` or `nan_to_num` replaces, and 0 times infinity is NaN.",
    ),
    "loss-counts-padding": Cause(
        "Padding counts in the loss.", "Which tokens does your mean add up, and by how many does it divide?"
    ),
    "loss-mean-of-means": Cause(
        "The loss is the mean of the sentences' means, but every token should count the same.",
        "Does a token of a short sentence weigh as much as one of a long sentence?",
    ),
    "keys-averaged": Cause(
        "The output is a mean of the keys, but it should be one of the values.",
        "Keys decide where to look. What is taken from there?",
    ),
    "softmax-twice": Cause(
        "The loss takes a softmax of a softmax.", "Cross-entropy takes logits. What does it do with them first?"
    ),
    "targets-smoothed": Cause(
        "The targets are smoothed: wrong words count too.", "With which probability does the formula count each word?"
    ),
}
