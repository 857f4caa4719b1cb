import torch
from torch import nn


def softmax(x, dim):
    x = x - x.max(dim, keepdim=True)[0]
    e = torch.exp(x)
    return e / e.sum(dim, keepdim=True)


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("dims differ")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            if attn_dim is None:
                raise ValueError("attn_dim?")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        else:
            raise ValueError("unknown method " + str(method))
        self.method = method

    def score(self, decoder_states, encoder_states):
        if self.method == "concat":
            d = decoder_states.shape[-1]
            q = nn.functional.linear(decoder_states, self.W_a.weight[:, :d])
            k = nn.functional.linear(encoder_states, self.W_a.weight[:, d:])
            return (torch.tanh(q[:, :, None, :] + k[:, None, :, :]) * self.v.weight[0]).sum(-1)
        q = decoder_states if self.method == "dot" else decoder_states @ self.W_a.weight
        return (q[:, :, None, :] * encoder_states[:, None, :, :]).sum(-1)

    def forward(self, decoder_states, encoder_states):
        weights = softmax(self.score(decoder_states, encoder_states), -1)
        context = (weights[..., None] * encoder_states[:, None]).sum(2)
        return context, weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        return torch.tanh(self.W_c(torch.cat((context, decoder_states), dim=2)))


def local_weights(scores, center, half_width):
    T = scores.shape[1]
    out = torch.zeros_like(scores)
    d = torch.arange(T, dtype=scores.dtype, device=scores.device)[None] - center[:, None]
    inside = d * d <= half_width * half_width
    any_inside = inside.any(1)
    if any_inside.any():
        s = scores[any_inside].masked_fill(~inside[any_inside], float("-inf"))
        a = softmax(s, 1) * torch.exp(-(d[any_inside] ** 2) / (2 * (half_width / 2) ** 2))
        out[any_inside] = a
    return out
