"""Measures, links, rules, gradients and tests of answers, held to SciPy, scikit-learn, plain loops and autograd."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics.pairwise import cosine_similarity
from torch.testing import assert_close

from reference.diagnostics import effects, functions

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
quick = settings(max_examples=25, deadline=None)


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def batch(seed, B=3, rows=7, columns=6):
    """Weights of random lengths with numbers in rows of padding; both lengths; and the real weights alone."""
    draw = torch.Generator().manual_seed(seed)
    source = torch.randint(1, columns + 1, (B,), generator=draw)
    target = torch.randint(1, rows + 1, (B,), generator=draw)
    weights = 50 * randn(B, rows, columns, seed=seed).abs()
    real = []
    for b, (S, T) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        real.append((2 * randn(T, S, seed=seed + b)).softmax(-1))
        weights[b, :T] = 0
        weights[b, :T, :S] = real[-1]
    return weights, source, target, [one.numpy() for one in real]


def entropies(rows):
    return stats.entropy(rows, axis=-1)


@quick
@given(seeds, sizes, sizes)
def test_entropy_is_that_of_scipy(seed, rows, columns):
    weights = randn(rows, columns, seed=seed).softmax(-1)
    weights[:, ::2] = 0
    weights[:, 0] += 1 - weights.sum(-1)
    np.testing.assert_allclose(functions.row_entropy(weights), entropies(weights.numpy()), atol=1e-12)


def test_a_weight_of_zero_has_a_finite_gradient():
    weights = torch.tensor([0.0, 0.5, 0.5, 0.0], dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(functions.row_entropy(weights), weights)
    assert_close(grad, torch.tensor([0, math.log(2) - 1, math.log(2) - 1, 0], dtype=torch.float64))


@quick
@given(seeds, sizes, sizes, sizes)
def test_the_curve_is_one_softmax_for_each_temperature(seed, B, T_t, T_s):
    scores, temperatures = 3 * randn(B, T_t, T_s, seed=seed), torch.tensor([0.1, 1.0, 7.0], dtype=torch.float64)
    weights, means = functions.temperature_curve(scores, temperatures)
    for k, temperature in enumerate(temperatures):
        assert_close(weights[k], (scores / temperature).softmax(-1))
        assert means[k] == pytest.approx(entropies(weights[k].numpy()).mean())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_curve_of_extreme_scores(dtype):
    scores = torch.tensor([[[1e4, -1e4, 9990.0], [-1e4, -1e4, -1e4]]], dtype=dtype)
    weights, means = functions.temperature_curve(scores, torch.tensor([0.01, 100.0], dtype=dtype))
    assert weights[0, 0, 0].tolist() == [1, 0, 0]
    assert_close(weights[1, 0, 0, 0], torch.tensor(1 / (1 + math.exp(-0.1)), dtype=dtype), rtol=1e-4, atol=0)
    assert_close(means[0], torch.tensor(math.log(3) / 2, dtype=dtype))


@quick
@given(seeds)
def test_measures_are_those_of_each_sentence_alone(seed):
    weights, source, target, real = batch(seed)
    entropy, maximum = functions.sharpness(weights, target)
    received, uniformity = functions.coverage(weights, source, target)
    for b, rows in enumerate(real):
        T, S = rows.shape
        assert entropy[b] == pytest.approx(entropies(rows).mean())
        assert maximum[b] == pytest.approx(rows.max(-1).mean())
        np.testing.assert_allclose(received[b, :S], rows.sum(0))
        assert (received[b, S:] == 0).all()
        assert uniformity[b] == pytest.approx(stats.entropy(rows.sum(0) / T) / math.log(S) if S > 1 else 1)


@quick
@given(seeds)
def test_the_drift_is_the_slope_of_linregress(seed):
    weights, source, target, real = batch(seed)
    offset, drift = functions.diagonal_offset(weights, source, target)
    for b, rows in enumerate(real):
        T, S = rows.shape
        line = np.linspace(0, S - 1, T) if T > 1 else [0.0]
        o = [sum(w * abs(j - d) for j, w in enumerate(row)) for d, row in zip(line, rows, strict=True)]
        assert offset[b] == pytest.approx(np.mean(o), abs=1e-9)
        assert drift[b] == pytest.approx(stats.linregress(range(T), o).slope if T > 1 else 0, abs=1e-9)


@quick
@given(seeds)
def test_links_are_the_first_peaks(seed):
    weights, source, target, real = batch(seed)
    weights[0, 0, : source[0]] = 1 / int(source[0])  # a tie
    links = functions.alignment_links(weights, source, target)
    assert links.dtype == torch.bool
    expected = {(0, 0, 0)} | {(b, t, int(row.argmax())) for b, rows in enumerate(real) for t, row in enumerate(rows)}
    expected -= {(0, 0, int(real[0][0].argmax()))} - {(0, 0, 0)}
    assert set(map(tuple, links.nonzero().tolist())) == expected


def error_rate_of_lines(sure, possible, found):
    """The alignment error rate as awesome-align computes it (tools/aer.py): from lines of ``i-j`` and ``ipj``.

    A possible link is written with a p, and sure ones are possible. The four sums run over all sentences.
    """
    links, sures, in_sure, in_possible = 0, 0, 0, 0
    for line, hypothesis in zip(zip(sure, possible, strict=True), found, strict=True):
        s = set(line[0])
        p = set(line[1]) | s
        a = set(hypothesis)
        links, sures = links + len(a), sures + len(s)
        in_sure, in_possible = in_sure + len(a & s), in_possible + len(a & p)
    return 1 - (in_sure + in_possible) / (links + sures)


@quick
@given(seeds, sizes, sizes, sizes)
def test_the_error_rate_is_that_of_awesome_align(seed, B, rows, columns):
    links, sure, possible = (randn(B, rows, columns, seed=seed + n) > 0.3 for n in range(3))
    links[0, 0, 0] = True

    def cells(mask):
        return [[tuple(cell) for cell in one.nonzero().tolist()] for one in mask]

    rate = functions.alignment_error_rate(links, sure, possible)
    assert isinstance(rate, float)
    assert rate == pytest.approx(error_rate_of_lines(cells(sure), cells(possible), cells(links)))


def test_the_error_rate_in_corners():
    none, some = torch.zeros(1, 2, 2, dtype=torch.bool), torch.eye(2, dtype=torch.bool).unsqueeze(0)
    assert functions.alignment_error_rate(none, none, none) == 0.0
    assert functions.alignment_error_rate(none, none, some) == 0.0
    assert functions.alignment_error_rate(some, some, none) == 0.0
    assert functions.alignment_error_rate(some, none, some) == 0.0
    assert functions.alignment_error_rate(some, none, none) == 1.0
    assert functions.alignment_error_rate(none, some, some) == 1.0


def pattern_of(rows):
    T, S = rows.shape
    at = rows.argmax(-1)
    if S > 1 and entropies(rows).mean() / math.log(S) > 0.9:
        return 4
    if rows.max(-1).mean() < 0.5:
        return 3
    if len(set(at.tolist())) <= min(T, S) / 2:
        return 2
    return int(T > 1 and sum(np.diff(at) < 0) / (T - 1) > 0.1)


def failure_of(rows, drift):
    T, S = rows.shape
    if S > 1 and entropies(rows).mean() / math.log(S) > 0.9:
        return 1
    same = max(np.bincount(rows.argmax(-1)))
    if T > 1 and S > 1 and rows.max(-1).mean() > 0.9 and same > T / 2:
        return 2
    return 3 if drift > 0.2 else 0


def kinds(seed):
    """Sentences of many kinds: random ones at several temperatures, and sharp ones with few or ordered peaks."""
    draw = np.random.default_rng(seed)
    found = []
    for scale in (0.1, 1.0, 3.0, 20.0):
        found.append((scale * randn(8, 7, seed=seed)).softmax(-1).numpy())
        at = draw.choice([0, 3, 6] if draw.random() < 0.5 else np.arange(7), size=9)
        for peaks in (at, np.sort(at), at[:1].repeat(9), np.arange(9) // 3):
            scores = 0.3 * draw.normal(size=(9, 7)) + scale * np.eye(7)[peaks]
            found.append(np.exp(scores) / np.exp(scores).sum(-1, keepdims=True))
    return found


@quick
@given(seeds)
def test_classifiers_follow_the_rules_in_their_order(seed):
    real = [*kinds(seed), *batch(seed)[3]]
    weights = torch.full((len(real), 10, 8), 3.0, dtype=torch.float64)
    source, target = torch.tensor([one.shape[1] for one in real]), torch.tensor([one.shape[0] for one in real])
    for b, rows in enumerate(real):
        weights[b, : rows.shape[0]] = 0
        weights[b, : rows.shape[0], : rows.shape[1]] = torch.tensor(rows)
    drift = functions.diagonal_offset(weights, source, target)[1].tolist()
    patterns = functions.classify_pattern(weights, source, target)
    failures = functions.diagnose_failure(weights, source, target)
    assert patterns.dtype == failures.dtype == torch.int64
    assert patterns.tolist() == [pattern_of(rows) for rows in real]
    assert failures.tolist() == [failure_of(*one) for one in zip(real, drift, strict=True)]


def test_the_random_sentences_have_every_class():
    real = [rows for seed in range(5) for rows in kinds(seed)]
    assert {pattern_of(rows) for rows in real} == {0, 1, 2, 3, 4}
    weights = [torch.tensor(rows).unsqueeze(0) for rows in real]
    lengths = [(torch.tensor([one.shape[2]]), torch.tensor([one.shape[1]])) for one in weights]
    found = {int(functions.diagnose_failure(one, *both)) for one, both in zip(weights, lengths, strict=True)}
    assert found == {0, 1, 2, 3}


@quick
@given(seeds, sizes, sizes)
def test_similarities_are_those_of_scikit_learn(seed, T, d):
    x = randn(2, T, d, seed=seed)
    x[0, 0] = 0
    before, after, gain = effects.attention_geometry(x, 1.5)
    for b, rows in enumerate(x):
        weights = (rows @ rows.T / 1.5).softmax(-1)
        np.testing.assert_allclose(before[b], cosine_similarity(rows), atol=1e-9)
        np.testing.assert_allclose(after[b], cosine_similarity(weights @ rows), atol=1e-9)
        others = weights.numpy() * (1 - np.eye(T))
        wanted = (others * (after[b] - before[b]).numpy()).sum() / others.sum() if T > 1 else 0
        assert gain[b] == pytest.approx(wanted, abs=1e-9)


@quick
@given(seeds, sizes, sizes, sizes)
def test_both_paths_are_those_of_autograd(seed, T_t, T_s, d):
    q, h, g = randn(2, T_t, d, seed=seed), randn(2, T_s, d, seed=seed + 1), randn(2, T_t, d, seed=seed + 2)
    values, keys = h.clone().requires_grad_(), h.clone().requires_grad_()
    contexts = (q @ keys.mT).softmax(-1) @ values
    expected = torch.autograd.grad(contexts, (values, keys), g)
    for path, wanted in zip(effects.gradient_paths(q, h, g), expected, strict=True):
        assert_close(path, wanted)


@quick
@given(seeds, sizes, sizes)
def test_norms_are_those_of_autograd(seed, T, d):
    W, inputs, g = randn(d, d, seed=seed), randn(2, T, d, seed=seed + 1), randn(2, T, d, seed=seed + 2)
    states, before = [], torch.zeros(2, d, dtype=torch.float64, requires_grad=True)
    for t in range(T):
        before = torch.tanh(before @ W.T + inputs[:, t])
        states.append(before)
    whole = torch.stack(states, 1)
    grads = torch.autograd.grad((whole * g).sum(), states)
    assert_close(effects.gradient_norms(whole.detach(), W, g), torch.stack(grads, 1).norm(dim=-1))


def test_a_total_of_zero_has_a_finite_gradient():
    states, W = randn(1, 3, 2).tanh().requires_grad_(), randn(2, 2, seed=1).requires_grad_()
    grads = torch.zeros(1, 3, 2, dtype=torch.float64, requires_grad=True)
    norms = effects.gradient_norms(states, W, grads)
    assert (norms == 0).all()
    assert all(torch.isfinite(one).all() for one in torch.autograd.grad(norms.sum(), (states, W, grads)))


def answers(seed, B=3, T=5, d=4, C=3):
    weights = randn(B, T, seed=seed).softmax(-1)
    return weights, randn(B, T, d, seed=seed + 1), randn(C, d, seed=seed + 2), randn(C, seed=seed + 3)


def distance(w, other, h, W, b):
    p, q = (torch.softmax(W @ (one @ h) + b, 0) for one in (w, other))
    return sum(abs(x - y) for x, y in zip(p.tolist(), q.tolist(), strict=True)) / 2


@quick
@given(seeds)
def test_permutations_and_ablations_are_plain_loops(seed):
    weights, states, W, b = answers(seed)
    weights[0] = torch.eye(5, dtype=torch.float64)[2]  # one position has all the weight
    draw = np.random.default_rng(seed)
    orders = torch.tensor(np.stack([draw.permutation(5) for _ in range(5)]))
    distances, median = effects.permutation_test(weights, states, W, b, orders)
    effect = effects.ablation_effects(weights, states, W, b)
    for i, (w, h) in enumerate(zip(weights, states, strict=True)):
        wanted = [distance(w, torch.stack([w[j] for j in order]), h, W, b) for order in orders.tolist()]
        assert distances[:, i].tolist() == pytest.approx(wanted)
        assert median[i] == pytest.approx(sorted(wanted)[2])
        for j in range(5):
            kept = w * (torch.arange(5) != j)
            kept = kept / kept.sum() if kept.sum() > 0 else kept
            assert effect[i, j] == pytest.approx(distance(w, kept, h, W, b))


@quick
@given(seeds, st.integers(2, 8))
def test_agreement_is_kendalls_tau(seed, T):
    first, second = randn(2, T, seed=seed), randn(2, T, seed=seed + 1)
    wanted = [stats.kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert effects.rank_agreement(first, second).tolist() == pytest.approx(wanted)


@quick
@given(seeds, st.integers(1, 8))
def test_a_tie_counts_zero_and_stays_in_the_mean(seed, T):
    draw = np.random.default_rng(seed)
    first, second = draw.integers(3, size=(2, T)), draw.integers(3, size=(2, T))
    found = effects.rank_agreement(torch.tensor(first, dtype=torch.float32), torch.tensor(second, dtype=torch.float64))
    assert found.dtype == torch.float32
    for b in range(2):
        pairs = [(i, j) for i in range(T) for j in range(i + 1, T)]
        signs = [np.sign(first[b, i] - first[b, j]) * np.sign(second[b, i] - second[b, j]) for i, j in pairs]
        assert float(found[b]) == pytest.approx(np.mean(signs) if signs else 0, abs=1e-6)
