"""What holds of every reference: gradients, dtype, strides, sizes of 1, inputs left alone, no NaN."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference.bahdanau import additive_attention, additive_score, softmax_vjp, stable_softmax
from reference.luong import (
    attend,
    attentional_hidden,
    concat_score,
    dot_score,
    general_score,
    local_weights,
)
from reference.masking import masked_attention, masked_cross_entropy, masked_softmax
from reference.self_attention import (
    attention_entropy,
    multi_head_attention,
    projected_self_attention,
    scaled_dot_product_attention,
    self_attention,
)
from reference.seq2seq import gru_cell


def randn(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def tensors(*shapes):
    return [randn(*shape, seed=i) for i, shape in enumerate(shapes)]


def mask_of(*shape):
    """A random mask with a row of False."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(0)) < 0.6
    mask[..., -1, :] = False
    return mask


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    enc, dec, attn, V = 3, 2, 4, 5
    additive = tensors((B, dec), (B, T_s, enc), (attn, dec), (attn, enc), (1, attn))
    pair = tensors((B, T_t, enc), (B, T_s, enc))
    qkv = tensors((B, T_t, 4), (B, T_s, 4), (B, T_s, 4))
    square = tensors((4, 4), (4, 4), (4, 4), (4, 4))
    lengths = torch.arange(B) % T_t + 1
    centers = torch.linspace(0.3, T_s + 4.2, B, dtype=torch.float64)  # the last window is empty where B > 1
    targets = torch.randint(V, (B, T_t), generator=torch.Generator().manual_seed(0))
    return {
        "stable_softmax": (stable_softmax, tensors((B, T_s))),
        "stable_softmax dim 0": (lambda e: stable_softmax(e, 0), tensors((T_s, B))),
        "softmax_vjp": (softmax_vjp, tensors((B, T_s), (B, T_s))),
        "additive_score": (additive_score, additive),
        "additive_attention": (additive_attention, additive),
        "dot_score": (dot_score, pair),
        "general_score": (general_score, tensors((B, T_t, dec), (B, T_s, enc), (dec, enc))),
        "concat_score": (concat_score, tensors((B, T_t, dec), (B, T_s, enc), (attn, dec + enc), (1, attn))),
        "attend": (attend, tensors((B, T_t, T_s), (B, T_s, enc))),
        "attentional_hidden": (attentional_hidden, tensors((B, T_t, enc), (B, T_t, dec), (dec, enc + dec))),
        "local_weights": (lambda e, p: local_weights(e, p, 2), [randn(B, T_s), centers]),
        "self_attention": (lambda x: self_attention(x, 0.7), tensors((B, T_s, enc))),
        "scaled_dot_product_attention": (scaled_dot_product_attention, qkv),
        "scaled_dot_product_attention masked": (scaled_dot_product_attention, [*qkv, mask_of(B, T_t, T_s)]),
        "projected_self_attention": (projected_self_attention, [qkv[1], *square[:3], mask_of(T_s, T_s)]),
        "multi_head_attention": (lambda *x: multi_head_attention(*x, 2), [*qkv, *square]),
        "multi_head_attention masked": (
            lambda *x: multi_head_attention(*x[:-1], 2, x[-1]),
            [*qkv, *square, mask_of(B, T_t, T_s)],
        ),
        "attention_entropy": (attention_entropy, [randn(B, T_s).softmax(-1)]),
        "masked_softmax": (masked_softmax, [randn(B, T_t, T_s), mask_of(T_t, T_s)]),
        "masked_softmax dim 1": (
            lambda e, m: masked_softmax(e, m, 1),
            [randn(B, T_t, T_s), mask_of(B, T_s, T_t).mT],
        ),
        "masked_attention": (masked_attention, [*qkv, mask_of(B, T_t, T_s)]),
        "masked_cross_entropy": (masked_cross_entropy, [randn(B, T_t, V), targets, lengths]),
        "gru_cell": (gru_cell, tensors((B, 2), (B, 3), (9, 2), (9, 3), (9,), (9,))),
    }


NAMES = list(calls(2, 3, 4))
each_call = pytest.mark.parametrize("name", NAMES)


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def requiring(args):
    return [x.clone().requires_grad_(x.is_floating_point()) for x in args]


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1, 1), (2, 1, 1)])
@each_call
def test_gradients_are_those_of_finite_differences(name, shape):
    function, args = calls(*shape)[name]
    assert gradcheck(function, requiring(args))


@each_call
def test_every_input_has_a_finite_gradient(name):
    function, args = calls(2, 3, 4)[name]
    args = requiring(args)
    for output in outputs(function(*args)):
        assert torch.isfinite(output).all()
    weighted = sum((x * randn(*x.shape, seed=7)).sum() for x in outputs(function(*args)))
    for grad in torch.autograd.grad(weighted, [x for x in args if x.requires_grad]):
        assert torch.isfinite(grad).all()
        assert grad.abs().max() > 0


@each_call
def test_float32_stays_float32(name):
    function, args = calls(2, 3, 4)[name]
    expected = outputs(function(*args))
    got = outputs(function(*(x.float() if x.is_floating_point() else x for x in args)))
    for x, y in zip(got, expected, strict=True):
        assert x.dtype == torch.float32
        assert_close(x, y.float(), rtol=1e-4, atol=1e-5)


def strided(x):
    """The same values with other strides: axes laid out backwards, and every other element."""
    axes = tuple(range(x.dim()))[::-1]
    twice = x.permute(axes).repeat_interleave(2, dim=0).contiguous()
    view = twice[::2].permute(axes)
    assert torch.equal(view, x)
    return view


@each_call
def test_strides_do_not_matter(name):
    function, args = calls(2, 3, 4)[name]
    for x, y in zip(outputs(function(*map(strided, args))), outputs(function(*args)), strict=True):
        assert_close(x, y)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "stable_softmax dim 0"])
def test_a_row_seen_twice_gives_its_result_twice(name):
    """The batch axis may have the stride 0 of an expanded tensor."""
    function, args = calls(1, 3, 4)[name]
    _, twice = calls(2, 3, 4)[name]
    expanded = [x if x.shape == y.shape else x.expand(y.shape) for x, y in zip(args, twice, strict=True)]
    for x, y in zip(outputs(function(*expanded)), outputs(function(*args)), strict=True):
        assert_close(x, y.expand(x.shape))


@each_call
def test_inputs_are_left_alone(name):
    function, args = calls(2, 3, 4)[name]
    before = [x.clone() for x in args]
    first = outputs(function(*args))
    kept = [x.clone() for x in first]
    function(*[x + 1 if x.is_floating_point() else x for x in args])
    assert all(torch.equal(x, y) for x, y in zip(args, before, strict=True))
    assert all(torch.equal(x, y) for x, y in zip(first, kept, strict=True))
