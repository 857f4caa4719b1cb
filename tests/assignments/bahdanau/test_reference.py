"""The additive reference, held to plain loops, to keras and to the course's figures."""

import itertools
import math
import os

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference.bahdanau.functions import additive_attention, additive_score, softmax_vjp, stable_softmax

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 5)
quick = settings(max_examples=25, deadline=None)


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def inputs(B=2, T=7, enc=5, dec=3, attn=4, seed=0):
    shapes = [(B, dec), (B, T, enc), (attn, dec), (attn, enc), (1, attn)]
    return [randn(*shape, seed=seed + i) for i, shape in enumerate(shapes)]


def loop_softmax(row):
    top = max(row)
    exps = [math.exp(e - top) for e in row]
    return [e / math.fsum(exps) for e in exps]


def loop_attention(s, h, W_s, W_h, v):
    """Equations (5) and (6) and appendix A.1.2, one number at a time."""
    s, h, W_s, W_h, v = (x.tolist() for x in (s, h, W_s, W_h, v))
    scores, weights, context = [], [], []
    for b in range(len(s)):
        row = []
        for h_j in h[b]:
            e = 0.0
            for a in range(len(v[0])):
                inner = sum(w * x for w, x in zip(W_s[a], s[b], strict=True))
                inner += sum(w * x for w, x in zip(W_h[a], h_j, strict=True))
                e += v[0][a] * math.tanh(inner)
            row.append(e)
        scores.append(row)
        weights.append(loop_softmax(row))
        context.append([sum(weights[b][j] * h[b][j][i] for j in range(len(row))) for i in range(len(h[b][0]))])
    return tuple(torch.tensor(x, dtype=torch.float64) for x in (scores, context, weights))


@pytest.mark.parametrize(("B", "T"), [(2, 7), (1, 1), (3, 1), (1, 4)])
def test_attention_is_the_plain_loop(B, T):
    args = inputs(B, T)
    scores, context, weights = loop_attention(*args)
    assert_close(additive_score(*args), scores)
    got_context, got_weights = additive_attention(*args)
    assert_close(got_context, context)
    assert_close(got_weights, weights)


def test_attention_is_keras_additive_attention():
    os.environ["KERAS_BACKEND"] = "torch"
    keras = pytest.importorskip("keras", reason="keras gives an independent AdditiveAttention")
    s, h, W_s, W_h, v = inputs()
    query, keys = (s @ W_s.T).unsqueeze(1), h @ W_h.T
    layer = keras.layers.AdditiveAttention(use_scale=True, dtype="float64")
    layer.build([query.shape, h.shape, keys.shape])
    layer.scale.assign(v[0])
    context, weights = layer([query, h, keys], return_attention_scores=True)
    got_context, got_weights = additive_attention(s, h, W_s, W_h, v)
    assert_close(got_context.float(), context.detach().squeeze(1).float())
    assert_close(got_weights.float(), weights.detach().squeeze(1).float())


def test_worked_example_of_chapter_six():
    """Section 6.2.5, with the right figures instead of those printed."""
    s = torch.tensor([[0.3, -0.1, 0.5, 0.2]])
    h = torch.tensor([[[0.4, 0.2, -0.3, 0.6], [-0.2, 0.5, 0.3, -0.1], [0.7, -0.3, 0.4, 0.2], [0.1, 0.4, -0.2, 0.5]]])
    args = s, h, torch.eye(4), torch.eye(4), torch.tensor([[0.3, 0.5, -0.2, 0.4]])
    assert_close(additive_score(*args), torch.tensor([[0.457, 0.127, 0.047, 0.443]]), rtol=0, atol=6e-4)
    _, weights = additive_attention(*args)
    assert_close(weights, torch.tensor([[0.297, 0.213, 0.197, 0.293]]), rtol=0, atol=6e-4)


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([2.0, 1.0, 0.5], [0.629, 0.231, 0.140]),
        ([0.025, 1.0625, 0.1375, 0.0375, 0.0625], [0.143, 0.404, 0.160, 0.145, 0.149]),
        ([0.2, 2.8, 0.1, 1.5], [0.053, 0.707, 0.048, 0.193]),
        ([0.80, 0.54, 0.74, 0.12, 0.36], [0.259, 0.200, 0.244, 0.131, 0.167]),
    ],
)
def test_softmax_of_the_course(scores, weights):
    assert_close(stable_softmax(torch.tensor(scores)), torch.tensor(weights), rtol=0, atol=6e-4)


