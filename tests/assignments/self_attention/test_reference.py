"""Self-attention, heads, positions and entropy, held to plain loops and to torch's own."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from reference.masking.functions import causal_mask
from reference.self_attention.functions import (
    attention_entropy,
    multi_head_attention,
    projected_self_attention,
    scaled_dot_product_attention,
    self_attention,
    sinusoidal_positions,
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 5)
quick = settings(max_examples=25, deadline=None)


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def some_mask(*shape, seed=0):
    """A random mask that leaves each row at least its first entry."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask[..., 0] = True
    return mask


def loop_attention(query, key, value, factor):
    """softmax(factor Q K^T) V of one sequence, one number at a time."""
    output, weights = [], []
    for q in query.tolist():
        exps = [math.exp(factor * sum(a * b for a, b in zip(q, k, strict=True))) for k in key.tolist()]
        row = [e / sum(exps) for e in exps]
        weights.append(row)
        output.append([sum(w * x for w, x in zip(row, column, strict=True)) for column in value.T.tolist()])
    return torch.tensor(output, dtype=torch.float64), torch.tensor(weights, dtype=torch.float64)


@pytest.mark.parametrize("temperature", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(("B", "T"), [(2, 5), (1, 1)])
def test_self_attention_is_the_plain_loop(B, T, temperature):
    x = randn(B, T, 3)
    output, weights = self_attention(x, temperature)
    for b in range(B):
        expected_output, expected_weights = loop_attention(x[b], x[b], x[b], 1 / temperature)
        assert_close(output[b], expected_output)
        assert_close(weights[b], expected_weights)
    assert_close(self_attention(x)[0], self_attention(x, 1.0)[0])


def test_scaled_attention_is_the_plain_loop():
    query, key, value = randn(3, 4), randn(5, 4, seed=1), randn(5, 2, seed=2)
    output, weights = scaled_dot_product_attention(query, key, value)
    expected_output, expected_weights = loop_attention(query, key, value, 0.5)
    assert_close(output, expected_output)
    assert_close(weights, expected_weights)


@quick
@given(seeds, st.sampled_from([(), (2,), (1,), (2, 3), (2, 1, 3)]), sizes, sizes, st.booleans())
def test_scaled_attention_is_that_of_torch(seed, batch, T_q, T_k, masked):
    query, key, value = (randn(*batch, T, d, seed=seed + i) for i, (T, d) in enumerate([(T_q, 3), (T_k, 3), (T_k, 2)]))
    mask = some_mask(T_q, T_k, seed=seed) if masked else None
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert_close(output, F.scaled_dot_product_attention(query, key, value, mask))
    assert_close(weights.sum(-1), torch.ones(*batch, T_q, dtype=torch.float64))
    assert_close(weights @ value, output)
    if masked:
        assert (weights.masked_select(~mask) == 0).all()


def test_scaled_attention_with_large_scores():
    query, key = torch.tensor([[100.0]]), torch.tensor([[100.0], [-100.0], [99.0]])
    output, weights = scaled_dot_product_attention(query, key, torch.tensor([[1.0], [2.0], [3.0]]))
    assert_close(weights, torch.tensor([[1.0, 0, 0]]))
    assert_close(output, torch.tensor([[1.0]]))
    mask = torch.tensor([False, True, False])
    output, weights = scaled_dot_product_attention(query, key, torch.tensor([[1.0], [2.0], [3.0]]), mask)
    assert weights.tolist() == [[0, 1, 0]]


@pytest.mark.parametrize("mask_shape", [None, (5,), (5, 5), (1, 5), (2, 5, 5), (1, 5, 5), (2, 1, 5)])
def test_projected_attention_is_that_of_torch(mask_shape):
    x, W_Q, W_K, W_V = randn(2, 5, 4), randn(3, 4, seed=1), randn(3, 4, seed=2), randn(6, 4, seed=3)
    mask = None if mask_shape is None else some_mask(*mask_shape)
    output, weights = projected_self_attention(x, W_Q, W_K, W_V, mask)
    assert output.shape == (2, 5, 6)
    assert weights.shape == (2, 5, 5)
    allowed = None if mask is None else mask.expand(2, 5, 5)
    assert_close(output, F.scaled_dot_product_attention(x @ W_Q.T, x @ W_K.T, x @ W_V.T, allowed))


@pytest.mark.parametrize("num_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("mask_shape", [None, (5,), (3, 5), (3, 1), (2, 3, 5), (1, 3, 5), (2, 1, 5), (1, 1, 5)])
def test_heads_are_those_of_torch(num_heads, mask_shape):
    query, key, value = randn(2, 3, 6), randn(2, 5, 6, seed=1), randn(2, 5, 6, seed=2)
    W_Q, W_K, W_V, W_O = (randn(6, 6, seed=3 + i) for i in range(4))
    theirs = nn.MultiheadAttention(6, num_heads, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([W_Q, W_K, W_V]))
        theirs.out_proj.weight.copy_(W_O)
    mask = None if mask_shape is None else some_mask(*mask_shape)
    hidden = None if mask is None else ~mask.expand(2, 3, 5).repeat_interleave(num_heads, 0)
    expected = theirs(query, key, value, attn_mask=hidden, average_attn_weights=False)
    output, weights = multi_head_attention(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask)
    assert_close(output, expected[0])
    assert_close(weights, expected[1])


def test_heads_give_zero_on_a_masked_row():
    x = randn(2, 3, 4)
    projections = [randn(4, 4, seed=1 + i) for i in range(4)]
    mask = causal_mask(3).repeat(2, 1, 1)
    mask[1, 2] = False
    output, weights = multi_head_attention(x, x, x, *projections, 2, mask)
    assert (output[1, 2] == 0).all()
    assert (weights[1, :, 2] == 0).all()
    assert (output[0, 2] != 0).all()


@quick
@given(seeds, sizes, sizes, sizes)
def test_one_head_is_plain_attention(seed, B, T_q, T_k):
    query, key = randn(B, T_q, 4, seed=seed), randn(B, T_k, 4, seed=seed + 1)
    projections = [randn(4, 4, seed=seed + 2 + i) for i in range(4)]
    output, weights = multi_head_attention(query, key, key, *projections, 1)
    Q, K, V = (x @ W.T for x, W in zip((query, key, key), projections[:3], strict=True))
    expected_output, expected_weights = scaled_dot_product_attention(Q, K, V)
    assert_close(output, expected_output @ projections[3].T)
    assert_close(weights.squeeze(1), expected_weights)


@quick
@given(seeds, sizes, sizes)
def test_self_attention_is_permuted_as_its_input_is(seed, B, T):
    x = randn(B, T, 3, seed=seed)
    order = torch.randperm(T, generator=torch.Generator().manual_seed(seed))
    W_Q, W_K, W_V = (randn(3, 3, seed=seed + 1 + i) for i in range(3))
    for attention in (self_attention, lambda x: projected_self_attention(x, W_Q, W_K, W_V)):
        output, weights = attention(x)
        permuted_output, permuted_weights = attention(x[:, order])
        assert_close(permuted_output, output[:, order])
        assert_close(permuted_weights, weights[:, order][..., order])


@quick
@given(seeds, sizes, sizes)
def test_equal_scores_give_the_mean(seed, B, T):
    value = randn(B, T, 3, seed=seed)
    output, weights = scaled_dot_product_attention(torch.zeros_like(value), value, value)
    assert_close(output, value.mean(1, keepdim=True).expand(-1, T, -1))
    assert_close(attention_entropy(weights), torch.full((B, T), math.log(T), dtype=torch.float64))


@pytest.mark.parametrize(("length", "dim"), [(1, 2), (7, 6), (512, 64), (3, 512)])
def test_positions_are_the_formula(length, dim):
    table = sinusoidal_positions(length, dim)
    assert table.shape == (length, dim)
    assert table.dtype == torch.float32
    for p in {0, 1, length // 2, length - 1} & set(range(length)):
        for i in range(dim // 2):
            angle = p / 10000 ** (2 * i / dim)
            assert float(table[p, 2 * i]) == pytest.approx(math.sin(angle), abs=1e-7)
            assert float(table[p, 2 * i + 1]) == pytest.approx(math.cos(angle), abs=1e-7)


def test_entropy_is_the_plain_loop_with_zeros():
    weights = torch.tensor([[0.5, 0.25, 0.25, 0], [1, 0, 0, 0], [0.25] * 4, [0] * 4], dtype=torch.float64)
    expected = [-sum(w * math.log(w) for w in row if w > 0) for row in weights.tolist()]
    assert_close(attention_entropy(weights), torch.tensor(expected, dtype=torch.float64))
    probabilities = randn(2, 3, 5).softmax(-1)
    assert_close(attention_entropy(probabilities), torch.distributions.Categorical(probabilities).entropy())


def test_entropy_has_gradient_zero_at_zero_and_its_own_elsewhere():
    weights = torch.tensor([0.5, 0.0, 0.5, 1e-30], dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(attention_entropy(weights), weights)
    assert_close(grad, torch.tensor([math.log(2) - 1, 0, math.log(2) - 1, -math.log(1e-30) - 1], dtype=torch.float64))
