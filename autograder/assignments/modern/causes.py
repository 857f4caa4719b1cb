"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "projects-again": Cause(
        "One step projects the encoder states again, and does not use the projections that it is given.",
        "Call step with projections of zeros. Which term of the score should be left?",
    ),
    "block-not-rescaled": Cause(
        "Sums of earlier blocks keep the scale of an earlier maximum.",
        "The second block has a larger score than the first. What must happen to the sums that you have?",
    ),
    "block-sum-not-rescaled": Cause(
        "The weighted values are rescaled when the maximum grows, but the sum of powers is not.",
        "How many running sums do you keep, and which of them have powers in them?",
    ),
    "block-normalised": Cause(
        "Each block has a softmax of its own, and the results are averaged or added.",
        "One key of the first block has nearly all the weight. How much does the second block count in your result?",
    ),
    "last-block-lost": Cause(
        "A last block that is shorter than the others is left out.",
        "Seven keys in blocks of three: which keys does your last turn see?",
    ),
    "maximum-from-zero": Cause(
        "The running maximum starts at 0, so it is wrong where all scores are far below 0.",
        "All scores are -2000. What are your maximum, your powers and your sum?",
    ),
    "radius-off-by-one": Cause(
        "The window is one position too wide or too narrow.",
        "Take a radius of 1 and write down which positions the third one sees.",
    ),
    "radius-as-width": Cause(
        "The radius is used as the width of the whole window.",
        "How many positions does a middle position see with a radius of 2?",
    ),
    "window-padding-attended": Cause(
        "Positions beyond the edge of the sentence take part of the weight.",
        "How many positions does the first one see? Add up the weights of those that exist.",
    ),
    "pair-counted-twice": Cause(
        "A strided position inside the window counts twice.",
        "With equal scores, all visible positions should have equal weights. Which one has more?",
    ),
    "stride-missing": Cause(
        "The strided positions are left out.", "Does the last position see the first one, whatever the radius is?"
    ),
    "window-missing": Cause(
        "The window is left out, so only strided positions are seen.",
        "Does each position see its neighbour, whatever the stride is?",
    ),
    "stride-of-distance": Cause(
        "The stride counts distances, but it should count positions.",
        "With a stride of 3: which positions does everybody see, and does position 4 see position 1?",
    ),
    "stride-from-one": Cause(
        "The strided positions start at another place than 0.",
        "Which is the first position that everybody sees? Compare it with the docstring.",
    ),
    "patterns-averaged": Cause(
        "The result mixes two attentions, each with a softmax of its own.",
        "How many softmaxes does a row of one attention have?",
    ),
    "rotary-neighbours": Cause(
        "Neighbouring columns are turned together, but a pair should have one column of each half.",
        "Take a row of four columns of which only the first is not 0. Which columns of the result are not 0?",
    ),
    "rotary-backwards": Cause(
        "The pairs turn the other way round.", "Turn (1, 0) by a small angle. Which sign has the second number?"
    ),
    "rotary-exponent": Cause(
        "The exponent of the angles is wrong: it lacks a factor, has it twice, or has the wrong sign.",
        "For d = 4 and position 1, compute both angles by hand. Which of them is the smaller one?",
    ),
    "rotary-one-angle": Cause(
        "All pairs turn by one angle.", "How many different angles does one position need for a width of 8?"
    ),
    "rotary-pairs-from-one": Cause(
        "The pairs are counted from 1.", "Which angle has the first pair at position 1? Put its i into the formula."
    ),
    "rotary-base-ignored": Cause(
        "The base of the angles is fixed, but it should be the argument.", "Call it with another base. What changes?"
    ),
    "rotary-positions-ignored": Cause(
        "The rows are turned by their place in the tensor, but it should be by the given positions.",
        "Call it with one row and the position 5. By which angle does it turn?",
    ),
    "rotary-not-joined": Cause(
        "The turned columns come back in another order.", "At position 0 nothing turns. Is your result the input?"
    ),
    "groups-interleaved": Cause(
        "The query heads read the key heads in turn, but neighbouring query heads should share one.",
        "Four query heads and two key heads: write down which key head each of them reads.",
    ),
    "one-group-for-all": Cause(
        "All query heads read the same keys and values.",
        "Change the last key head. Do the outputs of the last query heads change?",
    ),
    "future-visible": Cause(
        "Queries see keys of later positions.", "Change the last key. Which outputs should stay as they are?"
    ),
    "queries-at-the-start": Cause(
        "The mask is aligned to the first key, but the queries are the last positions.",
        "One query and five keys: at which position is the query, and how many keys does it see?",
    ),
    "own-position-hidden": Cause(
        "A position does not see itself.", "Which keys does the very first position see, if there is only one?"
    ),
    "rotary-on-values": Cause(
        "The values are rotated too.", "What are positions for: the scores, or what is added up?"
    ),
    "rotary-missing": Cause(
        "Queries, keys or both are not rotated.",
        "Let two words change places, both before the last one. Does the last output change?",
    ),
    "new-positions-from-zero": Cause(
        "New words start at position 0, whatever is in the cache.",
        "The cache has four words. Which position has the next one?",
    ),
    "cache-rotated-twice": Cause(
        "Keys of the cache are rotated again.", "In which state do keys come in and go out, by the docstring?"
    ),
    "cache-order-reversed": Cause(
        "New words stand before those of the cache.", "Which word of the sentence is at the end of the longer cache?"
    ),
    "cache-without-new": Cause(
        "The returned cache lacks the new words.", "Extend an empty cache by two words. How long is it then?"
    ),
    "cache-only-new": Cause(
        "The returned cache has only the new words.", "Extend a cache of three words by two. How long is it then?"
    ),
    "post-norm": Cause(
        "The norm comes after attention or the layers, but it should come before.",
        "Follow x through your code: is there a way from input to output that passes no norm?",
    ),
    "norm-missing": Cause(
        "A norm is left out.", "Multiply x by 1000. By how much should the input of the attention change?"
    ),
    "norm-shared": Cause(
        "The two norms are mixed up, or one of them is used twice.",
        "Which parameters should get a gradient, and which of yours get none?",
    ),
    "residual-missing": Cause(
        "The result of the attention or of the layers is not added to its input.",
        "Set W_O and W_2 to 0. What should the block return?",
    ),
    "residual-of-norm": Cause(
        "The normed input is added, but it should be the input itself.",
        "Set W_O and W_2 to 0. What should the block return?",
    ),
    "multiply-add-counted-once": Cause(
        "A multiplication and an addition count as one operation, but they should count as two.",
        "How many multiplications has a dot product of two vectors of width 3, and how many additions?",
    ),
    "heads-not-counted": Cause(
        "The number of heads or groups is left out.", "Double the heads. Which of your results double?"
    ),
    "values-not-cached": Cause(
        "The cache holds keys alone, but it should hold keys and values.",
        "What does a new word need from the earlier ones, beside their keys?",
    ),
    "cache-of-all-heads": Cause(
        "The cache has an entry for each query head, but it should have one for each group.",
        "Which shape do the keys have that extend returns?",
    ),
    "bytes-not-counted": Cause(
        "The result counts numbers, but it should count bytes.",
        "How many bytes has one number of 32 bits? Which argument says so?",
    ),
    "window-edges-ignored": Cause(
        "Every position counts with a full window, also at the edges.",
        "With radius 2: how many positions does the first one see?",
    ),
    "overlap-counted-twice": Cause(
        "Pairs that belong to both patterns count twice.",
        "A radius larger than the length sees everything. Is your number the square of the length?",
    ),
}
