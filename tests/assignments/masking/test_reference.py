"""Masks, masked softmax, masked attention and masked loss, held to plain loops and to torch."""

import math
import os

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from reference.masking.functions import (
    causal_mask,
    combine_masks,
    masked_attention,
    masked_cross_entropy,
    masked_softmax,
    padding_mask,
    strided_mask,
    window_mask,
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 5)
quick = settings(max_examples=25, deadline=None)


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def rand_mask(*shape, seed=0):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6


def square(length, allowed):
    rows = [[allowed(i, j) for j in range(length)] for i in range(length)]
    return torch.tensor(rows, dtype=torch.bool).view(length, length)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("max_len", [None, 1, 2, 4, 9])
def test_padding_mask(dtype, max_len):
    lengths = [3, 0, 4, 1]
    width = 4 if max_len is None else max_len
    mask = padding_mask(torch.tensor(lengths, dtype=dtype), max_len)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[j < length for j in range(width)] for length in lengths]


@pytest.mark.parametrize("length", [1, 2, 7])
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_square_masks(length, n):
    for mask, allowed in [
        (causal_mask(length), lambda i, j: j <= i),
        (window_mask(length, n), lambda i, j: abs(i - j) <= n),
        (window_mask(length, 0), lambda i, j: i == j),
        (strided_mask(length, n), lambda i, j: j % n == 0 or j == i),
    ]:
        assert mask.dtype == torch.bool
        assert torch.equal(mask, square(length, allowed))


def test_combine_masks():
    padding, attention = rand_mask(2, 5), rand_mask(3, 5, seed=1)
    combined = combine_masks(padding, attention)
    assert combined.shape == (2, 3, 5)
    for b in range(2):
        for i in range(3):
            for j in range(5):
                assert combined[b, i, j] == (padding[b, j] and attention[i, j])


def loop_softmax(row, allowed):
    top = max((e for e, may in zip(row, allowed, strict=True) if may), default=0.0)
    exps = [math.exp(e - top) if may else 0.0 for e, may in zip(row, allowed, strict=True)]
    total = sum(exps)
    return [e / total if total else 0.0 for e in exps]


@quick
@given(seeds, sizes, sizes, sizes, st.sampled_from(["full", "(T_k,)", "(B, 1, T_k)", "(T_q, 1)", "()"]))
def test_masked_softmax_is_the_plain_loop(seed, B, T_q, T_k, kind):
    shape = {"full": (B, T_q, T_k), "(T_k,)": (T_k,), "(B, 1, T_k)": (B, 1, T_k), "(T_q, 1)": (T_q, 1), "()": ()}
    scores, mask = 4 * randn(B, T_q, T_k, seed=seed), rand_mask(*shape[kind], seed=seed)
    weights = masked_softmax(scores, mask)
    allowed = mask.expand(B, T_q, T_k)
    for b in range(B):
        for i in range(T_q):
            expected = loop_softmax(scores[b, i].tolist(), allowed[b, i].tolist())
            assert weights[b, i].tolist() == pytest.approx(expected)
    assert (weights.masked_select(~allowed) == 0).all()


