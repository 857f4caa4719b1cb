"""What makes a search or a score worth asking for: judges of the reference's results (``case``'s is_informative)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from autograder.assignments.seq2seq.models import Ids
from autograder.protocol import Scalar, StepResult, Tensor, wire

Results = dict[str, StepResult]  # by step


def found(result: StepResult) -> np.ndarray:
    """Return the sentences of a search, (batch, words)."""
    assert isinstance(result.value, Tensor)
    return wire.to_numpy(result.value.array)


def word_counts(sentences: np.ndarray, eos: int) -> np.ndarray:
    """Return how many words each sentence has, eos included. Without eos: one more than there are columns."""
    ended = np.pad(sentences == eos, ((0, 0), (0, 1)), constant_values=True)
    return np.asarray(ended.argmax(1) + 1)


def ends_apart(results: Results, ids: Ids, max_len: int = 0) -> bool:
    """Return whether sentences end at different places, none at once, with ``pad`` and ``bos`` inside some.

    With ``max_len``, all must end before it. Otherwise one must never end.
    """
    sentences = found(results["out"])
    counts = word_counts(sentences, ids.eos)
    cut = sentences.shape[1] < counts.max()
    fits = not cut and sentences.shape[1] < max_len if max_len else cut
    inside = sentences[np.arange(sentences.shape[1]) < counts[:, None] - 1]
    return len(set(counts)) > 1 and fits and counts.min() > 1 and {ids.pad, ids.bos} <= set(inside.tolist())


def better(results: Results, of: str, eos: int, count: int = 1) -> bool:
    """Return whether beam search finds ``count`` other sentences than greedy decoding. Some must end, some not."""
    best, first = found(results[of]), found(results["greedy"])
    width = max(best.shape[1], first.shape[1])
    wide = [np.pad(a, ((0, 0), (0, width - a.shape[1])), constant_values=-1) for a in (best, first)]
    differ = (wide[0] != wide[1]) & (np.minimum(*wide) >= 0)
    cut = word_counts(best, eos) > best.shape[1]
    return int(differ.any(1).sum()) >= count and bool(cut.any()) and not cut.all()


def better_without(results: Results, of: str, eos: int, words: Collection[int]) -> bool:
    """Return whether beam search finds other sentences than greedy decoding, and none with these words."""
    return better(results, of, eos) and not np.isin(found(results[of]), list(words)).any()


def says_more_after_eos(results: Results, ids: Ids) -> bool:
    """Return whether sentences end apart, and say more after eos in the model ``endless``, which has another eos."""
    going = [row[1 + row.tolist().index(ids.eos) :] for row in found(results["endless"]) if ids.eos in row]
    return ends_apart(results, ids) and any(len(rest) and rest[0] not in (ids.eos, ids.pad) for rest in going)


def partial_scores(results: Results) -> bool:
    """Return whether no BLEU score is 0 or 100."""
    values = [results[name].value for name in ("out", "first", "second")]
    return all(isinstance(one, Scalar) and 0 < float(one.value or 0) < 100 for one in values)
