"""Coverage, copying, readers and memories, held to PyTorch, SciPy and plain loops."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.special import softmax
from torch import nn
from torch.testing import assert_close

from reference.variations import functions, memories, modules, readers
from tests.assignments.tensor_helpers import mask_of, randn

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=25, deadline=None)


def drawn(seed, *shapes):
    return [randn(*shape, seed=seed + i) for i, shape in enumerate(shapes)]


def shares(seed, *shapes):
    return [one.softmax(-1) for one in drawn(seed, *shapes)]


def lengths_of(seed, batch, most):
    return torch.randint(1, most + 1, (batch,), generator=torch.Generator().manual_seed(seed % 1000))


def load(module, seed=0):
    """Give a module of the reference random weights, and return its state."""
    for i, parameter in enumerate(module.parameters()):
        parameter.data = randn(*parameter.shape, seed=seed + i) / 2
    return {name: value.detach() for name, value in module.state_dict().items()}


class TestCoverage:
    """Coverage attention and its loss."""

    @given(B=sizes, T_t=sizes, T_s=sizes, penalty=st.floats(0, 3), seed=seeds)
    @quick
    def test_each_row_pays_for_the_rows_before(self, B, T_t, T_s, penalty, seed):
        (scores,) = drawn(seed, (B, T_t, T_s))
        weights, seen = functions.coverage_attention(scores, penalty)
        for t in range(T_t):
            assert_close(seen[:, t], weights[:, :t].sum(1))
            assert_close(weights[:, t], F.softmax(scores[:, t] - penalty * weights[:, :t].sum(1), -1))

    def test_large_scores_give_finite_weights(self):
        weights, _ = functions.coverage_attention(1e4 * randn(2, 3, 4).sign(), 1.0)
        assert_close(weights.sum(-1), torch.ones(2, 3, dtype=torch.float64))

    @given(B=sizes, T_t=sizes, T_s=sizes, seed=seeds)
    @quick
    def test_losses_are_means_of_real_rows_one_by_one(self, B, T_t, T_s, seed):
        weights, other = shares(seed, (B, T_t, T_s), (B, T_t, T_s))
        lengths = lengths_of(seed, B, T_t)
        rows = [(b, t) for b in range(B) for t in range(lengths[b])]
        overlaps = [sum(min(*pair) for pair in zip(weights[b, t], other[b, t], strict=True)) for b, t in rows]
        assert_close(functions.coverage_loss(weights, other, lengths), torch.stack(overlaps).mean())
        distances = [F.mse_loss(weights[b, t], other[b, t], reduction="sum") for b, t in rows]
        task = torch.tensor(1.5, dtype=torch.float64)
        found = functions.supervised_loss(task, weights, other, lengths, 0.3)
        assert_close(found, 1.5 + 0.3 * torch.stack(distances).mean())

    def test_rows_of_padding_count_for_nothing(self):
        weights, other = shares(3, (2, 4, 3), (2, 4, 3))
        before = functions.coverage_loss(weights, other, torch.tensor([2, 3]))
        weights[0, 2:], other[1, 3:] = 1e6, torch.nan
        assert_close(functions.coverage_loss(weights, other, torch.tensor([2, 3])), before)


class TestPointerGenerator:
    """Copying and generating."""

    @given(B=sizes, V=sizes, T_s=sizes, extra=st.integers(0, 3), seed=seeds)
    @quick
    def test_is_scatter_add_over_linear_layers(self, B, V, T_s, extra, seed):
        module = modules.PointerGenerator(3, 2, 4)
        state = load(module, seed % 1000)
        c, s, y = drawn(seed, (B, 3), (B, 2), (B, 4))
        vocab, weights = shares(seed, (B, V), (B, T_s))
        ids = lengths_of(seed, B * T_s, V + extra).view(B, T_s) - 1
        found, p_gen = module(c, s, y, vocab, weights, ids, V + extra)
        of_y = F.linear(y, state["w_y.weight"], state["w_y.bias"])
        p = torch.sigmoid(F.linear(c, state["w_c.weight"]) + F.linear(s, state["w_s.weight"]) + of_y)
        expected = F.pad(p * vocab, (0, extra)).scatter_add(1, ids, (1 - p) * weights)
        assert_close(p_gen, p.squeeze(1))
        assert_close(found, expected)
        assert_close(found.sum(1), torch.ones(B, dtype=torch.float64))


class TestReaders:
    """Several hops, both directions, and feature maps."""

    @given(B=sizes, T=sizes, d=sizes, hops=st.integers(1, 4), seed=seeds)
    @quick
    def test_hops_are_unscaled_attention_in_turn(self, B, T, d, hops, seed):
        query, memory = drawn(seed, (B, d), (B, T, d))
        result, weights = readers.multi_hop(query, memory, hops)
        for k in range(hops):
            assert_close(weights[:, k], torch.stack([F.softmax(memory[b] @ query[b], 0) for b in range(B)]))
            query = F.scaled_dot_product_attention(query.unsqueeze(1), memory, memory, scale=1.0).squeeze(1)
        assert_close(result, query)

    @given(B=sizes, m=sizes, n=sizes, dim=sizes, seed=seeds)
    @quick
    def test_bidaf_is_its_formula_word_by_word(self, B, m, n, dim, seed):
        module = modules.BiDAF(dim)
        w = load(module, seed % 1000)["w.weight"][0]
        h, u = drawn(seed, (B, m, dim), (B, n, dim))
        c, q = mask_of(B, m) | (torch.arange(m) == 0), mask_of(B, n) | (torch.arange(n) == n - 1)
        scores, found = module.similarity(h, u), module(h, u, c, q)
        for b in range(B):
            for i, one in enumerate(h[b]):
                assert_close(scores[b, i], torch.stack([w @ torch.cat([one, other, one * other]) for other in u[b]]))
            real = scores[b][:, q[b]]
            asked = F.softmax(real, 1) @ u[b, q[b]]
            back = F.softmax(real.max(1).values[c[b]], 0) @ h[b, c[b]]
            expected = torch.cat([h[b], asked, h[b] * asked, h[b] * back], 1)
            assert_close(found[b], expected * c[b].unsqueeze(1))

    @given(B=sizes, c=sizes, d=sizes, H=sizes, W=sizes, seed=seeds)
    @quick
    def test_a_feature_map_is_attention_to_its_places(self, B, c, d, H, W, seed):
        module = modules.SpatialAttention(c, d)
        W_a = load(module, seed % 1000)["W_a.weight"]
        features, state = drawn(seed, (B, c, H, W), (B, d))
        context, weights = module(features, state)
        places = torch.stack([features[:, :, y, x] for y in range(H) for x in range(W)], 1)
        expected = F.scaled_dot_product_attention(state.unsqueeze(1), places @ W_a.T, places, scale=1.0)
        assert_close(context, expected.squeeze(1))
        scores = torch.stack([state[b] @ W_a @ features[b].flatten(1) for b in range(B)])
        assert_close(weights.flatten(1), F.softmax(scores, 1))


def packed_pyramid(state, frames, lengths, layers):
    """Run torch's GRU over packed sequences, one sentence at a time."""
    hidden = state["rnns.0.weight_hh_l0"].shape[1]
    states = [frame[:length] for frame, length in zip(frames, lengths.tolist(), strict=True)]
    for layer in range(layers):
        states = [torch.cat([one, one.new_zeros(len(one) % 2, one.shape[1])]) for one in states]
        states = [one.reshape(len(one) // 2, -1) for one in states]
        rnn = nn.GRU(states[0].shape[1], hidden, batch_first=True, bidirectional=True, dtype=torch.float64)
        prefix = f"rnns.{layer}."
        rnn.load_state_dict({name.removeprefix(prefix): x for name, x in state.items() if name.startswith(prefix)})
        packed = nn.utils.rnn.pack_sequence(states, enforce_sorted=False)
        states = nn.utils.rnn.unpack_sequence(rnn(packed)[0])
    return states


class TestPyramidalEncoder:
    """Halved sequences."""

    @given(B=st.integers(1, 3), T=st.integers(1, 9), layers=st.integers(1, 3), seed=seeds)
    @quick
    def test_is_a_packed_gru_of_torch(self, B, T, layers, seed):
        module = modules.PyramidalEncoder(2, 3, layers)
        state = load(module, seed % 1000)
        frames, lengths = randn(B, T, 2, seed=seed), lengths_of(seed, B, T)
        states, shorter = module(frames, lengths)
        expected = packed_pyramid(state, frames, lengths, layers)
        assert states.shape[1] == math.ceil(T / 2**layers)
        assert shorter.tolist() == [len(one) for one in expected]
        for b, one in enumerate(expected):
            assert_close(states[b, : len(one)], one)
            assert not states[b, len(one) :].any()

    def test_padding_changes_nothing(self):
        module = modules.PyramidalEncoder(2, 3, 2)
        load(module)
        frames = randn(2, 7, 2)
        before = module(frames, torch.tensor([5, 2]))[0]
        frames[0, 5:], frames[1, 2:] = 1e8, torch.inf
        assert_close(module(frames, torch.tensor([5, 2]))[0], before)


class TestGuides:
    """Borders and priors."""

    @given(B=sizes, T_t=sizes, T_s=sizes, seed=seeds)
    @quick
    def test_no_row_looks_before_the_last_peak(self, B, T_t, T_s, seed):
        scores = drawn(seed, (B, T_t, T_s))[0].round()  # with equal scores
        weights = functions.monotonic_attention(scores)
        for b in range(B):
            border = 0
            for t in range(T_t):
                assert_close(weights[b, t, border:], F.softmax(scores[b, t, border:], 0))
                assert not weights[b, t, :border].any()
                border = weights[b, t].tolist().index(weights[b, t].max())

    @given(B=sizes, T_t=sizes, T_s=sizes, sigma=st.sampled_from([0.1, 0.7, 3.0, 1000.0]), seed=seeds)
    @quick
    def test_the_prior_is_that_of_each_sentence_alone(self, B, T_t, T_s, sigma, seed):
        scores = randn(B, T_t, T_s, seed=seed)
        S, T = lengths_of(seed, B, T_s), lengths_of(seed + 1, B, T_t)
        weights = functions.diagonal_prior_attention(scores, S, T, sigma)
        expected = torch.zeros_like(weights)
        for b, (s, t) in enumerate(zip(S.tolist(), T.tolist(), strict=True)):
            prior = [[math.exp(-((j - i * s / t) ** 2) / (2 * sigma**2)) for j in range(s)] for i in range(t)]
            expected[b, :t, :s] = F.softmax(scores[b, :t, :s] + torch.tensor(prior, dtype=torch.float64), -1)
        assert_close(weights, expected)


class TestMemories:
    """A memory that is addressed by content, read and written."""

    @given(B=sizes, N=sizes, d=sizes, seed=seeds)
    @quick
    def test_address_is_the_cosine_of_scipy(self, B, N, d, seed):
        memory, key, strength = drawn(seed, (B, N, d), (B, d), (B,))
        distances = [cdist(one, two.unsqueeze(0), "cosine")[:, 0] for one, two in zip(memory, key, strict=True)]
        expected = softmax(strength.unsqueeze(1).numpy() * (1 - np.stack(distances)), axis=1)
        assert_close(memories.memory_address(memory, key, strength), torch.from_numpy(expected))

    @pytest.mark.parametrize("blank", ["row", "key"])
    def test_zeros_have_the_cosine_0_and_finite_gradients(self, blank):
        memory, key, strength = drawn(1, (2, 3, 4), (2, 4), (2,))
        (memory[0, 1] if blank == "row" else key[0])[:] = 0.0
        args = [one.requires_grad_() for one in (memory, key, strength)]
        weights = memories.memory_address(*args)
        assert_close(weights, F.softmax(strength.unsqueeze(1) * F.cosine_similarity(memory, key.unsqueeze(1), -1), 1))
        assert all(one.isfinite().all() for one in torch.autograd.grad(weights.square().sum(), args))

    @given(B=sizes, N=sizes, d=sizes, seed=seeds)
    @quick
    def test_reads_and_writes_go_row_by_row(self, B, N, d, seed):
        memory, erase, add = drawn(seed, (B, N, d), (B, d), (B, d))
        weights, erase = drawn(seed, (B, N))[0].softmax(-1), erase.sigmoid()
        written = memories.memory_write(memory, weights, erase, add)
        for b in range(B):
            read = sum(weights[b, i] * memory[b, i] for i in range(N))
            assert_close(memories.memory_read(memory, weights)[b], read)
            for i in range(N):
                kept = memory[b, i] * (1 - weights[b, i] * erase[b])
                assert_close(written[b, i], kept + weights[b, i] * add[b])


class TestHeadsAndRetrieval:
    """Luong's general score with heads, and the best keys of a store."""

    @given(B=sizes, T_t=sizes, T_s=sizes, heads=st.integers(1, 3), seed=seeds)
    @quick
    def test_heads_are_those_of_multi_head_attention(self, B, T_t, T_s, heads, seed):
        enc, dec = 2 * heads, 3 * heads
        module = modules.MultiHeadLuong(enc, dec, heads)
        state = load(module, seed % 1000)
        s, h = drawn(seed, (B, T_t, dec), (B, T_s, enc))
        context, weights = module(s, h)
        given_ = (s, h @ state["W_a.weight"].T, h)
        q, k, v = (x.view(B, x.shape[1], heads, -1).transpose(1, 2) for x in given_)
        joined = F.scaled_dot_product_attention(q, k, v, scale=1.0).transpose(1, 2)
        assert_close(context, F.linear(joined.reshape(B, T_t, enc), state["W_o.weight"]))
        assert_close(
            weights, torch.stack([F.softmax(a @ b.mT, -1) for a, b in zip(q.unbind(1), k.unbind(1), strict=True)], 1)
        )

    def test_one_head_of_equal_widths_is_that_of_torch(self):
        """nn.MultiheadAttention scales the scores, and has a projection of its own for the queries."""
        module, theirs = modules.MultiHeadLuong(6, 6, 3), nn.MultiheadAttention(6, 3, bias=False, batch_first=True)
        state, eye = load(module), torch.eye(6)
        theirs.in_proj_weight.data = torch.cat([eye * math.sqrt(2), state["W_a.weight"].float(), eye])
        theirs.out_proj.weight.data = state["W_o.weight"].float()
        s, h = drawn(5, (2, 4, 6), (2, 5, 6))
        expected, weights = theirs(s.float(), h.float(), h.float(), average_attn_weights=False)
        for one, other in zip(module(s, h), (expected, weights), strict=True):
            assert_close(one.float(), other)

    @given(B=sizes, T_q=sizes, N=sizes, d_k=sizes, seed=seeds, data=st.data())
    @quick
    def test_retrieval_is_masked_attention_to_the_topk_of_torch(self, B, T_q, N, d_k, seed, data):
        k = data.draw(st.integers(1, N))
        query, keys, values = given_ = drawn(seed, (B, T_q, d_k), (B, N, d_k), (B, N, 3))
        output, indices = memories.top_k_retrieval(*given_, k)
        best = torch.topk(query @ keys.mT, k, -1).indices
        seen = torch.zeros(B, T_q, N, dtype=torch.bool).scatter(2, best, True)
        assert torch.equal(indices, best)
        assert_close(output, F.scaled_dot_product_attention(query, keys, values, attn_mask=seen))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: readers.multi_hop(randn(1, 2), randn(1, 3, 2), 0), "at least 1"),
        (lambda: memories.top_k_retrieval(randn(1, 2, 2), randn(1, 3, 2), randn(1, 3, 2), 0), "from 1 to 3"),
        (lambda: memories.top_k_retrieval(randn(1, 2, 2), randn(1, 3, 2), randn(1, 3, 2), 4), "from 1 to 3"),
        (lambda: modules.MultiHeadLuong(6, 4, 4), "do not divide"),
        (lambda: modules.MultiHeadLuong(4, 6, 4), "do not divide"),
    ],
)
def test_refuse_what_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
