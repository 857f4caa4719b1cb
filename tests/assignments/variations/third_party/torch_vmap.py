"""torch's own: vmap, topk, cosine_similarity, a convolution and the packed GRU; no ready-made attention."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_sequence, unpack_sequence, unpad_sequence


def coverage_attention(scores, penalty):
    rows = [torch.softmax(scores[:, 0], dim=-1)]
    for row in scores.unbind(dim=1)[1:]:
        rows.append(torch.softmax(torch.add(row, sum(rows), alpha=-penalty), dim=-1))
    weights = torch.stack(rows, dim=1)
    seen = F.pad(weights.cumsum(dim=1)[:, :-1], (0, 0, 1, 0))
    return weights, seen


def real_mean(rows, lengths):
    return torch.cat(unpad_sequence(rows, lengths, batch_first=True)).mean()


def coverage_loss(weights, seen, tgt_lengths):
    return real_mean(torch.fmin(weights, seen).sum(dim=-1), tgt_lengths)


class PointerGenerator(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim):
        super().__init__()
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        """logsigmoid for both sides of the gate; one_hot finds the words."""
        logit = self.w_c(context) + self.w_s(state) + self.w_y(embedded)
        generate, copy = F.logsigmoid(logit).exp(), F.logsigmoid(-logit).exp()
        copied = torch.func.vmap(torch.mv)(F.one_hot(src_ids, extended_size).mT.to(weights.dtype), weights)
        distribution = copy * copied
        width = vocab_probs.shape[1]
        distribution = torch.cat([distribution[:, :width] + generate * vocab_probs, distribution[:, width:]], dim=1)
        return distribution, generate.flatten()


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("no hop")

    def hop(query, memory):
        weights = torch.softmax(torch.mv(memory, query), dim=0)
        return torch.mv(memory.T, weights), weights

    found = []
    for _ in range(hops):
        query, weights = torch.func.vmap(hop)(query, memory)
        found.append(weights)
    return query, torch.stack(found, dim=1)


class BiDAF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(3 * dim, 1, bias=False)

    def similarity(self, context, question):
        def pair(h, u):
            return self.w(torch.cat([h, u, h * u])).squeeze(0)

        words = torch.func.vmap(torch.func.vmap(pair, in_dims=(None, 0)), in_dims=(0, None))
        return torch.func.vmap(words)(context, question)

    def forward(self, context, question, context_mask, question_mask):
        scores = torch.where(question_mask[:, None], self.similarity(context, question), -torch.inf)
        asked = torch.baddbmm(context, torch.softmax(scores, dim=2), question, beta=0)
        best = scores.max(dim=2).values
        found = torch.softmax(torch.where(context_mask, best, -torch.inf), dim=1)[:, None] @ context
        joined = torch.cat([context, asked, torch.mul(context, asked), torch.mul(context, found)], dim=2)
        return torch.where(context_mask[..., None], joined, joined.new_zeros(()))


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features, state):
        """A convolution with a kernel of one place, as nets do it."""
        projected = F.conv2d(features, self.W_a.weight[..., None, None])
        scores = torch.linalg.vecdot(projected, state[..., None, None], dim=1)
        weights = torch.softmax(scores.flatten(1), dim=1).view_as(scores)
        return torch.func.vmap(lambda one, shares: torch.tensordot(one, shares, dims=2))(features, weights), weights


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()
        sizes = [2 * input_dim, *[4 * hidden_dim] * (num_layers - 1)]
        self.rnns = nn.ModuleList([nn.GRU(size, hidden_dim, batch_first=True, bidirectional=True) for size in sizes])

    def forward(self, frames, lengths):
        """A list of sentences, each of its own length, through the whole pyramid."""
        width = frames.shape[1]
        states = unpad_sequence(frames, lengths, batch_first=True)
        for rnn in self.rnns:
            width = -(-width // 2)
            states = [F.pad(one, (0, 0, 0, len(one) & 1)).reshape(-1, 2 * one.shape[1]) for one in states]
            states = unpack_sequence(rnn(pack_sequence(states, enforce_sorted=False))[0])
        padded = pad_sequence(states, batch_first=True)
        new = torch.tensor([len(one) for one in states], device=frames.device)
        return F.pad(padded, (0, 0, 0, width - padded.shape[1])), new


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    distance = F.mse_loss(weights, gold, reduction="none").sum(dim=-1)
    return torch.add(task_loss, real_mean(distance, tgt_lengths), alpha=factor)


def monotonic_attention(scores):
    """The border only grows: a row's peak is never before its border."""
    rows, border = [], scores.new_zeros(len(scores), 1, dtype=torch.long)
    places = torch.arange(scores.shape[2], device=scores.device)
    for row in scores.unbind(dim=1):
        shown = torch.where(torch.ge(places, border), row, -torch.inf)
        rows.append(F.softmax(shown, dim=1))
        border = shown.argmax(dim=1, keepdim=True)
    return torch.stack(rows, dim=1)


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    high, wide = scores.shape[1:]

    def one(scores, S, T):
        t = torch.arange(high, dtype=scores.dtype, device=scores.device)
        j = torch.arange(wide, dtype=scores.dtype, device=scores.device)
        prior = torch.exp(-torch.square(torch.sub(j, (t * S / T)[:, None])) / (2 * sigma**2))
        weights = torch.softmax(torch.where(j < S, scores + prior, -torch.inf), dim=1)
        return torch.where((t < T)[:, None], weights, 0.0)

    return torch.func.vmap(one)(scores, src_lengths, tgt_lengths)


def memory_address(memory, key, strength):
    cosines = F.cosine_similarity(memory, key[:, None], dim=2, eps=1e-8)
    return F.softmax(cosines * strength[:, None], dim=1)


def memory_read(memory, weights):
    return torch.func.vmap(lambda one, shares: torch.mv(one.T, shares))(memory, weights)


def memory_write(memory, weights, erase, add):
    def one(memory, weights, erase, add):
        return torch.addcmul(memory, memory, torch.outer(weights, erase), value=-1) + torch.outer(weights, add)

    return torch.func.vmap(one)(memory, weights, erase, add)


class MultiHeadLuong(nn.Module):
    def __init__(self, enc_dim, dec_dim, num_heads):
        super().__init__()
        if enc_dim % num_heads != 0 or dec_dim % num_heads != 0:
            raise ValueError(f"{num_heads} heads for {enc_dim} and {dec_dim}")
        self.num_heads = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)

    def forward(self, decoder_states, encoder_states):
        def head(s, h, values):
            weights = torch.softmax(torch.inner(s, h), dim=-1)
            return weights @ values, weights

        heads = torch.func.vmap(head, in_dims=-2, out_dims=(-2, -3))
        s, h, values = (
            x.unflatten(-1, (self.num_heads, -1)) for x in (decoder_states, self.W_a(encoder_states), encoder_states)
        )
        context, weights = torch.func.vmap(heads)(s, h, values)
        return self.W_o(context.flatten(-2)), weights


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.shape[1]:
        raise ValueError(k)

    def one(query, keys, values):
        scores, places = torch.topk(torch.mv(keys, query), k)
        return torch.mv(values[places].T, torch.softmax(scores * query.numel() ** -0.5, dim=0)), places

    return torch.func.vmap(torch.func.vmap(one, in_dims=(0, None, None)))(query, keys, values)
