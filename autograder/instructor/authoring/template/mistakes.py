"""The known mistakes: a part of the reference exchanged, what to say of it, and where to look.

The sentence is true for any inputs. The hint says where to look and what to compare, never the line to write.
"""

from autograder.author.mistakes import mistake

MISTAKES = (
    mistake(
        "not-normalised",
        "The vectors are not normalised.",
        "Double a query. May its scores change?",
        cosine_scores=lambda query, key: query @ key.mT,
    ),
)
