import torch
import torch.nn as nn
import torch.nn.functional as F


def stable_softmax(scores, dim=-1):
    """
    First version (mine):

        e = torch.exp(scores)
        return e / e.sum(dim, keepdim=True)

    gave nan for 1e4. The pytorch one is stable so I use that.
    """
    return F.softmax(scores, dim=dim)


def softmax_vjp(weights, grad_weights):
    # y = softmax(x):  dx = y * (dy - <dy, y>)
    scalar = (grad_weights * weights).sum(dim=-1, keepdim=True)
    return weights * (grad_weights - scalar)


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        batch_size, src_len, _ = encoder_states.size()
        dec = self.W_s(decoder_state).view(batch_size, 1, -1).repeat(1, src_len, 1)
        enc = self.W_h(encoder_states)
        return self.v(torch.tanh(dec + enc)).view(batch_size, src_len)

    def forward(self, decoder_state, encoder_states):
        scores = self.score(decoder_state, encoder_states)
        weights = stable_softmax(scores)
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        return context, weights
