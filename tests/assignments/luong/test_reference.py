"""The multiplicative reference, held to plain loops, to keras and to the course's figures."""

import math
import os

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference.luong.functions import attend, attentional_hidden, concat_score, dot_score, general_score, local_weights

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 5)
quick = settings(max_examples=25, deadline=None)
SHAPES = [(2, 3, 7), (1, 1, 1), (2, 1, 4), (2, 4, 1)]  # B, T_t, T_s


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def loop_scores(score, decoder_states, encoder_states):
    """score(s, h) of lists of numbers, for each pair."""
    rows = [
        [[score(s, h) for h in hs] for s in ss]
        for ss, hs in zip(decoder_states.tolist(), encoder_states.tolist(), strict=True)
    ]
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize(("B", "T_t", "T_s"), SHAPES)
def test_dot_is_the_plain_loop(B, T_t, T_s):
    s, h = randn(B, T_t, 5), randn(B, T_s, 5, seed=1)
    expected = loop_scores(lambda s, h: sum(x * y for x, y in zip(s, h, strict=True)), s, h)
    assert_close(dot_score(s, h), expected)


@pytest.mark.parametrize(("B", "T_t", "T_s"), SHAPES)
def test_general_is_the_plain_loop(B, T_t, T_s):
    s, h, W_a = randn(B, T_t, 3), randn(B, T_s, 5, seed=1), randn(3, 5, seed=2)
    W = W_a.tolist()
    expected = loop_scores(lambda s, h: sum(s[i] * W[i][j] * h[j] for i in range(3) for j in range(5)), s, h)
    assert_close(general_score(s, h, W_a), expected)


@pytest.mark.parametrize(("B", "T_t", "T_s"), SHAPES)
def test_concat_is_the_plain_loop(B, T_t, T_s):
    s, h = randn(B, T_t, 3), randn(B, T_s, 5, seed=1)
    W_a, v = randn(4, 8, seed=2), randn(1, 4, seed=3)

    def score(s, h):
        hidden = [math.tanh(sum(w * x for w, x in zip(row, s + h, strict=True))) for row in W_a.tolist()]
        return sum(a * b for a, b in zip(v[0].tolist(), hidden, strict=True))

    assert_close(concat_score(s, h, W_a, v), loop_scores(score, s, h))


@pytest.mark.parametrize(("B", "T_t", "T_s"), SHAPES)
def test_attend_is_the_plain_loop(B, T_t, T_s):
    scores, h = randn(B, T_t, T_s), randn(B, T_s, 5, seed=1)
    context, weights = attend(scores, h)
    for b in range(B):
        for t in range(T_t):
            exps = [math.exp(e) for e in scores[b, t].tolist()]
            expected = [e / sum(exps) for e in exps]
            assert weights[b, t].tolist() == pytest.approx(expected)
            for i in range(5):
                value = sum(a * x for a, x in zip(expected, h[b, :, i].tolist(), strict=True))
                assert float(context[b, t, i]) == pytest.approx(value)


def test_attend_with_large_scores():
    h = randn(1, 3, 2).float()
    context, weights = attend(torch.tensor([[[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4]]]), h)
    assert_close(weights, torch.tensor([[[1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3]]]))
    assert_close(context, torch.stack([h[:, 0], h.mean(1)], 1))


def test_dot_is_keras_attention():
    os.environ["KERAS_BACKEND"] = "torch"
    keras = pytest.importorskip("keras", reason="keras gives an independent Attention")
    s, h = randn(2, 3, 5), randn(2, 7, 5, seed=1)
    layer = keras.layers.Attention(dtype="float64")
    context, weights = layer([s, h], return_attention_scores=True)
    got_context, got_weights = attend(dot_score(s, h), h)
    assert_close(got_context.float(), context.detach().float())
    assert_close(got_weights.float(), weights.detach().float())


def test_worked_examples_of_the_course():
    s = torch.tensor([[[0.6, 0.4]]])
    h = torch.tensor([[[1.0, 0.5], [0.3, 0.9], [0.7, 0.8], [-0.2, 0.6], [0.4, 0.3]]])
    scores = dot_score(s, h)
    assert_close(scores, torch.tensor([[[0.80, 0.54, 0.74, 0.12, 0.36]]]))
    context, weights = attend(scores, h)
    assert_close(weights, torch.tensor([[[0.259, 0.200, 0.244, 0.131, 0.167]]]), rtol=0, atol=6e-4)
    assert_close(context, torch.tensor([[[0.530, 0.633]]]), rtol=0, atol=6e-4)

    s = torch.tensor([[[0.9, 0.1, 0.2]]])
    h = torch.tensor([[[1.0, 0.0, 0.2], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3]]])
    _, weights = attend(dot_score(s, h), h)
    assert_close(weights, torch.tensor([[[0.464, 0.305, 0.231]]]), rtol=0, atol=6e-4)