@pytest.mark.parametrize("dim", [0, 1, 2, -3])
def test_masked_softmax_along_any_axis(dim):
    scores, mask = randn(3, 4, 5), rand_mask(3, 4, 5)
    expected = masked_softmax(scores.movedim(dim, -1), mask.movedim(dim, -1)).movedim(-1, dim)
    assert_close(masked_softmax(scores, mask, dim), expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("large", [1e4, 1e9, 1e30, math.inf, math.nan])
def test_masked_softmax_with_larger_scores_under_the_mask(dtype, large):
    scores = torch.tensor([[-1e4, large, -1e4, large], [1e4, large, -1e4, -large]], dtype=dtype, requires_grad=True)
    mask = torch.tensor([True, False, True, False])
    weights = masked_softmax(scores, mask)
    assert weights.tolist() == [[0.5, 0, 0.5, 0], [1, 0, 0, 0]]
    (grad,) = torch.autograd.grad(weights[0, 0], scores)
    assert grad.tolist() == [[0.25, 0, -0.25, 0], [0, 0, 0, 0]]


def test_a_masked_row_is_zero_also_in_the_gradients():
    query, key, value = (randn(2, 3, 4, seed=i).requires_grad_() for i in range(3))
    mask = torch.ones(2, 3, 3, dtype=torch.bool)
    mask[0, 1] = mask[1] = False
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way either
        output, weights = masked_attention(query, key, value, mask)
        (output * randn(2, 3, 4, seed=9)).sum().backward()
    assert (output[~mask.any(-1)] == 0).all()
    assert (weights[~mask] == 0).all()
    assert (query.grad[~mask.any(-1)] == 0).all()
    assert (key.grad[1] == 0).all()
    assert (value.grad[1] == 0).all()
    assert (query.grad[0, 0] != 0).any()
    assert all(torch.isfinite(x.grad).all() for x in (query, key, value))


@quick
@given(seeds, sizes, sizes, sizes)
def test_masked_attention_is_that_of_torch(seed, B, T_q, T_k):
    query, key, value = (randn(B, T_q, 3, seed=seed), randn(B, T_k, 3, seed=seed + 1), randn(B, T_k, 2, seed=seed + 2))
    mask = rand_mask(B, T_q, T_k, seed=seed)
    mask[..., 0] = True  # torch gives NaN for a row without any
    output, weights = masked_attention(query, key, value, mask)
    assert_close(output, F.scaled_dot_product_attention(query, key, value, mask))
    assert_close(weights.sum(-1), torch.ones(B, T_q, dtype=torch.float64))


@quick
@given(seeds, sizes, sizes, sizes, sizes)
def test_padding_changes_nothing(seed, B, T_q, T_k, extra):
    query, key, value = (randn(B, T_q, 3, seed=seed), randn(B, T_k, 3, seed=seed + 1), randn(B, T_k, 2, seed=seed + 2))
    mask = rand_mask(B, T_q, T_k, seed=seed)
    output, weights = masked_attention(query, key, value, mask)
    key, value = (torch.cat([x, 1e4 * randn(B, extra, x.shape[-1], seed=seed + 3)], 1) for x in (key, value))
    padded_output, padded_weights = masked_attention(query, key, value, F.pad(mask, (0, extra)))
    assert_close(padded_output, output)
    assert_close(padded_weights, F.pad(weights, (0, extra)))


def test_masked_attention_is_keras_attention():
    os.environ["KERAS_BACKEND"] = "torch"
    keras = pytest.importorskip("keras", reason="keras gives an independent Attention with masks")
    query, key, value = randn(2, 3, 4), randn(2, 3, 4, seed=1), randn(2, 3, 5, seed=2)
    padding = padding_mask(torch.tensor([3, 2]))
    layer = keras.layers.Attention(use_scale=True, dtype="float64")
    layer.build([query.shape, value.shape, key.shape])
    layer.scale.assign(0.5)  # 1 / sqrt(4)
    output, weights = layer(
        [query, value, key], mask=[None, padding], return_attention_scores=True, use_causal_mask=True
    )
    got_output, got_weights = masked_attention(query, key, value, combine_masks(padding, causal_mask(3)))
    assert_close(got_output.float(), output.detach().float())
    assert_close(got_weights.float(), weights.detach().float())


def loop_cross_entropy(logits, targets, lengths):
    losses = []
    for b, length in enumerate(lengths.tolist()):
        for t in range(length):
            row = logits[b, t].tolist()
            top = max(row)
            losses.append(math.log(sum(math.exp(x - top) for x in row)) + top - row[targets[b, t]])
    return torch.tensor(math.fsum(losses) / len(losses), dtype=torch.float64)


@pytest.mark.parametrize("lengths", [[4, 1, 3], [2, 0, 3], [6, 6, 6], [0, 0, 1]])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_loss_is_the_mean_over_real_tokens(lengths, dtype):
    logits, targets = 3 * randn(3, 6, 5), torch.randint(5, (3, 6), generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor(lengths, dtype=dtype)
    loss = masked_cross_entropy(logits, targets, lengths)
    assert loss.shape == ()
    assert_close(loss, loop_cross_entropy(logits, targets, lengths))
    ignored = targets.masked_fill(torch.arange(6) >= lengths[:, None], -100)
    assert_close(loss, F.cross_entropy(logits.flatten(0, 1), ignored.flatten()))


def test_loss_of_large_logits_and_of_padding():
    logits = torch.tensor([[[1e4, 0.0, -1e4], [-1e4, 1e4, 1e4], [math.nan] * 3]], requires_grad=True)
    loss = masked_cross_entropy(logits, torch.tensor([[1, 2, 0]]), torch.tensor([2]))
    assert_close(loss, torch.tensor((1e4 + math.log(2)) / 2))
    (grad,) = torch.autograd.grad(loss, logits)
    assert_close(grad, torch.tensor([[[0.5, -0.5, 0], [0, 0.25, -0.25], [0, 0, 0]]]))
