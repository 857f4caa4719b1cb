"""The causes that a message can name (contract, section 5): what each means, and a hint that leads to it.

A sentence holds for any inputs, so that it can be told of hidden checks too; a hint says where to look and what to
compare, and never the line to write.
"""

from __future__ import annotations

from typing import NamedTuple


class Cause(NamedTuple):
    """One cause: a sentence that says what is wrong, and a hint."""

    sentence: str
    hint: str


CAUSES: dict[str, Cause] = {
    # ---- any assignment
    "softmax-wrong-axis": Cause(
        "The softmax runs along the wrong axis.",
        "Which axis counts the positions among which attention is divided? Sum your weights along each axis.",
    ),
    "missing-softmax": Cause(
        "The scores are used as weights without a softmax.",
        "Weights are a distribution: nothing negative, and every row adds up to 1.",
    ),
    "not-softmax": Cause(
        "The scores are normalised, but not by a softmax.",
        "Compare with the formula: which function is applied to each score before dividing by the sum?",
    ),
    "softmax-unstable": Cause(
        "The softmax leaves the range of the numbers where scores are large, or far from each other.",
        "What is exp(10000)? And which number may be taken from all scores of a row without changing the result?",
    ),
    "hard-attention": Cause(
        "All weight goes to the best position, where it should be divided among all of them.",
        "The largest score gets the most weight, not all of it.",
    ),
    "missing-scale": Cause(
        "The scores are not scaled.",
        "Compare the formula of the scores with yours for a large width: by what are they divided?",
    ),
    "wrong-scale": Cause(
        "The scores are multiplied or divided by something else than they should be.",
        "Write down by what your scores are divided, in the sizes of the inputs, and compare it with the formula.",
    ),
    "detached-graph": Cause(
        "The values are right, but the graph of autograd is cut on the way.",
        "Look for .detach(), .data, .item(), torch.no_grad(), numpy, or a tensor built anew from numbers.",
    ),
    "modifies-input": Cause(
        "The code changes a tensor that belongs to its caller.",
        "Methods that end in _ and assignments like x += y or x[...] = y work in place.",
    ),
    "dtype-hardcoded": Cause(
        "A dtype is fixed, where it should be that of the inputs.",
        "Look for .float(), dtype=..., and tensors that are made without the dtype of an input.",
    ),
    "device-hardcoded": Cause(
        "A device is fixed, or left to the default, where it should be that of the inputs.",
        "Look at each place that makes a tensor: on which device is it when the inputs are on another?",
    ),
    "ignores-batch": Cause(
        "The sentences of a batch are mixed, or all are given what belongs to one of them.",
        "Give the second sentence of a batch alone: it must get what it got in company.",
    ),
    "squeeze-drops-dim": Cause(
        "An axis of length 1 is dropped: what works for longer ones fails for one sentence or one word.",
        "squeeze() without an axis drops every axis of length 1; which one did you mean?",
    ),
    "returns-swapped": Cause("The results come in the wrong order.", "Look at the order in the docstring."),
    "mean-not-sum": Cause(
        "A mean is taken where a sum is due.",
        "By how much are your numbers too small? Is that the length of an axis?",
    ),
    "stateful": Cause(
        "A call leaves something behind that changes what another call returns.",
        "Call it twice with the same inputs, and once with others in between. What is kept from call to call?",
    ),
    "random-in-eval": Cause(
        "Equal calls give different results.", "There is no dropout and no randomness in these mechanisms."
    ),
    "hardcoded-answer": Cause(
        "The result does not depend on the inputs as it must.",
        "Change one input at a time, and see whether the result follows.",
    ),
    "silent-broadcast": Cause(
        "Tensors whose axes do not belong together are combined by broadcasting.",
        "Write the shape beside each line. Axes are matched from the last one; where is one missing?",
    ),
    "wrong-parameters": Cause(
        "The module's parameters are not those of the docstring.",
        "Compare names and sizes in __init__ with the docstring; use bias=False where it says so.",
    ),
    "not-implemented": Cause(
        "This part is not written yet, or returns nothing.",
        "Replace the `raise NotImplementedError` by your code, and return the result.",
    ),
    "forbidden-call": Cause(
        "Something ready-made is used that this exercise asks you to do without.",
        "Write it from the operations that the handout allows.",
    ),
    "too-slow": Cause(
        "It takes far longer than the computation needs.",
        "Which loop runs once for each position or sentence, or may never end?",
    ),
    "missing-tanh": Cause("The tanh is missing.", "Compare each line with the formula, from the inside out."),
    "wrong-activation": Cause(
        "Another function stands where a tanh is due.",
        "Compare each line with the formula, from the inside out.",
    ),
    "context-from-projections": Cause(
        "The context is made of projected states, where the states themselves are due.",
        "Of what is the context the weighted sum? The projections serve the scores only.",
    ),
    # ---- bahdanau
    "missing-decoder-term": Cause(
        "The decoder state does not enter the scores.",
        "The score has two terms inside the tanh. Are both there?",
    ),
    "missing-encoder-term": Cause(
        "The encoder states do not enter the scores.",
        "The score has two terms inside the tanh. Are both there?",
    ),
    "vjp-diagonal-only": Cause(
        "Only the diagonal of the softmax's Jacobian is used.",
        "Each weight depends on every score, not only on its own. What is d alpha_i / d e_j for i != j?",
    ),
    "vjp-missing-mean": Cause(
        "The second term of the softmax's derivative is missing or is not the weighted mean.",
        "Write the sum over i on paper: two terms are left, and one is the same for the whole row.",
    ),
    # ---- luong
    "general-transposed": Cause(
        "W_a is applied to the wrong side, or transposed.",
        "Which states does W_a take in, by its shape? Try with widths that differ.",
    ),
    "concat-order-swapped": Cause(
        "The two parts are concatenated in the wrong order.", "Which part does the formula name first?"
    ),
    "cosine-not-dot": Cause(
        "The vectors are normalised, so that the score is a cosine.",
        "A dot product grows with the lengths of both.",
    ),
    "window-off-by-one": Cause(
        "The window is too wide or too narrow by one, or positions are counted from another start.",
        "Which positions j satisfy |j - center| <= D for center = 3, D = 1, counting from 0?",
    ),
    "no-window": Cause(
        "Positions outside the window get weight.",
        "What is due at a distance of more than D from the center?",
    ),
    "wrong-sigma": Cause(
        "The Gaussian has another width.", "sigma is half of D; and where does its square stand?"
    ),
    "no-gaussian": Cause(
        "The weights in the window are not multiplied by the Gaussian.",
        "Which factor makes near positions count more?",
    ),
    "renormalised-window": Cause(
        "The weights are normalised again after the Gaussian.", "After the factor, must a row still sum to 1?"
    ),
    # ---- self-attention
    "values-not-projected": Cause(
        "The inputs themselves are averaged, where projected values are due.", "What is W_V for?"
    ),
    "query-key-swapped": Cause(
        "Queries and keys have changed places.",
        "Which side asks, and along which axis are the weights divided?",
    ),
    "heads-mixed": Cause(
        "The heads are not split, or not put together again, as columns of the projections.",
        "Follow one column of the projection: to which head does it go, and where is it afterwards? view and transpose "
        "are not the same.",
    ),
    "missing-output-projection": Cause(
        "The output projection is missing.", "What happens to the heads after they have been concatenated?"
    ),
    "sin-cos-swapped": Cause("Sine and cosine have changed places.", "What is due at position 0?"),
    "wrong-frequency": Cause(
        "The wavelengths of the positions are wrong.",
        "Work out the angle of column 2 at position 1 by hand. Which number is the exponent, and of what?",
    ),
    "temperature-multiplies": Cause(
        "The temperature multiplies the scores.", "A higher temperature makes weights more even."
    ),
    "wrong-log-base": Cause(
        "The entropy is in another unit.", "The entropy of two equal weights is 0.6931 nats."
    ),
    "nan-at-zero-weight": Cause(
        "A weight of exactly 0 gives a number that is not finite, in the value or in the gradient.",
        "0 ln 0 counts as 0; what does your code compute there, forward and backward?",
    ),
    # ---- masking
    "mask-inverted": Cause(
        "The mask is read the wrong way round.", "True means: may be attended to, is a real token."
    ),
    "mask-after-softmax": Cause(
        "The mask is applied after the softmax, so that a row no longer sums to 1.",
        "Masked positions must not count when the softmax divides.",
    ),
    "mask-multiplies-scores": Cause(
        "The scores are multiplied by the mask, which makes masked ones 0.",
        "What weight does a score of 0 get?",
    ),
    "mask-leaks": Cause(
        "Masked positions still get weight: what stands in for their scores is not low enough.",
        "Scores of -10000 are legal. Is what you fill in below every one of them?",
    ),
    "mask-wrong-axis": Cause(
        "The mask is laid along the wrong axis.",
        "Which axis of the mask counts the keys, and which the queries?",
    ),
    "causal-excludes-self": Cause(
        "A position does not see itself.", "Is j = i among the positions that i sees?"
    ),
    "causal-reversed": Cause(
        "Positions see what comes after them instead of what came before.",
        "Row i, column j: may i see j when j > i?",
    ),
    "padding-off-by-one": Cause(
        "The mask is too long or too short by one.", "A sentence of length 2 has the positions 0 and 1."
    ),
    "nan-on-masked-row": Cause(
        "A row in which nothing may be attended to gives NaN.", "Such a row has no softmax; it gets zeros."
    ),
    "uniform-on-masked-row": Cause(
        "A row in which nothing may be attended to still gets weights.",
        "Such a row gets zeros, in the result too.",
    ),
    "nan-in-gradient": Cause(
        "The values are right, but a gradient is not finite.",
        "What is put aside by a where still takes part in the backward pass, and 0 times infinity is NaN.",
    ),
    "loss-counts-padding": Cause(
        "Padding counts in the loss.", "Over how many tokens is the mean taken, and which ones are added up?"
    ),
    "loss-mean-of-means": Cause(
        "The mean of the sentences' means is taken, where all tokens count alike.",
        "Does a token of a short sentence weigh as much as one of a long sentence?",
    ),
    # ---- seq2seq
    "query-after-step": Cause(
        "The decoder attends with its new state, where the state before the step is due.",
        "Bahdanau: which state is there before the GRU has run?",
    ),
    "query-before-step": Cause(
        "The decoder attends with its old state, where the state after the step is due.",
        "Luong: the GRU runs first. Which state asks?",
    ),
    "padding-changes-state": Cause(
        "What stands at padding changes the encoder's states.",
        "The backward GRU starts at the end of the row. What does it read first in a short sentence?",
    ),
    "mask-not-used": Cause(
        "Masked positions are treated like all others.", "Where do the mask or the lengths enter the weights?"
    ),
    "wrong-final-state": Cause(
        "The decoder's first state is made from the wrong states, or otherwise than it must be.",
        "Where is the last real state of each direction, and in which order do they go through the bridge?",
    ),
    "teacher-forcing-shifted": Cause(
        "A step reads another word than the target gives it.", "Which column of tgt_in does step t read?"
    ),
    "no-input-feeding": Cause(
        "The previous attentional state is not fed to the next step.",
        "What goes into the GRU beside the word?",
    ),
    "context-missing-from-output": Cause(
        "The context does not enter the output layer.",
        "From what are the logits computed, by the size of the layer?",
    ),
    "state-not-carried": Cause(
        "A step does not start from the state that the last one left.", "What is handed from step to step?"
    ),
    "eos-not-final": Cause(
        "Words follow the end of a sentence.",
        "What is written for a sentence that has ended while others go on?",
    ),
    "missing-zero-grad": Cause(
        "Gradients of earlier steps are still there.", "What does backward() do with a gradient that exists?"
    ),
    "missing-clip": Cause("The gradients are not clipped.", "What stands between backward() and the step?"),
    "clip-by-value": Cause(
        "Each gradient is cut by itself, where the norm of all together is due.",
        "Clipping keeps the direction.",
    ),
    "greedy-not-beam": Cause(
        "The search keeps only the best word of each step.", "How many hypotheses live on after a step?"
    ),
    "bleu-no-brevity-penalty": Cause(
        "Short candidates are not penalised.", "What is due when the candidate is shorter than the reference?"
    ),
    "bleu-no-clipping": Cause(
        "An n-gram counts more often than the reference has it.", "What is the score of `the the the the`?"
    ),
}
