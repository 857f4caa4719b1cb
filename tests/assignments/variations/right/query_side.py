# Projects the one query, not the many keys; splits layers of joined vectors, and joins split ones.
import torch
from torch import nn
from torch.nn import functional as F


class PointerGenerator(nn.Module):
    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        whole = F.linear(
            torch.cat([context, state, embedded], dim=-1),
            torch.cat([self.w_c.weight, self.w_s.weight, self.w_y.weight], dim=-1),
            self.w_y.bias,
        )
        shares = F.softmax(torch.cat([whole, torch.zeros_like(whole)], dim=-1), dim=-1)
        p_gen, p_copy = shares.split(1, dim=-1)
        every = torch.arange(vocab_probs.size(1), device=src_ids.device).expand(len(src_ids), -1)
        ids = torch.cat([every, src_ids], dim=-1)
        masses = torch.cat([p_gen * vocab_probs, p_copy * weights], dim=-1)
        empty = torch.zeros(len(ids), extended_size, dtype=masses.dtype, device=masses.device)
        return torch.scatter_add(empty, -1, ids, masses), p_gen.flatten()


class BiDAF(nn.Module):
    def similarity(self, context, question):
        of_context, of_question, of_both = self.w.weight.chunk(3, dim=1)
        scores = torch.bmm(context * of_both + of_question, question.transpose(1, 2))
        return scores + F.linear(context, of_context)


class SpatialAttention(nn.Module):
    def forward(self, features, state):
        asked = state @ self.W_a.weight  # (B, feature_dim)
        scores = (features * asked[:, :, None, None]).sum(dim=1)
        weights = torch.exp(scores - torch.logsumexp(scores, dim=(1, 2), keepdim=True))
        return (features * weights.unsqueeze(1)).sum(dim=(2, 3)), weights


class MultiHeadLuong(nn.Module):
    def forward(self, decoder_states, encoder_states):
        B, T_t, _ = decoder_states.shape
        k = decoder_states.shape[2] // self.num_heads
        e = encoder_states.shape[2] // self.num_heads
        per_head = self.W_a.weight.view(self.num_heads, k, -1)  # (heads, k, enc_dim)
        s = decoder_states.reshape(B, T_t, self.num_heads, k).permute(0, 2, 1, 3)
        weights = (s @ per_head @ encoder_states.transpose(1, 2).unsqueeze(1)).softmax(dim=3)
        outs = self.W_o.weight.split(e, dim=1)
        values = encoder_states.split(e, dim=2)
        context = sum(weights[:, i] @ (values[i] @ outs[i].T) for i in range(self.num_heads))
        return context, weights


def memory_address(memory, key, strength):
    asked = F.normalize(key, dim=1, eps=1e-8) * strength[:, None]
    return F.softmax((F.normalize(memory, dim=2, eps=1e-8) @ asked[:, :, None])[:, :, 0], dim=1)
