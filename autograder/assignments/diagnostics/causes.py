"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "entropy-of-mean-row": Cause(
        "This is the entropy of an averaged row, but it should be the average of the rows' entropies.",
        "Two sharp rows look at two different words. Which entropy has each of them, and which has their mean?",
    ),
    "entropy-summed": Cause(
        "The entropies of the rows are added up, but their mean is asked for.",
        "How does your number change if every sentence stands in the batch twice?",
    ),
    "entropy-sign": Cause("The entropy is negative.", "Is the logarithm of a weight positive or negative?"),
    "padding-counted": Cause(
        "Rows or columns of padding take part in a mean, a sum or a maximum.",
        "Put large numbers into the rows from T on. Which of your results change?",
    ),
    "divides-by-width": Cause(
        "The sum over real rows is divided by the width of the tensor.",
        "A sentence with 2 real rows stands in a tensor of 5 rows. By what do you divide?",
    ),
    "divides-by-zero": Cause(
        "A division by 0 is left where a sentence has one word, or where nothing is linked.",
        "What is ln 1, what is T - 1 for a single row, and which result does the docstring want there?",
    ),
    "maximum-of-columns": Cause(
        "The largest weight of each column is taken, but it should be that of each row.",
        "Which axis of the weights counts the positions that share the attention of one row?",
    ),
    "maximum-of-sentence": Cause(
        "The largest weight of all rows is taken, but the mean of the rows' largest weights is asked for.",
        "One sharp row among many soft ones: how sharp is the sentence?",
    ),
    "coverage-of-rows": Cause(
        "The weights are added up over the source, which gives 1 for every row.",
        "Which index stays if you ask how much one source word received?",
    ),
    "coverage-not-normalised": Cause(
        "The entropy is that of the sums, but these do not add up to 1.",
        "What do all received weights of a sentence add up to? An entropy needs a distribution.",
    ),
    "uniformity-not-relative": Cause(
        "The entropy is not divided by the largest possible one.",
        "Which entropy have S equal weights? The uniformity should be 1 there, for any S.",
    ),
    "uniformity-by-width": Cause(
        "The entropy is divided by the logarithm of the tensor's width. It should be that of the sentence's length.",
        "The same sentence in a wider tensor: does your result stay?",
    ),
    "diagonal-not-stretched": Cause(
        "The diagonal is j = t, whatever the lengths are.",
        "Where does the diagonal end in the last row, if the target has 3 words and the source has 7?",
    ),
    "diagonal-by-width": Cause(
        "The diagonal is that of the tensor, but it should be that of the sentence.",
        "The same sentence with more padding: does the diagonal of its rows stay?",
    ),
    "diagonal-off-by-one": Cause(
        "The diagonal is off by one, or it does not run from the first cell to the last one.",
        "Compute the diagonal for the first and the last real row. Which columns should these be?",
    ),
    "offset-signed": Cause(
        "The distances have signs, so those to the left and to the right cancel.",
        "Half of the weight is one column to the left, half one to the right. How far is that from the diagonal?",
    ),
    "offset-of-mean-position": Cause(
        "This is the distance of the mean position, but it should be the mean of the distances.",
        "Half of the weight is one column to the left, half one to the right. Where is the mean position?",
    ),
    "offset-squared": Cause(
        "The distances are squared.", "A word that is 3 columns away adds 3 times its weight. What does yours add?"
    ),
    "drift-end-to-end": Cause(
        "The drift compares the first row with the last one, but it should be the slope of a line fitted to all rows.",
        "Change the offset of a row in the middle. Does your drift change?",
    ),
    "drift-through-origin": Cause(
        "The line is fitted without a constant.",
        "All rows have the offset 2. Which slope has the line, and which one do you get?",
    ),
    "links-by-threshold": Cause(
        "Weights above a limit are linked, but each real row should be linked at its peak.",
        "How many links has a row with the weights 0.4, 0.3 and 0.3?",
    ),
    "links-of-columns": Cause(
        "The peak of each column is linked, but it should be the peak of each row.",
        "How many links should a target word have, and how many may a source word have?",
    ),
    "links-at-padding": Cause(
        "Rows of padding have links.", "How many links should a sentence with T target words have?"
    ),
    "all-ties-linked": Cause(
        "A row with several largest weights has several links, but only the first one is its peak.",
        "How many links has a row with the weights 0.5 and 0.5?",
    ),
    "aer-mean-of-sentences": Cause(
        "The rate is the mean of the sentences' rates, but links should be counted over the whole batch.",
        "One sentence has 1 link, another 50. Should both count alike?",
    ),
    "aer-sure-only": Cause("Possible links count nowhere.", "What should a link cost that is possible, but not sure?"),
    "aer-possible-in-denominator": Cause(
        "The number of possible links stands where that of the sure ones should be.",
        "Must a good alignment have all possible links, or all sure ones?",
    ),
    "aer-possible-without-sure": Cause(
        "A sure link that is missing among the possible ones counts once, but it should count twice.",
        "What is the rate if the links are the sure ones, and nothing is marked as possible?",
    ),
    "aer-accuracy": Cause("This is one minus the error rate.", "Which rate should links have that are all right?"),
    "spread-not-relative": Cause(
        "The entropy is compared with the limit, but it should first be divided by ln S.",
        "How large is the entropy of a diffuse row of 4 words, and how large that of 40?",
    ),
    "stripes-swapped": Cause(
        "The patterns `many-to-one` and `one-to-many` have changed places.",
        "Many target words look at one source word: which of the two rules sees that?",
    ),
    "rules-out-of-order": Cause(
        "A later rule is tried before an earlier one.",
        "Which rules hold for a sentence for which several do? The first one of the table decides.",
    ),
    "backward-steps-missed": Cause(
        "Other steps are counted than those that go backwards.",
        "The peaks are 0, 1, 5, 6. How many steps go backwards? And with 0, 3, 2, 4?",
    ),
    "sharp-is-a-failure": Cause(
        "Large weights alone count as over-concentrated.",
        "A perfect word-by-word translation has weights of 1. What makes sharp weights a failure?",
    ),
    "drift-is-an-offset": Cause(
        "The offset decides, but it should be its slope.",
        "All rows look two words too far to the right. Does the distance grow?",
    ),
    "cosine-without-norm": Cause(
        "These are dot products, not cosines.", "What is the similarity of a row to itself, whatever its length?"
    ),
    "cosine-one-norm": Cause(
        "Only one of the two vectors is divided by its length.",
        "A cosine is symmetric. Compare entry (i, j) of your result with entry (j, i).",
    ),
    "geometry-of-weights": Cause(
        "These are similarities of rows of W, but they should be those of the results W x.",
        "Which width have the rows whose similarities you take: T or d?",
    ),
    "gain-with-diagonal": Cause(
        "Pairs of a position with itself count.",
        "How alike is a position to itself, before and after? How much does it weigh in your mean?",
    ),
    "gain-unweighted": Cause(
        "All pairs count alike, but they should be weighted by W.",
        "Do two positions that hardly read each other count as much as two that do?",
    ),
    "gain-reversed": Cause("The gain is before minus after.", "Positions become more alike. Which sign has the gain?"),
    "nan-at-zero-row": Cause(
        "A row of zeros gives NaN, in the similarities or in a gradient.",
        "What do you divide by for a row of zeros? And what is the derivative of a square root at 0?",
    ),
    "paths-swapped": Cause(
        "The direct and the indirect path have changed places.", "Which path is left if the weights are constants?"
    ),
    "path-not-centered": Cause(
        "The mean of g . h under the weights is not subtracted.",
        "All states are equal. Can other weights change the context? What is your indirect path then?",
    ),
    "indirect-along-states": Cause(
        "The indirect path points in the wrong direction.",
        "A score is q . h. What is its derivative with respect to h?",
    ),
    "path-mean-not-sum": Cause(
        "The path is a mean over target positions, but it should be a sum.",
        "Two target positions read the same state. Do their gradients add up?",
    ),
    "direct-unweighted": Cause(
        "The direct path is not scaled by the weights.",
        "How much of its gradient does a context pass on to a state that it hardly reads?",
    ),
    "indirect-unweighted": Cause(
        "The indirect path is not scaled by the weights.",
        "Write down the derivative of a softmax weight with respect to its own score.",
    ),
    "recurrence-transposed": Cause(
        "The gradient is multiplied by W where its transpose should be.",
        "Forward, h is multiplied by W. Follow one number of h backwards: along a row of W, or along a column?",
    ),
    "tanh-of-earlier-state": Cause(
        "The derivative of the tanh is taken at the wrong state.",
        "The step from h_t to h_{t+1} ends with a tanh. Which of the two is its result?",
    ),
    "tanh-derivative-missing": Cause(
        "The derivative of the tanh is left out.", "What passes through a tanh whose result is almost 1?"
    ),
    "outside-gradient-lost": Cause(
        "Only the gradient of the last state counts.",
        "Every state may reach the loss on its own. Where do these gradients come in?",
    ),
    "norm-squared": Cause("These are squares of norms.", "What is the norm of (3, 4)?"),
    "nan-at-zero-norm": Cause(
        "The norm is right, but its gradient is NaN where the total is 0.",
        "What is the derivative of a square root at 0?",
    ),
    "distance-not-halved": Cause(
        "The distance is twice as large as it should be.", "How far apart are two answers that have nothing in common?"
    ),
    "distance-of-logits": Cause(
        "The distance compares logits, but it should compare probabilities.",
        "Can your distance be larger than 1? Add a constant to all logits: does an answer change?",
    ),
    "states-permuted": Cause(
        "Weights and states change places together, so nothing changes.",
        "Which state should the largest weight meet after the permutation?",
    ),
    "permutation-inverted": Cause(
        "The inverse of each permutation is used.",
        "Take the permutation (1, 2, 0). Which of the old weights comes first?",
    ),
    "mean-not-median": Cause(
        "The mean over permutations is taken, but the median is asked for.",
        "Make one distance very large. Does your result move?",
    ),
    "ablation-not-renormalised": Cause(
        "The other weights stay as they are, but they should be divided by their sum.",
        "What do the weights add up to without one position?",
    ),
    "ablation-keeps-only": Cause(
        "Only the position itself is kept, but it should be left out.",
        "What should the effect of a position with weight 0 be?",
    ),
    "nan-at-full-weight": Cause(
        "The result is NaN where one position has all the weight.",
        "What is the sum of the other weights there? The docstring says which weights come out.",
    ),
    "pearson-not-kendall": Cause(
        "This is a correlation of the numbers, but only their order should count.",
        "Square the numbers of one row. Does your result change?",
    ),
    "spearman-not-kendall": Cause(
        "This is a correlation of the ranks, but pairs should be counted.",
        "Of three positions, two change places. How many of the three pairs still agree?",
    ),
    "pairs-counted-twice": Cause("Each pair counts twice.", "What is the agreement of a row with itself?"),
    "ties-divided-out": Cause(
        "Pairs with a tie are left out of the number of pairs, but they count as 0 among all of them.",
        "Two of three positions are equal in one row. By how many pairs do you divide?",
    ),
}

# A function that ignores everything, and returns 0, makes this mistake too: nothing of the part is shown to be right.
SHARES = {"states-permuted": 1.0}
