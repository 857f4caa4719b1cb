# hugo
import torch
from torch import nn

def stable_softmax(scores, dim=-1):
    top = torch.exp(scores - scores.amax(dim, True))
    return top / top.sum(dim, True)

def softmax_vjp(weights, grad_weights):
    g = grad_weights
    a = weights
    # a*g summed up, then taken off
    mean = (a * g).sum(-1, keepdim=True)
    return a * (g - mean)

class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v   = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        q = self.W_s(decoder_state)
        k = self.W_h(encoder_states)
        x = torch.tanh(q[:, None, :] + k)
        return self.v(x)[:, :, 0]

    def forward(self, decoder_state, encoder_states):
        attn = stable_softmax(self.score(decoder_state, encoder_states))
        ctx = torch.bmm(attn[:, None, :], encoder_states)[:, 0, :]
        # print(attn.shape, ctx.shape)
        return attn, ctx
