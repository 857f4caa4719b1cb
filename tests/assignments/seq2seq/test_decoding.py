"""Greedy and beam search, held to an enumeration of all sentences and to small trees drawn by hand."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.seq2seq.decoding import search_one
from reference.seq2seq.functions import beam_is_decided, beam_search, greedy_decode, greedy_margin, seq2seq_forward

V_SRC, V, D, H, A = 6, 4, 3, 4, 5
PAD, BOS, EOS = 0, 1, 2
KINDS = ["bahdanau", "luong"]
WAYS = ["kept", "aside", "replaced", "shrinking", "early"]
SPECIAL = {"pad_id": PAD, "bos_id": BOS, "eos_id": EOS}
quick = settings(max_examples=15, deadline=None)
each_kind = pytest.mark.parametrize("kind", KINDS)


def gru_shapes(inputs, direction=""):
    return {
        f"rnn.weight_ih_l0{direction}": (3 * H, inputs),
        f"rnn.weight_hh_l0{direction}": (3 * H, H),
        f"rnn.bias_ih_l0{direction}": (3 * H,),
        f"rnn.bias_hh_l0{direction}": (3 * H,),
    }


def model_weights(kind, seed=0, scale=1.5):
    encoder = {"embedding.weight": (V_SRC, D), **gru_shapes(D), **gru_shapes(D, "_reverse")}
    encoder |= {"bridge.weight": (H, 2 * H), "bridge.bias": (H,)}
    decoder = {"embedding.weight": (V, D), "out.bias": (V,)}
    if kind == "bahdanau":
        decoder |= {"W_s.weight": (A, H), "W_h.weight": (A, 2 * H), "v.weight": (1, A)}
        decoder |= gru_shapes(D + 2 * H) | {"out.weight": (V, 3 * H)}
    else:
        decoder |= {"W_a.weight": (H, 2 * H), "W_c.weight": (H, 3 * H)}
        decoder |= gru_shapes(D + H) | {"out.weight": (V, H)}
    g = torch.Generator().manual_seed(seed)
    return {
        f"{side}.{name}": scale * torch.randn(shape, dtype=torch.float64, generator=g)
        for side, shapes in (("encoder", encoder), ("decoder", decoder))
        for name, shape in shapes.items()
    }


def source(seed=0, B=3):
    g = torch.Generator().manual_seed(seed)
    return torch.randint(V_SRC, (B, 5), generator=g), torch.randint(1, 6, (B,), generator=g)


def words_of(row):
    """A returned row up to its eos; what follows must be padding."""
    row = row.tolist()
    end = row.index(EOS) + 1 if EOS in row else len(row)
    assert set(row[end:]) <= {PAD}
    return tuple(row[:end])


def log_probabilities(weights, src, lengths, b, words):
    """ln p of the next word after each prefix of words, by teacher forcing: (len(words) + 1, V)."""
    tgt_in = torch.tensor([[BOS, *words]])
    logits, _ = seq2seq_forward(weights, src[b : b + 1], lengths[b : b + 1], tgt_in)
    return logits[0].log_softmax(-1)


def all_sentences(max_len):
    """Every sentence that ends with its only eos or is cut at max_len."""
    others = [w for w in range(V) if w != EOS]
    for n in range(max_len):
        for words in itertools.product(others, repeat=n):
            yield (*words, EOS)
    yield from itertools.product(others, repeat=max_len)


def score(weights, src, lengths, b, words):
    log_p = log_probabilities(weights, src, lengths, b, words[:-1])
    return sum(float(log_p[t, w]) for t, w in enumerate(words))


def greedy_by_hand(weights, src, lengths, b, max_len):
    words, margin = (), math.inf
    while len(words) < max_len and EOS not in words:
        best = log_probabilities(weights, src, lengths, b, words)[-1].sort(descending=True)
        margin = min(margin, float(best.values[0] - best.values[1]))
        words += (int(best.indices[0]),)
    return words, margin


@each_kind
@quick
@given(st.integers(0, 9999), st.integers(1, 7))
def test_greedy_takes_the_best_word_at_every_step(kind, seed, max_len):
    weights, (src, lengths) = model_weights(kind, seed), source(seed)
    expected = [greedy_by_hand(weights, src, lengths, b, max_len) for b in range(3)]
    got = greedy_decode(weights, src, lengths, max_len, **SPECIAL)
    assert got.dtype == torch.int64
    assert got.shape == (3, max(len(words) for words, _ in expected))
    assert [words_of(row) for row in got] == [words for words, _ in expected]
    margin = greedy_margin(weights, src, lengths, max_len, **SPECIAL)
    assert margin == pytest.approx(min(margin for _, margin in expected))


@each_kind
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_len", [1, 3])
def test_a_beam_as_wide_as_the_space_finds_the_best_sentence(kind, seed, max_len):
    weights, (src, lengths) = model_weights(kind, seed), source(seed, B=2)
    got = beam_search(weights, src, lengths, V**max_len, max_len, **SPECIAL)
    expected = [
        max(all_sentences(max_len), key=lambda words, b=b: score(weights, src, lengths, b, words)) for b in range(2)
    ]
    assert [words_of(row) for row in got] == expected
    assert got.shape == (2, max(map(len, expected)))


@each_kind
@quick
@given(st.integers(0, 9999), st.integers(0, 7))
def test_a_beam_of_one_is_greedy(kind, seed, max_len):
    weights, (src, lengths) = model_weights(kind, seed), source(seed)
    expected = greedy_decode(weights, src, lengths, max_len, **SPECIAL)
    assert torch.equal(beam_search(weights, src, lengths, 1, max_len, **SPECIAL), expected)
    assert beam_is_decided(weights, src, lengths, 1, max_len, **SPECIAL, margin=0)


def beam_by_hand(weights, src, lengths, b, K, max_len):
    """The textbook: finished hypotheses stay in the beam, each sentence scored anew."""
    beam = [(0.0, ())]
    for _ in range(max_len):
        pool = []
        for total, words in beam:
            if words and words[-1] == EOS:
                pool.append((total, words))
                continue
            log_p = log_probabilities(weights, src, lengths, b, words)[-1]
            pool += [(total + float(log_p[w]), (*words, w)) for w in range(V)]
        beam = sorted(pool, reverse=True)[:K]
    return beam[0][1]


@each_kind
@quick
@given(st.integers(0, 9999), st.integers(1, 6), st.integers(1, 5))
def test_beam_search_is_the_textbook_one(kind, seed, K, max_len):
    weights, (src, lengths) = model_weights(kind, seed), source(seed)
    got = beam_search(weights, src, lengths, K, max_len, **SPECIAL)
    expected = [beam_by_hand(weights, src, lengths, b, K, max_len) for b in range(3)]
    assert [words_of(row) for row in got] == expected
    assert got.shape == (3, max(map(len, expected)))


@each_kind
def test_sources_do_not_see_each_other_nor_padding(kind):
    for seed in range(20):
        weights, (src, lengths) = model_weights(kind, seed), source(seed)
        got = beam_search(weights, src, lengths, 3, 5, **SPECIAL)
        for b, n in enumerate(lengths.tolist()):
            alone = beam_search(weights, src[b : b + 1, :n], lengths[b : b + 1], 3, 5, **SPECIAL)
            assert words_of(alone[0]) == words_of(got[b])
            assert alone.shape == (1, len(words_of(alone[0])))  # no column of padding alone


def tree(probabilities):
    """A decoder step that looks up the next word's probabilities by the words so far, as digits.

    Where the tree says nothing, no word is likely. The carry holds the words read so far, behind a 9.
    """

    def step(token, carry):
        read = [f"{n}{word}" for n, word in zip(carry[0].tolist(), token.tolist(), strict=True)]
        rows = [probabilities.get(words.removeprefix(f"9{BOS}"), [0.29, 0.24, 0.21, 0.26]) for words in read]
        return torch.tensor(rows, dtype=torch.float64).log(), None, (torch.tensor([int(n) for n in read]),)

    return step


def search(probabilities, finished, K=2, max_len=3, enough=math.inf):
    carry = (torch.full((K,), 9),)
    return search_one(tree(probabilities), carry, K, max_len, BOS, EOS, finished, enough)


@pytest.mark.parametrize("finished", WAYS)
@pytest.mark.parametrize("enough", [1, 2, math.inf])
def test_all_ways_agree_where_the_best_sentence_ends_first(finished, enough):
    best, _ = search({"": [0.1, 0.2, 0.6, 0.05]}, finished, enough=enough)
    assert best == (EOS,)


@pytest.mark.parametrize("finished", WAYS)
def test_only_a_kept_hypothesis_can_be_pushed_out_of_the_beam(finished):
    probabilities = {
        "": [0.1, 0.02, 0.26, 0.62],
        "3": [0.49, 0.01, 0.0, 0.5],  # two of 0.3 push out the 0.26, and come to less
        "33": [0.2, 0.2, 0.0, 0.6],
    }
    best, _ = search(probabilities, finished)
    assert best == ((3, 3, 3) if finished == "kept" else (EOS,))


@pytest.mark.parametrize("finished", WAYS)
def test_only_a_smaller_beam_loses_the_third(finished):
    probabilities = {
        "": [0.37, 0.03, 0.15, 0.45],
        "3": [0.52, 0.0, 0.0, 0.48],
        "0": [0.55, 0.0, 0.0, 0.45],
        "00": [0.0, 0.0, 1.0, 0.0],
    }
    best, _ = search(probabilities, finished, K=3)
    assert best == ((EOS,) if finished == "shrinking" else (0, 0, EOS))


@pytest.mark.parametrize("finished", WAYS)
def test_only_an_early_end_needs_no_place_in_the_beam(finished):
    probabilities = {
        "": [0.4, 0.02, 0.01, 0.57],
        "3": [0.46, 0.0, 0.0, 0.54],  # 0.31 and 0.26 fill the beam
        "0": [0.35, 0.0, 0.62, 0.03],  # 0.25 ends
    }
    best, _ = search(probabilities, finished)
    assert best == ((0, EOS) if finished == "early" else (3, 3, 0))


@pytest.mark.parametrize(("finished", "expected"), [("aside", (3, 3, EOS)), ("replaced", (EOS,))])
def test_a_replacement_can_use_up_what_is_enough(finished, expected):
    probabilities = {
        "": [0.15, 0.05, 0.3, 0.5],  # 0 takes the place of eos
        "0": [0.02, 0.02, 0.95, 0.01],
        "3": [0.006, 0.004, 0.0, 0.99],
        "33": [0.0, 0.0, 0.98, 0.02],
    }
    assert search(probabilities, finished, enough=2)[0] == expected
    assert search(probabilities, finished)[0] == (3, 3, EOS)


def test_enough_stops_the_search():
    probabilities = {"": [0.1, 0.0, 0.3, 0.6], "3": [0.1, 0.1, 0.0, 0.8]}
    assert search(probabilities, "aside", max_len=2)[0] == (3, 3)
    assert search(probabilities, "aside", max_len=2, enough=1)[0] == (EOS,)


def test_the_gap_is_that_of_the_closest_choice():
    first = [0.3, 0.29, 0.01, 0.4]
    _, gap = search({"": first}, "kept", K=2, max_len=1)
    assert gap == pytest.approx(math.log(0.3 / 0.29))
    _, gap = search({"": first}, "kept", K=3, max_len=1)
    assert gap == pytest.approx(math.log(0.4 / 0.3))  # the best against the second, at the end
    _, gap = search({"": [0.3, 0.3, 0.0, 0.4]}, "kept", K=2, max_len=1)
    assert gap == 0


@each_kind
def test_decided_inputs_are_common_and_not_all(kind):
    """What a case builder needs; and a tie, or ways that differ, are refused."""
    decided = []
    for seed in range(25):
        weights, (src, lengths) = model_weights(kind, seed), source(seed)
        decided.append(beam_is_decided(weights, src, lengths, 3, 5, **SPECIAL))
    assert 5 <= sum(decided) < 25
    tied = model_weights(kind)
    tied["decoder.out.weight"] = torch.zeros_like(tied["decoder.out.weight"])
    tied["decoder.out.bias"] = torch.tensor([0.0, 1, 2, 2], dtype=torch.float64)
    assert not beam_is_decided(tied, *source(), 1, 5, **SPECIAL)
    assert greedy_margin(tied, *source(), 5, **SPECIAL) == 0
    assert not beam_is_decided(model_weights(kind), *source(), 3, 5, **SPECIAL, margin=50)
