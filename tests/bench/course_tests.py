"""What the tests of public courses ask of functions that our solutions also have, in our own words.

Sizes, seeds, tolerances and what is compared are those of the courses. Where a function of ours takes something else,
the difference is written here. Every test gets a module with a submission's names, and raises where it finds a mistake.

- CS336, assignment 1 (Stanford, 2025): tests/test_model.py and tests/test_nn_utils.py
- TinyTorch, module 12 (Harvard): the graded cells of src/12_attention and tests/12_attention/test_attention_core.py
- CS224n, assignment 4 (Stanford, 2020): sanity_check.py, question 1f
- Dive into Deep Learning, chapter 11: its calls of check_shape
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

Test = Callable[[ModuleType], None]
BATCH, QUERIES, KEYS, HEADS, WIDTH = 4, 12, 16, 4, 64  # of CS336


def drawn(seed: int, *shape: int) -> Tensor:
    torch.manual_seed(seed)
    return torch.randn(*shape)


def same(actual: Tensor, expected: Tensor, rtol: float = 1e-4, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(actual.detach().numpy(), expected.detach().numpy(), rtol=rtol, atol=atol)


def has_shape(actual: Tensor, *shape: int) -> None:
    assert tuple(actual.shape) == shape


def filled(layer: nn.Module, value: float) -> None:
    """Give all weights of a layer the same value, as CS224n does."""
    with torch.no_grad():
        for weight in layer.parameters():
            weight.fill_(value)


# CS336


def attention_inputs() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    mask = drawn(5, BATCH, QUERIES, KEYS) > 0.5
    return drawn(1, BATCH, QUERIES, WIDTH), drawn(2, BATCH, KEYS, WIDTH), drawn(3, BATCH, KEYS, WIDTH), mask


def by_head(inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(one.unflatten(0, (2, 2)) for one in inputs)


def cs336_attention(attend: Callable[..., tuple[Tensor, Tensor]]) -> None:
    """Output with a random mask, with three and with four axes. Weights are not compared."""
    for q, k, v, mask in (attention_inputs(), by_head(attention_inputs())):
        same(attend(q, k, v, mask)[0], F.scaled_dot_product_attention(q, k, v, mask))


def cs336_scaled_dot_product(ours: ModuleType) -> None:
    cs336_attention(ours.scaled_dot_product_attention)


def cs336_masked_attention(ours: ModuleType) -> None:
    cs336_attention(ours.masked_attention)


def cs336_multi_head(ours: ModuleType) -> None:
    """Causal self-attention. Our layer gets the mask from its caller, and random weights for those of their model."""
    x, causal = drawn(4, BATCH, QUERIES, WIDTH), torch.ones(QUERIES, QUERIES, dtype=torch.bool).tril()
    weights = [drawn(seed, WIDTH, WIDTH) / math.sqrt(WIDTH) for seed in (11, 12, 13, 14)]
    layer = ours.MultiHeadAttention(WIDTH, HEADS)
    for name, weight in zip(("W_Q", "W_K", "W_V", "W_O"), weights, strict=True):
        getattr(layer, name).weight.data = weight
    heads = [(x @ weight.T).unflatten(-1, (HEADS, -1)).transpose(1, 2) for weight in weights[:3]]
    joined = F.scaled_dot_product_attention(*heads, causal).transpose(1, 2).flatten(2)
    same(layer(x, x, x, causal)[0], joined @ weights[3].T)


def cs336_softmax(ours: ModuleType) -> None:
    """A small matrix, and the same one plus 100."""
    torch.manual_seed(6)
    x = torch.rand(3, 5)
    for scores in (x, x + 100):
        same(ours.stable_softmax(scores, dim=-1), F.softmax(x, dim=-1), rtol=1e-7)


def cs336_cross_entropy(ours: ModuleType) -> None:
    """Small logits, and the same ones times 1000. Ours has lengths, which hide nothing here."""
    torch.manual_seed(7)
    logits, targets = torch.rand(2, 4, 5), torch.randint(5, (2, 4))
    for scores in (logits, 1000 * logits):
        expected = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
        same(ours.masked_cross_entropy(scores, targets, torch.tensor([4, 4])), expected, rtol=1e-7, atol=1e-4)


def cs336_rope(ours: ModuleType) -> None:
    """Positions 0 to 11. They turn neighbouring columns, we turn columns that are half a width apart."""
    x, positions = drawn(4, BATCH, QUERIES, WIDTH), torch.arange(QUERIES)
    frequency = 10000.0 ** (-torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    turns = torch.polar(torch.ones(QUERIES, WIDTH // 2, dtype=torch.float64), positions.double()[:, None] * frequency)
    turned = torch.complex(*x.double().chunk(2, dim=-1)) * turns
    same(ours.apply_rotary(x, positions, 10000.0), torch.cat([turned.real, turned.imag], -1).float())


# TinyTorch. Its masks are numbers, ours bool. Its layer takes one sequence, has biases, and returns no weights.


def tinytorch_unit_attention(ours: ModuleType) -> None:
    q, k, v = (torch.randn(2, 4, 8) for _ in "qkv")
    output, weights = ours.scaled_dot_product_attention(q, k, v)
    has_shape(output, 2, 4, 8)
    has_shape(weights, 2, 4, 4)
    assert np.allclose(weights.sum(dim=2), 1, atol=1e-6)
    causal = torch.ones(2, 4, 4, dtype=torch.bool).tril()
    _, weights = ours.scaled_dot_product_attention(q, k, v, causal)
    assert bool((weights.masked_fill(causal, 0).abs() < 1e-6).all())


def tinytorch_core_attention(ours: ModuleType) -> None:
    attend = ours.scaled_dot_product_attention
    has_shape(attend(*(torch.randn(2, 5, 8) for _ in "qkv"))[0], 2, 5, 8)
    _, weights = attend(*(torch.randn(1, 4, 8) for _ in "qkv"))
    assert bool((weights >= 0).all())
    assert np.allclose(weights.sum(dim=-1), 1, atol=1e-5)
    axes = torch.eye(4)
    _, weights = attend(axes[None, :1], axes[None, :3], torch.randn(1, 3, 4))
    assert weights[0, 0, 0] > weights[0, 0, 1:].max()


def tinytorch_unit_multi_head(ours: ModuleType) -> None:
    """The number of heads, shapes with and without a mask, and the number of parameters."""
    layer, x = ours.MultiHeadAttention(64, 8), torch.randn(2, 6, 64)
    assert layer.num_heads == 8
    assert len(list(layer.parameters())) == 4
    has_shape(layer(x, x, x)[0], 2, 6, 64)
    has_shape(layer(x, x, x, torch.ones(2, 6, 6, dtype=torch.bool).tril())[0], 2, 6, 64)
    small = torch.randn(1, 5, 32)
    has_shape(ours.MultiHeadAttention(32, 4)(small, small, small)[0], 1, 5, 32)


def tinytorch_core_multi_head(ours: ModuleType) -> None:
    """A shape, parameters, an error for 5 heads of 64 columns, and gradients that are there."""
    x = torch.randn(2, 10, 32)
    has_shape(ours.MultiHeadAttention(32, 4)(x, x, x)[0], 2, 10, 32)
    assert len(list(ours.MultiHeadAttention(64, 8).parameters())) >= 4
    try:
        ours.MultiHeadAttention(64, 5)
    except (ValueError, AssertionError):
        pass
    else:
        raise AssertionError("5 heads cannot share 64 columns")
    layer, x = ours.MultiHeadAttention(16, 2), torch.randn(1, 4, 16, requires_grad=True)
    layer(x, x, x)[0].sum().backward()
    assert x.grad is not None
    assert any(weight.grad is not None for weight in layer.parameters())


# CS224n. All weights are 0.3. Its step masks padding, which our layer does not.


def cs224n_step(ours: ModuleType) -> None:
    """Scores, and the combined output, of one step for 5 sentences of 20 words."""
    states, state = drawn(8, 5, 20, 6), drawn(9, 5, 1, 3)
    attention, hidden = ours.LuongAttention(6, 3, "general"), ours.AttentionalHidden(6, 3)
    filled(attention, 0.3)
    filled(hidden, 0.3)
    scores = (0.3 * states.sum(-1, keepdim=True) * state).sum(-1)  # (5, 20)
    context = (torch.softmax(scores, dim=-1).unsqueeze(1) @ states).sum(-1)  # (5, 1): equal weights add up the columns
    combined = torch.tanh(0.3 * (context + state.sum(-1))).unsqueeze(-1).expand(5, 1, 3)
    same(attention.score(state, states).squeeze(1), scores, rtol=1e-5, atol=1e-8)
    same(hidden(attention(state, states)[0], state), combined, rtol=1e-5, atol=1e-8)


# Dive into Deep Learning. Its lengths become masks.


def d2l_additive(ours: ModuleType) -> None:
    """The shape of the context. Our layer takes one query for each sentence, and no lengths."""
    context, _ = ours.BahdanauAttention(enc_dim=2, dec_dim=20, attn_dim=8)(torch.randn(2, 20), torch.ones(2, 10, 2))
    has_shape(context, 2, 2)


def d2l_dot_product(ours: ModuleType) -> None:
    mask = torch.arange(10) < torch.tensor([2, 6])[:, None, None]
    output, _ = ours.scaled_dot_product_attention(
        torch.randn(2, 1, 2), torch.randn(2, 10, 2), torch.randn(2, 10, 4), mask
    )
    has_shape(output, 2, 1, 4)


def d2l_multi_head(ours: ModuleType) -> None:
    mask = torch.arange(6) < torch.tensor([3, 2])[:, None, None]
    queries, keys = torch.ones(2, 4, 100), torch.ones(2, 6, 100)
    has_shape(ours.MultiHeadAttention(100, 5)(queries, keys, keys, mask)[0], 2, 4, 100)


class Course:
    """A course's tests, by assignment of ours, and the parts of ours that they call."""

    def __init__(self, name: str, *rows: tuple[str, dict[str, tuple[Test, ...]]]) -> None:
        self.name = name
        self.tests = dict(rows)


COURSES = (
    Course(
        "CS336",
        ("bahdanau", {"stable_softmax": (cs336_softmax,)}),
        ("masking", {"masked_attention": (cs336_masked_attention,), "masked_cross_entropy": (cs336_cross_entropy,)}),
        (
            "self_attention",
            {"scaled_dot_product_attention": (cs336_scaled_dot_product,), "MultiHeadAttention": (cs336_multi_head,)},
        ),
        ("modern", {"apply_rotary": (cs336_rope,)}),
    ),
    Course(
        "TinyTorch",
        (
            "self_attention",
            {
                "scaled_dot_product_attention": (tinytorch_unit_attention, tinytorch_core_attention),
                "MultiHeadAttention": (tinytorch_unit_multi_head, tinytorch_core_multi_head),
            },
        ),
    ),
    Course("CS224n", ("luong", {"LuongAttention": (cs224n_step,), "AttentionalHidden": ()})),
    Course(
        "d2l",
        ("bahdanau", {"BahdanauAttention": (d2l_additive,)}),
        (
            "self_attention",
            {"scaled_dot_product_attention": (d2l_dot_product,), "MultiHeadAttention": (d2l_multi_head,)},
        ),
    ),
)
