import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    # subtract the max so exp does not overflow (see lecture 3)
    scores = scores - scores.max()
    exps = torch.exp(scores)
    return exps / torch.sum(exps, dim=dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    return weights * (grad_weights - torch.sum(weights * grad_weights, dim=-1, keepdim=True))


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        make = lambda n_in, n_out: nn.Linear(n_in, n_out, bias=False)
        self.W_s = make(dec_dim, attn_dim)
        self.W_h = make(enc_dim, attn_dim)
        self.v = make(attn_dim, 1)

    def score(self, decoder_state, encoder_states):
        pre = self.W_s(decoder_state)[:, None, :] + self.W_h(encoder_states)
        return self.v(pre.tanh()).squeeze(-1)

    def forward(self, decoder_state, encoder_states):
        alpha = stable_softmax(self.score(decoder_state, encoder_states))
        return (alpha.unsqueeze(1) @ encoder_states).squeeze(1), alpha
