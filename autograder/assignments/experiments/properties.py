"""What curves and measured times must show (see the contract page of this assignment), as assertions."""

from __future__ import annotations

from autograder.assignments.kit.assertions import Assertions, expect

FIXED, ATTENTION = 0, 1  # the rows
CHANCE = 1 / 10  # of a symbol, for a vocabulary of 13
NOT_BELOW = "the row of WithAttention is not below that of FixedContext"
CHEAPER = "the dot product takes no longer than the additive score"


def weighed(terms: list[list[float]], least: float, says: str, cause: str = "") -> Assertions:
    """Assert that a weighted sum of entries, each (factor, row, column), is at least ``least``."""
    return expect("weighed", terms=terms, least=least, says=says, cause=cause)


SWAPPED = weighed([[1, ATTENTION, 4], [-1, FIXED, 4]], -0.1, NOT_BELOW, "rows-swapped")
SHARES = (*expect("shapes"), *expect("within", low=0.0, high=1.0, says="every accuracy is a number from 0 to 1"))
LEARNS = (
    *SHARES,
    *expect("dtypes"),
    *SWAPPED,
    *weighed([[1, FIXED, 0]], 0.5, "the fixed context copies the shortest rows: accuracy at least 0.5", "not-trained"),
    *weighed([[1, ATTENTION, 0]], 0.5, "attention copies the shortest rows: accuracy at least 0.5", "not-trained"),
)
FALLS = (
    *SHARES,
    *SWAPPED,
    *weighed([[1, FIXED, 0], [-1, FIXED, 4]], 0.3, "the fixed context is at least 0.3 worse at length 80 than at 5"),
    *weighed([[-1, FIXED, 4]], -(CHANCE + 0.15), "the fixed context is near chance at length 80"),
    *expect("descends", row=FIXED, slack=0.05, says="the accuracy of the fixed context does not rise with the length"),
)
HOLDS = (
    *SHARES,
    *SWAPPED,
    *weighed([[1, ATTENTION, 4]], 0.7, "attention copies length 80 with an accuracy of at least 0.7"),
    *weighed([[-1, ATTENTION, 0], [1, ATTENTION, 4]], -0.2, "attention loses at most 0.2 from length 5 to length 80"),
    *weighed(
        [[1, ATTENTION, 4], [-1, FIXED, 4], [-1, ATTENTION, 0], [1, FIXED, 0]],
        0.2,
        "the gap between the rows is at least 0.2 wider at length 80 than at 5",
    ),
)
UNSEEN = (
    *SHARES,
    *weighed([[1, ATTENTION, 2]], 0.7, "attention copies length 20, which it saw, with an accuracy of at least 0.7"),
    *weighed([[1, ATTENTION, 2], [-1, ATTENTION, 3]], 0.05, "length 40, which it never saw, is at least 0.05 harder"),
)
MADE_UP = "curve-not-of-this-run"
OF_THE_RUN = (
    *(one for step in ("out", "other", "again") for one in expect("shapes", step)),
    *expect("agrees", other="again", says="the same seed gives the same curves", cause="seed-ignored"),
    *expect("differs", other="other", says="another seed gives other curves", cause=MADE_UP),
)

MEAN = [[1 / 3, ATTENTION, 0], [1 / 3, ATTENTION, 1], [1 / 3, ATTENTION, 2]]
MINUS_MEAN = [[-1 / 3, FIXED, 0], [-1 / 3, FIXED, 1], [-1 / 3, FIXED, 2]]
TRANSLATES = (
    *expect("shapes"),
    *expect("dtypes"),
    *expect("within", low=0.0, high=100.0, says="every BLEU is a number from 0 to 100"),
    *weighed([*MEAN, *MINUS_MEAN], -3.0, NOT_BELOW, "rows-swapped"),
    *weighed(MEAN, 5.0, "training gives WithAttention a BLEU of at least 5", "not-trained"),
    *weighed([*MEAN, *MINUS_MEAN], 3.0, "attention adds at least 3 BLEU"),
    *weighed(
        [[1, ATTENTION, 2], [-1, FIXED, 2], [-1, ATTENTION, 0], [1, FIXED, 0]],
        -5.0,
        "attention helps long sentences as much as short ones, up to 5 BLEU",
    ),
)

# By a real clock. The room is wide: a busy machine must not cost points.
POSITIVE = expect("within", low=1e-9, high=60.0, says="every time is a number of seconds above 0")
MEASURES = (
    *expect("shapes"),
    *expect("dtypes"),
    *POSITIVE,
    *weighed([[1, 0, 4], [-0.5, 1, 4]], 0.0, CHEAPER, "rows-swapped"),
    *(weighed([[1, row, 4], [-0.7, row, 0]], 0.0, "1000 positions take longer than 10")[0] for row in (0, 1)),
)
# By a clock on which a first pass takes 10 s or more, and one with gradients 1e5 s.
GRADIENTS = expect(
    "within",
    "out",
    "three",
    "fifteen",
    low=1e-9,
    high=9e4,
    says="no gradients are recorded",
    cause="times-with-gradients",
)
WARM = expect("within", "out", low=1e-9, high=9.0, says="the first pass is not timed", cause="first-pass-timed")
MEDIAN = expect(
    "agrees",
    "three",
    other="fifteen",
    factor=3.0,
    says="the figure is the median of the passes",
    cause="total-not-median",
)
