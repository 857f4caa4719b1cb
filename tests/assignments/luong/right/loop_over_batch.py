# whole file: A loop over the batch, with one method for each kind of score.
import torch
from torch import nn


class LuongAttention(nn.Module):
    METHODS = ("dot", "general", "concat")

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super(LuongAttention, self).__init__()
        if method not in self.METHODS:
            raise ValueError(method)
        getattr(self, "make_" + method)(enc_dim, dec_dim, attn_dim)
        self.scorer = getattr(self, "score_" + method)

    def make_dot(self, enc_dim, dec_dim, attn_dim):
        if enc_dim != dec_dim:
            raise ValueError("enc_dim must be dec_dim")

    def make_general(self, enc_dim, dec_dim, attn_dim):
        self.W_a = nn.Linear(enc_dim, dec_dim, False)

    def make_concat(self, enc_dim, dec_dim, attn_dim):
        if not attn_dim:
            raise ValueError("no attn_dim")
        self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, False)
        self.v = nn.Linear(attn_dim, 1, False)

    def score_dot(self, s, h):
        return s @ h.T

    def score_general(self, s, h):
        return s @ self.W_a.weight @ h.T

    def score_concat(self, s, h):
        pairs = torch.cat([s.repeat_interleave(len(h), 0), h.repeat(len(s), 1)], 1)
        return self.v(self.W_a(pairs).tanh()).view(len(s), len(h))

    def score(self, decoder_states, encoder_states):
        return torch.stack([self.scorer(s, h) for s, h in zip(decoder_states, encoder_states)])

    def forward(self, decoder_states, encoder_states):
        contexts, weights = [], []
        for s, h in zip(decoder_states, encoder_states):
            w = self.scorer(s, h).softmax(dim=1)
            weights.append(w)
            contexts.append(w @ h)
        return torch.stack(contexts), torch.stack(weights)


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        both = torch.cat([context, decoder_states], -1)
        flat = both.reshape(-1, both.shape[-1])
        return self.W_c(flat).tanh().reshape(decoder_states.shape)


def local_weights(scores, center, half_width):
    weights = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        d = torch.arange(scores.shape[1], dtype=scores.dtype, device=scores.device) - center[b]
        index = (d.abs() <= half_width).nonzero().squeeze(1)
        if index.numel() == 0:
            continue
        a = torch.softmax(scores[b, index], dim=0)
        weights[b, index] = a * torch.exp(-0.5 * (d[index] / (half_width / 2)) ** 2)
    return weights
