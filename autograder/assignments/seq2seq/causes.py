"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "query-after-step": Cause(
        "The decoder attends with its new state, but it should use the state before the step.",
        "Bahdanau: which state exists before the GRU runs?",
    ),
    "query-before-step": Cause(
        "The decoder attends with its old state, but it should use the state after the step.",
        "Luong: the GRU runs first. Which state is the query?",
    ),
    "padding-changes-state": Cause(
        "Padding changes the encoder's states.",
        "The backward GRU starts at the end of the row. What does it read first in a short sentence?",
    ),
    "mask-not-used": Cause(
        "Masked positions are treated like all others.", "Where do the mask or the lengths enter the weights?"
    ),
    "wrong-final-state": Cause(
        "The decoder's first state is made from the wrong states, or in the wrong way.",
        "Where is the last real state of each direction, and in which order do both enter the bridge?",
    ),
    "teacher-forcing-shifted": Cause(
        "A step reads the wrong word of the target, or is compared with the wrong one.",
        "Which column of tgt_in does step t read, and with which one of tgt_out is it compared?",
    ),
    "teacher-forcing-not-used": Cause(
        "Steps read the words that the model says, but with teacher forcing they read those of the target.",
        "What is tgt_in for?",
    ),
    "no-input-feeding": Cause(
        "The next step does not get the previous attentional state.", "What enters the GRU beside the word?"
    ),
    "context-missing-from-output": Cause(
        "The context does not enter the output layer.",
        "Look at the size of the output layer. What are the logits computed from?",
    ),
    "context-missing-from-input": Cause(
        "The context does not enter the GRU.", "What does the GRU read beside the word at each step?"
    ),
    "output-from-old-state": Cause(
        "The output layer reads the state before the step, but it should read the one after it.",
        "In which order do the GRU and the output layer run, and which state lies between them?",
    ),
    "state-not-carried": Cause(
        "The state is not carried on: a step starts from an old state, or returns the one that it was given.",
        "What does each step pass on to the next?",
    ),
    "first-state-not-used": Cause(
        "The decoder starts from zeros, but it should start from the encoder's first state.",
        "What does the encoder return beside its states, and where does it go?",
    ),
    "first-fed-not-zero": Cause(
        "The first step is fed something other than zeros.", "Which attentional state is there before the first step?"
    ),
    "eos-not-final": Cause(
        "Words follow the end of a sentence.", "What does an ended sentence get while others go on?"
    ),
    "missing-zero-grad": Cause(
        "Gradients of earlier steps are still there.", "What does backward() do with a gradient that exists?"
    ),
    "no-update": Cause(
        "The step changes no parameter.",
        "In which order do zero_grad, backward and step come? What does step use, and is it still there?",
    ),
    "missing-clip": Cause(
        "The gradients are not clipped when the optimizer takes its step.",
        "What happens between backward() and the optimizer's step?",
    ),
    "clip-always": Cause(
        "Gradients are scaled to the limit where their norm is below it, too.",
        "What does clipping do to gradients whose norm is small enough?",
    ),
    "clip-by-value": Cause(
        "Each number or each tensor is clipped on its own, but the norm of all gradients together should be.",
        "Clipping keeps the direction of all gradients together.",
    ),
    "greedy-not-beam": Cause(
        "The search keeps only the best word of each step.", "How many hypotheses remain after a step?"
    ),
    "beam-last-word-only": Cause(
        "The search compares hypotheses by their last word alone, but all their words should count.",
        "What is the score of a hypothesis of two words?",
    ),
    "beam-words-mixed": Cause(
        "Kept hypotheses hold the words of others.",
        "After a step, from which hypothesis does each kept one come, and what else must come from there?",
    ),
    "finished-first": Cause(
        "A finished hypothesis wins over a better one that has not ended.",
        "Which hypotheses may win when max_len is reached?",
    ),
    "search-ends-early": Cause(
        "The search ends when some hypothesis has ended, though better ones may still be open.",
        "When can no open hypothesis overtake the best finished one?",
    ),
    "probabilities-added": Cause(
        "The search adds probabilities, but it should add their logarithms.",
        "What is the probability of two words in a row, and which function turns that into a sum?",
    ),
    "length-normalised": Cause(
        "The search compares totals divided by a length, but it should compare the totals.",
        "Which number decides between two finished hypotheses of different lengths?",
    ),
    "mask-from-pad-id": Cause(
        "Padding is recognised by an id, but any id may stand there.",
        "Which argument says how long each sentence is? Try padding with the id of a real word.",
    ),
    "bleu-smoothed": Cause(
        "The counts are smoothed, so an order without a match still counts.",
        "What is the score when no 4-gram matches?",
    ),
    "bleu-mean-of-sentences": Cause(
        "The score is the mean of the sentences' scores, but counts and lengths must be summed over the corpus first.",
        "Where are the counts of all sentences added: before or after the division?",
    ),
    "bleu-arithmetic-mean": Cause(
        "The precisions are averaged, but their logarithms should be.",
        "Which mean does the formula take of the four precisions, and what is it if one of them is 0?",
    ),
    "bleu-wrong-orders": Cause(
        "Other n-grams are counted than those of one to four words.",
        "For which n does the formula add up logarithms, and what is one token?",
    ),
    "bleu-no-brevity-penalty": Cause(
        "Short candidates are not penalised.",
        "By what is the score multiplied when the candidate is shorter than the reference?",
    ),
    "bleu-no-clipping": Cause(
        "An n-gram counts more often than it occurs in the reference.", "What is the score of `the the the the`?"
    ),
}