def test_attentional_hidden_is_the_plain_loop():
    context, s, W_c = randn(2, 3, 5), randn(2, 3, 4, seed=1), randn(4, 9, seed=2)
    expected = [
        [
            [math.tanh(sum(w * x for w, x in zip(row, c_t + s_t, strict=True))) for row in W_c.tolist()]
            for c_t, s_t in zip(c, s_b, strict=True)
        ]
        for c, s_b in zip(context.tolist(), s.tolist(), strict=True)
    ]
    assert_close(attentional_hidden(context, s, W_c), torch.tensor(expected, dtype=torch.float64))


def loop_local(scores, center, D):
    expected = torch.zeros_like(scores)
    for b, (row, p) in enumerate(zip(scores.tolist(), center.tolist(), strict=True)):
        window = [j for j in range(len(row)) if abs(j - p) <= D]
        top = max((row[j] for j in window), default=0.0)
        total = sum(math.exp(row[j] - top) for j in window)
        for j in window:
            sigma = D / 2
            expected[b, j] = math.exp(row[j] - top) / total * math.exp(-((j - p) ** 2) / (2 * sigma**2))
    return expected


@quick
@given(seeds, st.integers(1, 9), st.integers(1, 4), st.lists(st.floats(-8, 16), min_size=1, max_size=4))
def test_local_weights_are_the_plain_loop(seed, T, D, center):
    scores, center = 3 * randn(len(center), T, seed=seed), torch.tensor(center, dtype=torch.float64)
    assert_close(local_weights(scores, center, D), loop_local(scores, center, D))


def test_local_window_holds_both_its_edges():
    weights = local_weights(torch.zeros(1, 7), torch.tensor([3.0]), 2)
    gauss = [math.exp(-2), math.exp(-0.5), 1, math.exp(-0.5), math.exp(-2)]
    assert_close(weights, torch.tensor([[0, *(g / 5 for g in gauss), 0]]))


def test_local_weights_with_larger_scores_outside_of_the_window():
    scores = torch.full((1, 9), 1e4, dtype=torch.float32)
    scores[0, 3:6] = -1e4
    weights = local_weights(scores, torch.tensor([4.0]), 1)
    expected = [0, 0, 0, math.exp(-2) / 3, 1 / 3, math.exp(-2) / 3, 0, 0, 0]
    assert_close(weights, torch.tensor([expected]))


@pytest.mark.parametrize("far", [-7.5, 1e3, -3e38, math.inf])
def test_an_empty_window_gives_zeros_also_in_the_gradients(far):
    scores = randn(2, 5).float().requires_grad_()
    center = torch.tensor([2.2, far], requires_grad=True)
    weights = local_weights(scores, center, 2)
    assert weights[1].tolist() == [0.0] * 5
    (weights * randn(2, 5, seed=1).float()).sum().backward()
    assert scores.grad[1].tolist() == [0.0] * 5
    assert center.grad[1] == 0
    assert torch.isfinite(scores.grad).all()
    assert torch.isfinite(center.grad).all()
    assert center.grad[0] != 0


@quick
@given(seeds, sizes, sizes, sizes)
def test_dot_is_general_with_the_identity(seed, B, T_t, T_s):
    s, h = randn(B, T_t, 3, seed=seed), randn(B, T_s, 3, seed=seed + 1)
    assert_close(dot_score(s, h), general_score(s, h, torch.eye(3, dtype=torch.float64)))


@quick
@given(seeds, sizes, sizes, sizes, st.floats(-1e4, 1e4))
def test_attend_sums_to_one_and_ignores_a_shift_and_the_order(seed, B, T_t, T_s, shift):
    scores, h = randn(B, T_t, T_s, seed=seed), randn(B, T_s, 3, seed=seed + 1)
    context, weights = attend(scores, h)
    assert_close(weights.sum(-1), torch.ones(B, T_t, dtype=torch.float64))
    assert_close(attend(scores + shift, h)[1], weights, rtol=1e-9, atol=1e-9)
    order = torch.randperm(T_s, generator=torch.Generator().manual_seed(seed))
    permuted_context, permuted_weights = attend(scores[..., order], h[:, order])
    assert_close(permuted_context, context)
    assert_close(permuted_weights, weights[..., order])
    assert_close(attend(torch.zeros_like(scores), h)[0], h.mean(1, keepdim=True).expand(-1, T_t, -1))
