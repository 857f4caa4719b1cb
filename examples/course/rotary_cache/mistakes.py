"""The known mistakes: a part of the reference exchanged, what to say of it, and where to look.

The sentence is true for any inputs. The hint says where to look and what to compare, never the line to write.
"""

import math

import torch

from autograder.author.mistakes import changed, mistake

from .reference import CachedAttention, attend, rotate


def turned(x, angles, first=slice(0, None, 2), second=slice(1, None, 2)):
    """Each pair of columns, turned by its angle."""
    out = torch.empty_like(x)
    out[..., first] = x[..., first] * angles.cos() - x[..., second] * angles.sin()
    out[..., second] = x[..., first] * angles.sin() + x[..., second] * angles.cos()
    return out


def angles_of(x, positions, base=10000.0, factor=-2.0, start=0):
    """The angles, (T, d / 2), with other exponents."""
    pairs = torch.arange(x.shape[-1] // 2, dtype=x.dtype) + start
    return positions.to(x.dtype)[:, None] * base ** (factor * pairs / x.shape[-1])


def halves(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    return turned(x, angles_of(x, positions, base), slice(0, half), slice(half, None))


def pulled_apart(x, positions, base=10000.0):
    right = rotate(x, positions, base)
    return torch.cat([right[..., 0::2], right[..., 1::2]], -1)


def seen(query, key, value, first, scale=None):
    """Attention where query i sees the keys up to first + i."""
    scores = query @ key.mT / (math.sqrt(query.shape[-1]) if scale is None else scale)
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(first)
    return scores.masked_fill(~visible, -math.inf).softmax(-1) @ value


def rest(query, key):
    """How many keys the first query does not stand at."""
    return key.shape[1] - query.shape[1]


def forward_with(query=rotate, key=rotate, value=None, attend=attend, first=0):
    """A forward with other pieces."""

    def forward(self, x):
        positions = torch.arange(x.shape[1]) + first
        values = self.W_V(x) if value is None else value(self.W_V(x), positions)
        return attend(query(self.W_Q(x), positions), key(self.W_K(x), positions), values)

    return forward


def extend_with(
    query=rotate, key=rotate, value=None, start=None, again=False, front=False, only_new=False, old=False, attend=attend
):
    """An extend with other pieces."""

    def extend(self, x, keys, values):
        before = keys.shape[1] if start is None else start(keys)
        positions = torch.arange(x.shape[1]) + before
        new = key(self.W_K(x), positions)
        new_values = self.W_V(x) if value is None else value(self.W_V(x), positions)
        cached = (keys, values)
        if again:
            keys = rotate(keys, torch.arange(keys.shape[1]))
        keys = torch.cat([new, keys] if front else [keys, new], 1)
        values = torch.cat([new_values, values] if front else [values, new_values], 1)
        output = attend(query(self.W_Q(x), positions), keys, values)
        if only_new:
            return output, new, new_values
        return (output, *cached) if old else (output, keys, values)

    return extend


def plain(x, positions):
    return x


def layer(**methods):
    return changed(CachedAttention, **methods)


def everywhere(turn):
    """A wrong rotate, also where the class uses it."""
    return {
        "rotate": turn,
        "CachedAttention": layer(forward=forward_with(query=turn, key=turn), extend=extend_with(query=turn, key=turn)),
    }


def all_see(look):
    """A wrong attend, also where the class uses it."""
    return {
        "attend": look,
        "CachedAttention": layer(forward=forward_with(attend=look), extend=extend_with(attend=look)),
    }


MISTAKES = (
    mistake(
        "halves-as-pairs",
        "Column i is paired with column i + d/2, but pairs are neighbouring columns.",
        "Set all of x to zero but its column 1. Which columns of your result are not zero?",
        **everywhere(halves),
    ),
    mistake(
        "pairs-pulled-apart",
        "The turned pairs are right, but their columns stand in another order.",
        "At position 0 nothing turns. Does your function return x there?",
        **everywhere(pulled_apart),
    ),
    mistake(
        "turned-backwards",
        "The pairs turn the other way round.",
        "Turn the point (1, 0) by a small positive angle. Which sign has its second number, by the formula? And yours?",
        share=0.4,
        **everywhere(lambda x, positions, base=10000.0: turned(x, -angles_of(x, positions, base))),
    ),
    mistake(
        "exponent-without-two",
        "The exponent of the base has no factor of 2.",
        "Which exponent has the last of d/2 pairs, by the formula? And yours?",
        **everywhere(lambda x, positions, base=10000.0: turned(x, angles_of(x, positions, base, factor=-1.0))),
    ),
    mistake(
        "exponent-of-columns",
        "The exponent counts columns in steps of two and doubles them again.",
        "Print your exponents for d = 4. Is the second one -1/2?",
        **everywhere(lambda x, positions, base=10000.0: turned(x, angles_of(x, positions, base, factor=-4.0))),
    ),
    mistake(
        "exponent-positive",
        "The angles grow from pair to pair, but they must shrink.",
        "Which pair turns slowest, by the formula?",
        **everywhere(lambda x, positions, base=10000.0: turned(x, angles_of(x, positions, base, factor=2.0))),
    ),
    mistake(
        "pairs-from-one",
        "The pairs are counted from 1.",
        "By which angle does the first pair turn at position 1?",
        **everywhere(lambda x, positions, base=10000.0: turned(x, angles_of(x, positions, base, start=1))),
    ),
    mistake(
        "base-ignored",
        "The base is always 10000.",
        "Call rotate with two bases. Do the results differ?",
        **everywhere(lambda x, positions, base=10000.0: rotate(x, positions)),
    ),
    mistake(
        "positions-ignored",
        "The rows turn as if they stood at the positions 0, 1, 2 and so on, whatever positions says.",
        "Call rotate on one row, with position 0 and then with position 5. Do the results differ?",
        rotate=lambda x, positions, base=10000.0: rotate(x, torch.arange(x.shape[1]), base),
    ),
    mistake(
        "one-angle-for-all-pairs",
        "All pairs turn by the same angle.",
        "For d = 4, by which two angles does position 1 turn?",
        **everywhere(lambda x, positions, base=10000.0: turned(x, angles_of(x, positions, base, factor=0.0))),
    ),
    mistake(
        "not-causal",
        "Queries see keys that come after them.",
        "Change the last key and value. Which outputs may change?",
        **all_see(lambda query, key, value: seen(query, key, value, key.shape[1])),
    ),
    mistake(
        "aligned-to-the-first-key",
        "Query i sees the keys up to i, as if the queries were the first positions of the sentence.",
        "How many keys does a single query see, if there are five?",
        **all_see(lambda query, key, value: seen(query, key, value, 0)),
    ),
    mistake(
        "own-key-hidden",
        "A query does not see the key at its own position.",
        "What does the only word of a sentence see?",
        **all_see(lambda query, key, value: seen(query, key, value, rest(query, key) - 1)),
    ),
    mistake(
        "one-key-too-many",
        "A query sees one key beyond its own position.",
        "Change only the last key. May the output of the last but one query change?",
        **all_see(lambda query, key, value: seen(query, key, value, rest(query, key) + 1)),
    ),
    mistake("missing-scale", **all_see(lambda query, key, value: seen(query, key, value, rest(query, key), scale=1.0))),
    mistake(
        "scaled-by-width",
        "The scores are divided by d, but the formula divides by its root.",
        "Compare what you divide by with the formula, for d = 4.",
        **all_see(lambda query, key, value: seen(query, key, value, rest(query, key), scale=query.shape[-1])),
    ),
    mistake(
        "values-rotated",
        "The values are rotated too.",
        "Which of query, key and value stand in the scores?",
        CachedAttention=layer(forward=forward_with(value=rotate), extend=extend_with(value=rotate)),
    ),
    mistake(
        "keys-not-rotated",
        "The keys are not rotated.",
        "Shift all positions by 5. Do your scores stay the same?",
        CachedAttention=layer(forward=forward_with(key=plain), extend=extend_with(key=plain)),
    ),
    mistake(
        "queries-not-rotated",
        "The queries are not rotated.",
        "Shift all positions by 5. Do your scores stay the same?",
        CachedAttention=layer(forward=forward_with(query=plain), extend=extend_with(query=plain)),
    ),
    mistake(
        "nothing-rotated",
        "Neither queries nor keys are rotated.",
        "Exchange the first two of three words. Does the output of the third change?",
        CachedAttention=layer(forward=forward_with(query=plain, key=plain), extend=extend_with(query=plain, key=plain)),
    ),
    mistake(
        "new-words-at-zero",
        "The new words are rotated as if they were the first ones.",
        "Compare extend on the last word with the last row of forward. At which position does the word stand in each?",
        CachedAttention=layer(extend=extend_with(start=lambda keys: 0)),
    ),
    mistake(
        "new-words-one-late",
        "The new words are rotated by one position too many.",
        "With an empty cache, at which position does the first word stand?",
        CachedAttention=layer(extend=extend_with(start=lambda keys: keys.shape[1] + 1)),
    ),
    mistake(
        "cache-rotated-again",
        "The cached keys are rotated again.",
        "What does the docstring say of the keys that come in?",
        CachedAttention=layer(extend=extend_with(again=True)),
    ),
    mistake(
        "new-words-in-front",
        "The new keys and values stand in front of the cached ones.",
        "In which order stand the words of the sentence? And the rows of your new cache?",
        CachedAttention=layer(extend=extend_with(front=True)),
    ),
    mistake(
        "only-new-returned",
        "The returned keys and values are those of the new words alone.",
        "What will the next call of extend need?",
        CachedAttention=layer(extend=extend_with(only_new=True)),
    ),
    mistake(
        "cache-does-not-grow",
        "The keys and values come back as they came in, without the new words.",
        "How many keys must come back, for two in the cache and one new word?",
        CachedAttention=layer(extend=extend_with(old=True)),
    ),
)