@pytest.mark.parametrize("dim", [0, 1, -1, -2])
def test_softmax_is_the_plain_loop_along_any_axis(dim):
    scores = randn(3, 4)
    rows = scores.movedim(dim, -1)
    expected = torch.tensor([loop_softmax(row) for row in rows.tolist()], dtype=torch.float64)
    assert_close(stable_softmax(scores, dim), expected.movedim(-1, dim))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softmax_of_large_scores(dtype):
    scores = torch.tensor([[1e4, 1e4 - 1, -1e4], [-1e4, -1e4, -1e4], [1e4, 0, -1e4], [0, 1, 2]], dtype=dtype)
    expected = torch.tensor([loop_softmax(row) for row in scores.tolist()], dtype=dtype)
    assert_close(stable_softmax(scores), expected)


@pytest.mark.parametrize("shape", [(7,), (2, 1), (2, 3, 5)])
def test_vjp_is_the_jacobian_transposed_times_the_gradient(shape):
    weights, grad = randn(*shape).softmax(-1), randn(*shape, seed=1)
    expected = torch.zeros_like(weights)
    for row in itertools.product(*map(range, shape[:-1])):
        w, g = weights[row], grad[row]
        for j in range(shape[-1]):
            for k in range(shape[-1]):  # d alpha_k / d e_j = alpha_k ([j = k] - alpha_j)
                expected[(*row, j)] += g[k] * w[k] * (int(j == k) - w[j])
    assert_close(softmax_vjp(weights, grad), expected)


@quick
@given(seeds, sizes, sizes)
def test_vjp_is_what_autograd_says(seed, B, T):
    scores, grad = randn(B, T, seed=seed).requires_grad_(), randn(B, T, seed=seed + 1)
    weights = scores.softmax(-1)
    (expected,) = torch.autograd.grad(weights, scores, grad)
    assert_close(softmax_vjp(weights, grad), expected)


@quick
@given(seeds, sizes, sizes, st.floats(-1e4, 1e4))
def test_softmax_rows_sum_to_one_and_ignore_a_shift(seed, B, T, shift):
    scores = 5 * randn(B, T, seed=seed)
    weights = stable_softmax(scores)
    assert (weights >= 0).all()
    assert_close(weights.sum(-1), torch.ones(B, dtype=torch.float64))
    assert_close(stable_softmax(scores + shift), weights, rtol=1e-9, atol=1e-9)


@quick
@given(seeds, sizes, sizes)
def test_context_ignores_the_order_of_the_states(seed, B, T):
    s, h, *parameters = inputs(B, T, seed=seed)
    order = torch.randperm(T, generator=torch.Generator().manual_seed(seed))
    context, weights = additive_attention(s, h, *parameters)
    permuted_context, permuted_weights = additive_attention(s, h[:, order], *parameters)
    assert_close(permuted_context, context)
    assert_close(permuted_weights, weights[:, order])


@quick
@given(seeds, sizes, sizes)
def test_equal_scores_give_the_mean(seed, B, T):
    s, h, W_s, W_h, v = inputs(B, T, seed=seed)
    context, weights = additive_attention(s, h, W_s, W_h, torch.zeros_like(v))
    assert_close(context, h.mean(1))
    assert_close(weights, torch.full_like(weights, 1 / T))
