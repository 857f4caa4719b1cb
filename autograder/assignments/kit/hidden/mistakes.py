"""Known mistakes as the authors of a course write them: a part of the reference exchanged, with its words beside it.

MISTAKES = (
    mistake("not-normalised", "The vectors are not normalised.", "What is the length of each vector?",
            cosine_scores=lambda query, key: query @ key.mT),
    mistake("missing-scale", how="scores", scores=lambda q, k: q @ k.mT),  # a cause that attngrade knows
)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from autograder.assignments.kit.hidden.variant import Variant


class Mistake(NamedTuple):
    """A known mistake with its words. They are empty for a cause that has them already.

    ``share`` is the most that it costs, as a share of its part's points; None: a half.
    """

    variant: Variant
    sentence: str = ""
    hint: str = ""
    share: float | None = None


def mistake(
    cause: str, sentence: str = "", hint: str = "", /, *, how: str = "", share: float | None = None, **names: Any
) -> Mistake:
    """Return a known mistake. ``names``: the wrong functions and classes, by the names of the right ones.

    ``how`` tells several spellings of one cause apart. Raises ValueError without a name, or for half of the words.
    """
    if not names:
        raise ValueError(f"the mistake {cause!r} exchanges nothing; name a function or class: name=wrong_function")
    if bool(sentence) != bool(hint):
        raise ValueError(f"the mistake {cause!r} needs a sentence and a hint, or neither")
    return Mistake(Variant(cause, how, names), sentence, hint, share)


def changed(right: type, **methods: Any) -> type:
    """Return a class like ``right``, with some methods exchanged."""
    return type(right.__name__, (right,), methods)
