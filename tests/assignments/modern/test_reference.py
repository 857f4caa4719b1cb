"""Streams, patterns, rotary positions and grouped heads, held to PyTorch, Transformers and plain loops."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode
from transformers.models.llama import modeling_llama as llama

from reference.modern import functions, heads, modules
from tests.assignments.tensor_helpers import randn, tensors

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=25, deadline=None)


def drawn(seed, *shapes):
    return [randn(*shape, seed=seed + i) for i, shape in enumerate(shapes)]


def seen(length, radius, stride=None):
    """The pairs of a pattern, one by one."""
    strided = [stride is not None and j % stride == 0 for j in range(length)]
    return torch.tensor([[abs(i - j) <= radius or strided[j] for j in range(length)] for i in range(length)])


def load(module, seed=0):
    """Give a module of the reference random weights, and return its state."""
    for i, parameter in enumerate(module.parameters()):
        parameter.data = randn(*parameter.shape, seed=seed + i) / 2
    return {name: value.detach() for name, value in module.state_dict().items()}


class TestProjectedAttention:
    """Additive attention with cached projections."""

    @given(B=sizes, T_t=sizes, T_s=sizes, seed=seeds)
    @quick
    def test_is_the_formula_pair_by_pair(self, B, T_t, T_s, seed):
        module = modules.ProjectedAttention(3, 2, 4)
        state = load(module, seed % 1000)
        s, h = drawn(seed, (B, T_t, 2), (B, T_s, 3))
        context, weights = module(s, h)
        for b in range(B):
            for t in range(T_t):
                hidden = [state["W_s.weight"] @ s[b, t] + state["W_h.weight"] @ one for one in h[b]]
                scores = torch.stack([(state["v.weight"] @ one.tanh())[0] for one in hidden])
                assert_close(weights[b, t], scores.softmax(0))
                assert_close(context[b, t], scores.softmax(0) @ h[b])

    def test_a_loop_of_steps_gives_the_same(self):
        module = modules.ProjectedAttention(3, 2, 4)
        load(module)
        s, h = drawn(1, (2, 5, 2), (2, 6, 3))
        steps = [module.step(s[:, t], h, module.project(h)) for t in range(5)]
        for whole, parts in zip(module(s, h), zip(*steps, strict=True), strict=True):
            assert_close(whole, torch.stack(parts, 1))


class TestStreamedAttention:
    """The running softmax."""

    @given(B=sizes, T_q=sizes, T_k=sizes, d_k=sizes, d_v=sizes, block=st.integers(1, 9), seed=seeds)
    @quick
    def test_is_the_attention_of_torch(self, B, T_q, T_k, d_k, d_v, block, seed):
        q, k, v = drawn(seed, (B, T_q, d_k), (B, T_k, d_k), (B, T_k, d_v))
        assert_close(functions.streamed_attention(q, k, v, block), F.scaled_dot_product_attention(q, k, v))

    @pytest.mark.parametrize("level", [1e4, -1e4, 0.0])
    @pytest.mark.parametrize("block", [1, 2, 5])
    def test_any_block_may_have_the_largest_score(self, level, block):
        q, k, v = drawn(3, (2, 3, 4), (2, 7, 4), (2, 7, 2))
        q[..., 0], k[..., 0] = 2 * level, torch.linspace(-1, 1, 7).sign().double()
        found = functions.streamed_attention(q, k, v, block)
        assert_close(found, F.scaled_dot_product_attention(q, k, v), rtol=1e-6, atol=1e-9)

    def test_gradients_are_those_of_torch(self):
        given_ = [one.requires_grad_() for one in drawn(4, (2, 3, 4), (2, 7, 4), (2, 7, 5))]
        found = torch.autograd.grad(functions.streamed_attention(*given_, 3).square().sum(), given_)
        expected = torch.autograd.grad(F.scaled_dot_product_attention(*given_).square().sum(), given_)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other)

    def test_refuses_an_empty_block(self):
        with pytest.raises(ValueError, match="at least 1"):
            functions.streamed_attention(*drawn(0, (1, 1, 1), (1, 1, 1), (1, 1, 1)), 0)


class TestPatterns:
    """Windows and strides."""

    @given(B=sizes, T=st.integers(1, 12), d_k=sizes, radius=st.integers(0, 14), seed=seeds)
    @quick
    def test_window_is_dense_attention_under_its_mask(self, B, T, d_k, radius, seed):
        q, k, v = drawn(seed, (B, T, d_k), (B, T, d_k), (B, T, 3))
        expected = F.scaled_dot_product_attention(q, k, v, attn_mask=seen(T, radius))
        assert_close(functions.window_attention(q, k, v, radius), expected)

    @given(T=st.integers(1, 12), radius=st.integers(0, 14), stride=st.integers(1, 14), seed=seeds)
    @quick
    def test_sparse_is_dense_attention_under_its_mask(self, T, radius, stride, seed):
        q, k, v = drawn(seed, (2, T, 3), (2, T, 3), (2, T, 2))
        expected = F.scaled_dot_product_attention(q, k, v, attn_mask=seen(T, radius, stride))
        assert_close(functions.sparse_attention(q, k, v, radius, stride), expected)

    @given(T=st.integers(1, 40), radius=st.integers(0, 45), stride=st.integers(1, 45))
    @quick
    def test_pairs_are_counted_one_by_one(self, T, radius, stride):
        assert functions.visible_pairs(T, radius, stride) == int(seen(T, radius, stride).sum())

    @pytest.mark.parametrize(("radius", "stride"), [(-1, 2), (1, 0)])
    def test_refuse_what_is_no_pattern(self, radius, stride):
        rows = drawn(0, (1, 2, 2), (1, 2, 2), (1, 2, 2))
        with pytest.raises(ValueError, match=r"at least 0|at least 1"):
            functions.sparse_attention(*rows, radius, stride)
        with pytest.raises(ValueError, match="at least 0"):
            functions.window_attention(*rows, -1)


class TestRotary:
    """Positions by turning."""

    @given(T=sizes, half=sizes, base=st.floats(2, 1e6), seed=seeds)
    @quick
    def test_turns_complex_numbers(self, T, half, base, seed):
        (x,), positions = drawn(seed, (2, T, 2 * half)), torch.arange(T) * 37 + 5
        numbers = torch.complex(x[..., :half], x[..., half:])
        angles = positions[:, None] * base ** (-2 * torch.arange(half, dtype=torch.float64) / (2 * half))
        expected = numbers * torch.polar(torch.ones_like(angles), angles)
        assert_close(heads.apply_rotary(x, positions, base), torch.cat([expected.real, expected.imag], -1))

    def test_is_that_of_llama(self):
        config = llama.LlamaConfig(hidden_size=32, num_attention_heads=4, num_key_value_heads=2)
        x, other = (one.float() for one in tensors((2, 4, 6, 8), (2, 2, 6, 8)))
        positions = torch.tensor([3, 0, 17, 17, 40, 2])
        cos, sin = llama.LlamaRotaryEmbedding(config)(x, positions.unsqueeze(0))
        for found, given_ in zip(llama.apply_rotary_pos_emb(x, other, cos, sin), (x, other), strict=True):
            assert_close(heads.apply_rotary(given_, positions), found, rtol=1e-4, atol=1e-5)

    def test_scores_depend_on_distances_alone(self):
        q, k = tensors((1, 8), (1, 8))
        score = [
            heads.apply_rotary(q, torch.tensor([m])) @ heads.apply_rotary(k, torch.tensor([m + 4])).T for m in (0, 91)
        ]
        assert_close(*score)

    def test_refuses_an_odd_width(self):
        with pytest.raises(ValueError, match="even"):
            heads.apply_rotary(randn(2, 3), torch.arange(2))


class TestGroups:
    """Heads that share keys, and the layer with its cache."""

    @given(B=sizes, G=st.integers(1, 3), share=st.integers(1, 3), T_q=sizes, before=st.integers(0, 5), seed=seeds)
    @quick
    def test_is_the_attention_of_torch(self, B, G, share, T_q, before, seed):
        T_k = T_q + before
        q, k, v = drawn(seed, (B, G * share, T_q, 4), (B, G, T_k, 4), (B, G, T_k, 3))
        mask = torch.tensor([[j <= before + i for j in range(T_k)] for i in range(T_q)])
        expected = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        assert_close(heads.grouped_attention(q, k, v), expected)

    @pytest.mark.parametrize("sizes_", [(4, 3, 2, 2), (2, 1, 3, 2)])
    def test_refuses_sizes_that_do_not_fit(self, sizes_):
        H, G, T_q, T_k = sizes_
        with pytest.raises(ValueError, match=r"divide|more than"):
            heads.grouped_attention(randn(1, H, T_q, 2), randn(1, G, T_k, 2), randn(1, G, T_k, 2))

    def test_the_layer_is_that_of_llama(self):
        config = llama.LlamaConfig(hidden_size=16, num_attention_heads=4, num_key_value_heads=2)
        config._attn_implementation = "eager"
        ours, theirs = modules.GroupedQueryAttention(16, 4, 2), llama.LlamaAttention(config, 0)
        state = load(ours)
        names = {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj", "W_O": "o_proj"}
        theirs.load_state_dict({f"{names[name[:3]]}.weight": value.float() for name, value in state.items()})
        x = randn(2, 5, 16)
        places = llama.LlamaRotaryEmbedding(config)(x.float(), torch.arange(5).unsqueeze(0))
        mask = torch.full((5, 5), -math.inf).triu(1).expand(2, 1, 5, 5)
        expected, _ = theirs(x.float(), position_embeddings=places, attention_mask=mask)
        assert_close(ours(x).float(), expected, rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize("lengths", [(6,), (1, 5), (2, 1, 3), (1,) * 6])
    def test_pieces_give_the_rows_of_the_whole(self, lengths):
        layer = modules.GroupedQueryAttention(8, 2, 1)
        load(layer)
        x, found = randn(3, 6, 8), []
        keys = values = x.new_zeros(3, 1, 0, 4)
        for piece in x.split(lengths, 1):
            output, keys, values = layer.extend(piece, keys, values)
            found.append(output)
        assert_close(torch.cat(found, 1), layer(x))
        assert keys.shape == values.shape == (3, 1, 6, 4)

    @pytest.mark.parametrize("wrong", [(10, 4, 2), (12, 6, 4), (6, 2, 1)])
    def test_the_layer_refuses_sizes_that_do_not_fit(self, wrong):
        with pytest.raises(ValueError, match="num_heads"):
            modules.GroupedQueryAttention(*wrong)


def test_the_block_is_that_of_torch_with_the_layer_in_it():
    """TransformerEncoderLayer with norm_first, in which the attention is ours."""
    block = modules.TransformerBlock(8, 2, 1, 6)
    state = load(block)
    theirs = torch.nn.TransformerEncoderLayer(8, 2, 6, 0.0, F.gelu, batch_first=True, norm_first=True).double()
    theirs._sa_block = lambda x, *_, **__: block.attention(x)
    names = {"W_1": "linear1", "W_2": "linear2", "norm1": "norm1", "norm2": "norm2"}
    own = {f"{names[n.split('.')[0]]}.{n.split('.')[1]}": v for n, v in state.items() if not n.startswith("attention")}
    theirs.load_state_dict(own, strict=False)
    x = randn(2, 5, 8)
    assert_close(block(x), theirs.train()(x))


@pytest.mark.parametrize(("sizes_", "number"), [((2, 4, 2, 3, 5, 6), 4), ((1, 1, 1, 1, 1, 1), 8)])
def test_costs_are_counted_one_by_one(sizes_, number):
    """A counter of torch, and the bytes of real tensors."""
    B, H, G, T_q, T_k, d = sizes_
    operations, matrix, cache = functions.attention_costs(*sizes_, number)
    dtype = {4: torch.float32, 8: torch.float64}[number]
    q, k = torch.zeros(B, H, T_q, d, dtype=dtype), torch.zeros(B, G, T_k, d, dtype=dtype)
    with FlopCounterMode(display=False) as counter:
        weights = q @ k.repeat_interleave(H // G, 1).mT
        weights @ k.repeat_interleave(H // G, 1)
    assert (operations, matrix, cache) == (counter.get_total_flops(), weights.nbytes, 2 * k.nbytes)
