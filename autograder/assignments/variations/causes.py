"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "coverage-includes-now": Cause(
        "What was seen contains the current row, but it should contain only the rows before it.",
        "What has row 0 seen? Compare your first row with the docstring.",
    ),
    "coverage-only-last": Cause(
        "What was seen is the row before, but it should be the sum of all rows before.",
        "A word had the weight 0.5 two rows ago. Does the current row still know?",
    ),
    "coverage-added": Cause(
        "What was seen raises the scores, but it should lower them.",
        "Take equal scores. Does row 1 avoid the word that row 0 liked, or look for it?",
    ),
    "coverage-of-scores": Cause(
        "Scores are summed up, but weights should be.", "What do the entries of one row of a coverage add up to?"
    ),
    "coverage-after-softmax": Cause(
        "The penalty is taken from the weights, but it should be taken from the scores.",
        "Does each of your rows sum to 1? Which step should come last?",
    ),
    "maximum-not-minimum": Cause(
        "The larger one of weight and coverage counts, but the smaller one should.",
        "A row looks only at words that no row has seen. How large should its loss be?",
    ),
    "loss-summed": Cause(
        "The loss is a sum over rows, but their mean is asked for.",
        "How does your loss change if every sentence stands in the batch twice?",
    ),
    "copy-not-summed": Cause(
        "If a word occurs several times in the source, only one of its weights counts.",
        "A source word has the weights 0.2 and 0.3. With which probability is it copied?",
    ),
    "gate-reversed": Cause(
        "The gate weighs copying, but p_gen should weigh the vocabulary.",
        "With p_gen = 1, which of the two distributions should be left?",
    ),
    "gate-missing-context": Cause(
        "The context does not enter p_gen.", "Change one input at a time. Which one does not move p_gen?"
    ),
    "gate-missing-state": Cause(
        "The decoder state does not enter p_gen.", "Change one input at a time. Which one does not move p_gen?"
    ),
    "gate-missing-input": Cause(
        "The embedding does not enter p_gen.", "Change one input at a time. Which one does not move p_gen?"
    ),
    "gate-not-sigmoid": Cause(
        "The gate is not a sigmoid of the sum.",
        "What is p_gen if all three inputs and the bias are 0? And what if the sum is very large?",
    ),
    "outside-words-lost": Cause(
        "Source words that the vocabulary lacks get no probability.",
        "The id V stands in the source with the weight 0.4. Which column of the result should grow?",
    ),
    "copy-by-position": Cause(
        "Weights are added at the positions of the source, but they should be added at its ids.",
        "The first source word has the id 5. Which column should get its weight?",
    ),
    "query-not-updated": Cause(
        "Every hop asks with the first query.",
        "Which vector asks in the second hop? Do the rows of your weights differ?",
    ),
    "memory-updated": Cause(
        "The memory changes between the hops, but it should stay as it is.",
        "Which of the two changes from hop to hop: what asks, or what is asked?",
    ),
    "hop-adds-query": Cause(
        "The query is added to what a hop finds.", "A memory has one row. What should every hop return?"
    ),
    "one-hop-more": Cause("There is one hop too many.", "Count the weighted sums that your code computes for one hop."),
    "one-hop-less": Cause("There is one hop too few.", "Count the weighted sums that your code computes for two hops."),
    "maximum-over-context": Cause(
        "The largest score of each question word is taken, but it should be that of each context word.",
        "Which axis is left after the maximum? The weights of h~ belong to the words of the context.",
    ),
    "mean-not-maximum": Cause(
        "The mean score of a context word is taken, but the largest one is asked for.",
        "A context word fits one question word very well and the others badly. How much should it count?",
    ),
    "product-missing": Cause(
        "A product of two vectors is left out, or something else stands in its place.",
        "Which three vectors enter a score, and which four pieces does a row of the result have?",
    ),
    "directions-swapped": Cause(
        "The results of the two directions have changed places.",
        "One of the two vectors differs from context word to context word. Where does it stand in the row?",
    ),
    "padding-not-zero": Cause(
        "Padding holds other numbers than 0 in the result.",
        "Which positions are real? What does your last step write at the others?",
    ),
    "places-scrambled": Cause(
        "A reshape mixes channels and places.",
        "Number the entries of a small map. Does a row of your matrix hold the channels of one place?",
    ),
    "softmax-over-rows": Cause(
        "Each row or column of the image has a softmax of its own, but the image should have one.",
        "What do all weights of one image sum to?",
    ),
    "height-width-swapped": Cause(
        "Rows and columns of the image have changed places in the weights.",
        "A map has 2 rows and 3 columns, and its last place has the largest score. Where is your largest weight?",
    ),
    "frames-dropped": Cause(
        "Some frames are dropped: every second one, or an odd last one.",
        "Change one frame at a time. Is there a real frame that changes nothing?",
    ),
    "frames-averaged": Cause(
        "Two frames are averaged or added, but they should stand side by side.",
        "How many columns does the first GRU read? Can you swap two neighbouring frames without a change?",
    ),
    "halves-paired": Cause(
        "Frames that are far apart become one, but neighbours should.",
        "Number the frames of a sentence. Which two stand in the first row of your pairs?",
    ),
    "lengths-rounded-down": Cause(
        "Odd lengths are rounded down, but they should be rounded up.",
        "A sentence of three frames: how many pairs does it need?",
    ),
    "factor-missing": Cause(
        "The factor is not used.", "Call it with the factors 0 and 1. Does the loss of the task come out with 0?"
    ),
    "factor-on-task": Cause(
        "The factor multiplies the loss of the task.", "With a factor of 0, which of the two losses should be left?"
    ),
    "absolute-not-square": Cause(
        "Absolute differences are summed up, but their squares should be.",
        "A weight is 0.5 away from its gold weight. How much does it add to the sum?",
    ),
    "monotonic-excludes-peak": Cause(
        "The peak itself is hidden from the next row.",
        "The peak is the last position. Which positions can the next row see?",
    ),
    "monotonic-reversed": Cause(
        "Positions after the peak are hidden, but those before it should be.",
        "A listener does not go back. On which side of the peak does the next row look?",
    ),
    "monotonic-by-row": Cause(
        "The border of a row is its own number, but it should be the peak of the row before.",
        "Row 0 has its peak at position 3. Which positions does row 1 see?",
    ),
    "monotonic-not-renormalised": Cause(
        "Weights before the border are set to 0 after the softmax.",
        "What do the weights of row 1 sum to? Which scores does its softmax see?",
    ),
    "monotonic-largest-ever": Cause(
        "The border comes from the raw scores, but it should come from the weights of the row before.",
        "A row has its largest score before its border. Where is its peak?",
    ),
    "prior-not-stretched": Cause(
        "The prior is centred at t, whatever the lengths are.",
        "A target of 3 words has a source of 9. Around which position is the prior of the last row?",
    ),
    "prior-by-width": Cause(
        "The diagonal is that of the tensor, but it should be that of the sentence.",
        "The same sentence in a wider tensor: do its weights stay?",
    ),
    "prior-multiplied": Cause(
        "The scores are multiplied by the prior, but it should be added.",
        "All scores of a row are 0. Does your prior still change its weights?",
    ),
    "prior-as-logarithm": Cause(
        "The exponent of the Gaussian is added, but the Gaussian itself should be.",
        "How much can a prior add to a score at most, and how little at least?",
    ),
    "dot-not-cosine": Cause(
        "The vectors, or one of them, are not divided by their lengths.",
        "Double the key, then one row of the memory. Should a weight change?",
    ),
    "strength-missing": Cause(
        "The strength is not used.", "What should the weights be with a strength of 0, and what with a very large one?"
    ),
    "strength-divides": Cause(
        "The strength divides the similarity, but it should multiply it.",
        "Does a larger strength make your weights sharper or flatter?",
    ),
    "erase-after-add": Cause(
        "What was added is erased too.", "A row has the weight 1, and erase is 1 everywhere. What should the row hold?"
    ),
    "erase-missing": Cause("Nothing is erased.", "With add = 0, should the memory change at all?"),
    "add-missing": Cause("Nothing is added.", "With erase = 0, should the memory change at all?"),
    "write-unweighted": Cause(
        "Every row is erased or written in full, whatever its weight is.", "A row has the weight 0. Should it change?"
    ),
    "heads-of-states-only": Cause(
        "The keys are not cut into heads as the queries are.",
        "Which columns of W_a h does head 1 see, and which should it see?",
    ),
    "heads-averaged": Cause(
        "The heads are averaged or added, but they should stand side by side.",
        "How wide is what one head returns, and how wide is the input of W_o?",
    ),
    "softmax-over-all": Cause(
        "The softmax runs over all keys, and is cut afterwards.", "What do the k weights of one query sum to?"
    ),
    "keys-as-values": Cause(
        "The keys are averaged, but the values should be.",
        "What does a query compare itself with, and what does it get?",
    ),
    "smallest-not-largest": Cause(
        "The k worst keys are kept, but the k best should be.",
        "Take a query that equals one of the keys. Is this key among your k?",
    ),
    "indices-not-sorted": Cause(
        "The places of the keys come in another order than from the largest score on.",
        "Which key should stand at the first place of a row of indices?",
    ),
}
