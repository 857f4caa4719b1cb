# whole file: Written for one sentence, with `torch.vmap` for the batch; the window is gathered and scattered back.
import torch
import torch.nn as nn
from torch.nn.functional import linear


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        match method, attn_dim:
            case "dot", _ if enc_dim == dec_dim:
                self.pair = torch.dot
            case "general", _:
                self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
                self.pair = self.general
            case "concat", int():
                self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
                self.v = nn.Linear(attn_dim, 1, bias=False)
                self.pair = self.concat
            case _:
                raise ValueError(f"no attention for {(enc_dim, dec_dim, method, attn_dim)}")

    def general(self, s, h):
        return torch.dot(s, torch.mv(self.W_a.weight, h))

    def concat(self, s, h):
        joined = torch.hstack((s, h))
        return self.v(torch.tanh(self.W_a(joined))).sum()

    def score(self, decoder_states, encoder_states):
        row = torch.vmap(self.pair, in_dims=(None, 0))
        table = torch.vmap(row, in_dims=(0, None))
        return torch.vmap(table)(decoder_states, encoder_states)

    def forward(self, decoder_states, encoder_states):
        weights = torch.exp(torch.log_softmax(self.score(decoder_states, encoder_states), dim=-1))
        read = torch.vmap(lambda w, h: w.matmul(h))
        return read(weights, encoder_states), weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        joined = torch.dstack((context, decoder_states))
        return linear(joined, self.W_c.weight).tanh()


def local_weights(scores, center, half_width):
    length = scores.shape[1]
    with torch.no_grad():
        near = center.clamp(-half_width - 1, length + half_width + 1)  # far away, all windows are empty
        start = torch.ceil(near - half_width).long()
        steps = torch.arange(2 * half_width + 1, device=scores.device)
        index = start[:, None] + steps
        real = (index >= 0) & (index < length) & (index <= near[:, None] + half_width)
        index = index.clamp(0, length - 1)
    window = scores.gather(1, index).where(real, torch.finfo(scores.dtype).min)
    gauss = torch.exp(-0.5 * ((index - center[:, None]) / (half_width / 2)) ** 2)
    values = (window.softmax(dim=1) * gauss).where(real, 0.0)
    return torch.zeros_like(scores).scatter_add(1, index, values)
