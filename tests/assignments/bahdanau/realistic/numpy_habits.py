import numpy as np
import torch
import torch.nn as nn

np.set_printoptions(precision=3, suppress=True)


def stable_softmax(scores, dim=-1):
    # same as scipy.special.softmax(x, axis)
    x = scores
    x = x - torch.amax(x, dim, keepdim=True)
    e = torch.exp(x)
    return e / torch.sum(e, axis=dim, keepdims=True)


def softmax_vjp(weights, grad_weights):
    # S = weights, dS/dx = diag(S) - S S^T
    # => (diag(S) - S S^T) g, the vectorised form is
    inner = torch.sum(weights * grad_weights, axis=-1, keepdims=True)
    return grad_weights - inner


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super(BahdanauAttention, self).__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        s = self.W_s(decoder_state)[:, np.newaxis, :]     # (B, 1, A)
        h = self.W_h(encoder_states)                      # (B, T, A)
        return self.v(torch.tanh(s + h))[..., 0]

    def forward(self, decoder_state, encoder_states):
        w = stable_softmax(self.score(decoder_state, encoder_states), -1)
        # c = np.sum(w[..., None] * H, axis=1)
        c = torch.sum(w[..., np.newaxis] * encoder_states, axis=1)
        return c, w


def _np_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


if __name__ == "__main__":
    x = np.random.randn(3, 4)
    print(np.allclose(_np_softmax(x), stable_softmax(torch.from_numpy(x)).numpy()))
    att = BahdanauAttention(4, 3, 5)
    c, w = att(torch.randn(2, 3), torch.randn(2, 6, 4))
    print(c.detach().numpy())
    print(w.detach().numpy().sum(-1))
