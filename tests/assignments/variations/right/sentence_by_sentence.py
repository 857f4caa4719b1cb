# One sentence at a time, cut to its real length, so that no masks are needed; results are padded in the end.
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def coverage_loss(weights, seen, tgt_lengths):
    rows = [torch.minimum(w[:n], s[:n]).sum(-1) for w, s, n in zip(weights, seen, tgt_lengths)]
    return torch.cat(rows).mean()


class PointerGenerator(nn.Module):
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        p_gen = torch.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded)).squeeze(-1)
        rest = vocab_probs.new_zeros(extended_size - vocab_probs.size(1))
        rows = []
        for p, words, w, ids in zip(p_gen, vocab_probs, weights, src_ids):
            rows.append(torch.cat([p * words, rest]).index_add(0, ids, (1 - p) * w))
        return torch.stack(rows), p_gen


class BiDAF(nn.Module):
    def forward(self, context, question, context_mask, question_mask):
        result = []
        for h, u, real, asked in zip(context, question, context_mask, question_mask):
            x, u = h[real], u[asked]
            s = self.similarity(x[None], u[None])[0]
            to_question = s.softmax(1) @ u
            to_context = s.max(1).values.softmax(0) @ x
            g = torch.cat([x, to_question, x * to_question, x * to_context], dim=1)
            place = torch.cumsum(real, 0) - 1
            result.append(torch.where(real[:, None], g[place.clamp(min=0)], torch.zeros_like(g[:1])))
        return torch.stack(result)


class PyramidalEncoder(nn.Module):
    def forward(self, frames, lengths):
        T = frames.size(1)
        states, shorter = [], []
        for x, n in zip(frames, lengths.tolist()):
            x = x[:n]
            for rnn in self.rnns:
                x = nn.functional.pad(x, (0, 0, 0, len(x) % 2)).reshape(-1, 2 * x.size(1))
                x = rnn(x)[0]
            states.append(x)
            shorter.append(len(x))
        for _ in self.rnns:
            T = -(-T // 2)
        states.append(states[0].new_zeros(T, states[0].size(1)))  # makes all as long as T'
        return pad_sequence(states, batch_first=True)[:-1], torch.tensor(shorter, device=lengths.device)


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    kept = [(w - g)[:n].pow(2).sum(1) for w, g, n in zip(weights, gold, tgt_lengths)]
    return factor * torch.cat(kept).mean() + task_loss


def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    result = []
    for row, S, T in zip(scores, src_lengths.tolist(), tgt_lengths.tolist()):
        j, t = torch.meshgrid(torch.arange(S), torch.arange(T), indexing="xy")
        prior = torch.exp(-(j - t.double() * S / T).pow(2) / (2 * sigma * sigma)).to(row)
        one = torch.softmax(row[:T, :S] + prior, -1)
        result.append(nn.functional.pad(one, (0, row.size(1) - S, 0, row.size(0) - T)))
    return torch.stack(result)


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.size(-2):
        raise ValueError(k)
    outputs, places = [], []
    for q, key, value in zip(query, keys, values):
        top = (q @ key.t()).topk(k, dim=1)
        a = (top.values / q.size(1) ** 0.5).softmax(1)
        outputs.append(torch.bmm(a.unsqueeze(1), value[top.indices]).squeeze(1))
        places.append(top.indices)
    return torch.stack(outputs), torch.stack(places)
