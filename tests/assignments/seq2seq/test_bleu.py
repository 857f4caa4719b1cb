"""BLEU, held to sacrebleu."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.seq2seq.functions import corpus_bleu

sentence = st.lists(st.sampled_from("abc"), max_size=9)
corpus = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=4)
long = st.lists(st.sampled_from("abc"), min_size=4, max_size=9)


@pytest.fixture(scope="module")
def sacrebleu():
    return pytest.importorskip("sacrebleu", reason="sacrebleu gives an independent BLEU")


@settings(max_examples=150, deadline=None)
@given(pairs=corpus)
def test_bleu_is_that_of_sacrebleu(sacrebleu, pairs):
    candidates, references = map(list, zip(*pairs, strict=True))
    expected = sacrebleu.corpus_bleu(
        [" ".join(c) for c in candidates],
        [[" ".join(r) for r in references]],
        smooth_method="none",
        tokenize="none",
        force=True,
    )
    assert corpus_bleu(candidates, references) == pytest.approx(expected.score, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.lists(long, min_size=1, max_size=4))
def test_bleu_of_a_corpus_with_itself_is_100(sentences):
    assert corpus_bleu(sentences, sentences) == pytest.approx(100.0)


def test_bleu_by_hand():
    candidate, reference = list("abcdx"), list("abcdef")
    precisions = 4 / 5 * 3 / 4 * 2 / 3 * 1 / 2
    expected = 100 * math.exp(1 - 6 / 5) * precisions**0.25
    assert corpus_bleu([candidate], [reference]) == pytest.approx(expected)


def test_a_word_counts_at_most_as_often_as_in_its_reference():
    precisions = 4 / 8 * 3 / 7 * 2 / 6 * 1 / 5
    assert corpus_bleu([["a"] * 8], [["a"] * 4]) == pytest.approx(100 * precisions**0.25)


@pytest.mark.parametrize(
    ("candidates", "references"),
    [([], []), ([[]], [[]]), ([[]], [list("abcd")]), ([list("abc")], [list("abc")]), ([list("abcd")], [[]])],
)
def test_bleu_is_zero_without_matches_or_ngrams(candidates, references):
    assert corpus_bleu(candidates, references) == 0.0


def test_tokens_are_any_hashables():
    tokens = [7, "a", None, (1, 2), 2.5]
    assert corpus_bleu([tokens], [tokens]) == pytest.approx(100.0)
    assert corpus_bleu([tuple(tokens)], [tokens]) == pytest.approx(100.0)
