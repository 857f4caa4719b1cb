import torch
import torch.nn as nn


def stable_softmax(scores, dim=-1):
    biggest = scores.amax(dim=dim, keepdim=True)
    powers = torch.exp(scores - biggest)
    total = powers.sum(dim=dim, keepdim=True)
    return powers / total


def softmax_vjp(weights, grad_weights):
    weighted = weights * grad_weights
    return weighted - weights * weighted.sum(dim=-1, keepdim=True)


class BahdanauAttention(nn.Module):
    """Additive attention: add the two projections, then let v read off one number per position."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        super(BahdanauAttention, self).__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        projected_state = self.W_s(decoder_state).unsqueeze(1)
        projected_words = self.W_h(encoder_states)
        # the sum is broadcast over the source positions
        return self.v(projected_state + projected_words).squeeze(2)

    def forward(self, decoder_state, encoder_states):
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=1)
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        return context, weights
