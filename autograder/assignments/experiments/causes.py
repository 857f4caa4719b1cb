"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "symbols-include-specials": Cause(
        "The symbols include the ids of PAD, BOS or EOS.", "Which ids do PAD, BOS and EOS have?"
    ),
    "last-symbol-missing": Cause(
        "The last symbol, vocab_size - 1, never occurs.", "Does your draw include its upper end?"
    ),
    "target-not-shifted": Cause(
        "The decoder's input is not one place behind what it must say.", "What does the decoder read in its first step?"
    ),
    "eos-missing": Cause("The target does not end with EOS.", "What must a model say after the last symbol?"),
    "seed-ignored": Cause(
        "The seed does not decide the result.", "Call it twice with one seed, and with two seeds. What changes?"
    ),
    "global-random-state": Cause(
        "The global random state is used or changed.",
        "Look at torch.get_rng_state() before and after the call. Which object can have a seed of its own?",
    ),
    "accuracy-by-sentence": Cause(
        "A row counts only as a whole, but each position should count.", "What does a row with one wrong symbol get?"
    ),
    "counts-eos": Cause("Columns after the source's last position count.", "How many positions does the source have?"),
    "cut-to-shorter": Cause(
        "Positions that the prediction lacks do not count as wrong.",
        "What is the accuracy of one right symbol for a source of ten?",
    ),
    "mean-of-batches": Cause(
        "The accuracy is a mean of other means, or of counts that are weighted wrongly.", "By what do you divide?"
    ),
    "order-ignored": Cause(
        "The pairs do not come in the given order.", "Which pairs are in the first batch? Which should be?"
    ),
    "last-batch-dropped": Cause(
        "The last batch is left out when it is smaller.", "How many losses do five pairs in batches of two give?"
    ),
    "loss-after-step": Cause(
        "The loss is that after the step, but it should be that before it.", "When do you compute the loss you return?"
    ),
    "decodes-with-targets": Cause(
        "The models read the right words while they are tested.",
        "What does a decoder read in step 5 when nobody knows the target?",
    ),
    "tests-on-training-data": Cause(
        "The models are tested on what they were trained on.", "Have the models seen a row of the test before?"
    ),
    "curve-not-of-this-run": Cause(
        "The curves do not come from models that this call trains.", "Which numbers change with the seed, and why?"
    ),
    "rows-swapped": Cause("The two rows are in the wrong order.", "Look at the docstring. What is row 0?"),
    "not-trained": Cause(
        "A model does hardly better than one that was never trained.",
        "Print the losses. Do they fall? Do the trained and the tested model have the same weights?",
    ),
    "bucket-end-excluded": Cause(
        "A bucket leaves out one of its ends.", "Which bucket holds a sentence of exactly 7 words?"
    ),
    "bucket-by-target-length": Cause(
        "The buckets go by another length than the source's.", "Which argument holds the lengths of the sources?"
    ),
    "test-words-in-vocabulary": Cause(
        "Words that only the test has are in the vocabulary.", "From which pairs do you collect the words?"
    ),
    "first-pass-timed": Cause(
        "The first pass counts, which is slower than the others.",
        "What does the first call do that later ones need not?",
    ),
    "times-with-gradients": Cause(
        "The timed passes record gradients.", "Does a result of your timed call have requires_grad?"
    ),
    "total-not-median": Cause(
        "The figure is not the median of the passes.", "What happens to your figure when you double `repeats`?"
    ),
    "columns-not-rows": Cause(
        "The projection is split by columns, but its rows belong together.",
        "What does nn.Linear do with the rows of its weight?",
    ),
    "projections-reordered": Cause(
        "The three projections are in another order.", "In which order does the docstring of torch stack them?"
    ),
    "head-mask-on-weights": Cause(
        "The mask of heads changes the weights, but it should only change the results.",
        "Which of your two results should a head mask leave alone?",
    ),
    "head-mask-after-output": Cause(
        "The mask of heads is applied after W_O.", "Where do the heads still stand side by side?"
    ),
    "ablation-inverted": Cause(
        "All heads but one are switched off, but only that one should be.", "Print the mask for the first head."
    ),
    "drop-has-wrong-sign": Cause(
        "The difference is taken the other way round.", "Is your number positive when a useful head is missing?"
    ),
    "head-stays-masked": Cause(
        "A head that was switched off stays off for the next ones.", "Print the mask for the last head."
    ),
    "rows-renormalised": Cause(
        "The rows of the map are normalised again.", "What is the sum of a row of your map? Where did the rest go?"
    ),
    "layers-only": Cause(
        "The map is not the mean over all layers and all heads.",
        "How many maps does each sentence have before the mean?",
    ),
    "padding-kept": Cause("The map is not 0 at padding.", "Which rows and columns belong to no word of the sentence?"),
}
