"""The causes that only this assignment has: a sentence and a hint for each."""

from autograder.model import Cause

CAUSES: dict[str, Cause] = {
    "off-by-one": Cause("The count is one too large or one too small.", "Try the smallest case that you can count."),
    "sum-not-mean": Cause(
        "The weights are 1, but they should add up to 1.",
        "What do the weights of a softmax add up to? Compare with yours for three equal scores.",
    ),
    "ones-not-identity": Cause(
        "The matrix is full of ones.",
        "Multiply a matrix of ones by (1, 2). Is the result (1, 2)? Which matrix leaves a vector as it is?",
    ),
    "projection-forgotten": Cause(
        "A projection is not counted.",
        "Which matrices meet a state before there is a score? Count the multiplications of each.",
    ),
    "general-per-position": Cause(
        "The projection of the general score is counted for each position, but it is needed only once.",
        "The query is the same for all positions of one step. How often must it be projected?",
    ),
    "additive-one-projection": Cause(
        "The additive score projects two states for each position, but only one of them is counted there.",
        "Which two matrices has the additive score? How often does the docstring let each of them be used?",
    ),
    "multiply-add-counted-twice": Cause(
        "Additions are counted too, but only multiplications should be.",
        "How many multiplications has a dot product of two vectors of width 3?",
    ),
    "bytes-not-counted": Cause(
        "The result counts numbers, but it should count bytes.",
        "How many bytes has one number of 32 bits? Which argument says so?",
    ),
    "heads-not-counted": Cause(
        "The number of heads or groups is left out.", "Double the heads. Which of your results double?"
    ),
    "layers-not-counted": Cause(
        "All layers share their matrices in your count.", "Each layer has weights of its own. Where do you count them?"
    ),
    "linear-not-quadratic": Cause(
        "The length counts once, but a matrix of weights has as many rows as columns.",
        "How many weights are there if each of 3 positions reads each of 3 positions?",
    ),
    "width-counted": Cause(
        "The width of the states is counted.", "Which shape has a matrix of weights? Is a width in it?"
    ),
    "conditions-swapped": Cause(
        "The condition is the wrong variable.",
        "X is along the rows. Let Y tell everything about X, and not the other way round: which entropy is 0?",
    ),
    "joint-entropy": Cause(
        "This is the entropy of both variables together.",
        "How many bits does Y have alone? Who knows Y needs that many fewer.",
    ),
    "joint-not-subtracted": Cause(
        "The entropies are added up, and what both variables have together is not taken away.",
        "Independent variables share nothing. What does your function give for them?",
    ),
    "information-sign": Cause(
        "The information is negative.", "Can one variable say less than nothing about another? Check the order."
    ),
    "channel-transposed": Cause(
        "The channel is read the wrong way round: its rows belong to Y, its columns to Z.",
        "Which of its axes sums to 1? Which shape should the joint table of X and Z have?",
    ),
    "chain-swapped": Cause(
        "The two results have changed places.", "Which of the two can't be larger? Compare with the docstring's order."
    ),
    "chain-from-y": Cause(
        "The second result is about Y and Z, but it should be about X and Z.",
        "Which joint distribution do you need, and over which variable do you have to sum?",
    ),
    "entropy-not-capacity": Cause(
        "This is the entropy of the noise, which is what gets lost.",
        "A channel that never flips loses nothing. What is its capacity, and what do you get?",
    ),
    "capacity-linear": Cause(
        "The capacity is a straight line in your code.",
        "Compute three points by hand: 0, 0.1 and 0.5. Do they lie on a line?",
    ),
    "rounded-up": Cause(
        "The length is rounded up, or to the nearest number.", "10 bits fit, and a token needs 4. How many tokens fit?"
    ),
    "encoder-path-missing": Cause(
        "The steps through the encoder are missing.",
        "Does the first word have a longer way than the last one? Where does your count say so?",
    ),
    "decoder-path-missing": Cause(
        "The steps through the decoder are missing.",
        "The loss of the last output goes back through all decoder steps. How many are they?",
    ),
    "position-from-the-start": Cause(
        "The position stands where the distance to the end of the source should be.",
        "Which encoder state is nearest to the decoder: the first or the last one?",
    ),
    "decay-times-steps": Cause(
        "The factor is multiplied by the number of steps.",
        "Each step scales what the step before left. What is left of 1 after two steps with 0.5?",
    ),
    "product-in-wrong-order": Cause(
        "The Jacobians are multiplied from the wrong side.",
        "Write the chain rule for three states. Which factor stands on the left: the last or the first step?",
    ),
    "norm-of-factors": Cause(
        "This is a product of norms, but the norm of the product is asked for.",
        "Take two diagonal matrices: (2, 0) and (0, 2). What is their product, and what is yours?",
    ),
    "frobenius-not-spectral": Cause(
        "This is another norm than the largest singular value.",
        "What is the largest singular value of an identity of width 4? Compare with your norm.",
    ),
    "own-numbers-fixed": Cause(
        "The answers are the same for any numbers.",
        "The function gets the numbers as its argument. Which of them does your code read?",
    ),
    "answers-out-of-order": Cause(
        "The answers are right, but some stand in the wrong places.", "Number them as the docstring does."
    ),
}

# A constant shows nothing of the part.
SHARES = {"own-numbers-fixed": 1.0}
