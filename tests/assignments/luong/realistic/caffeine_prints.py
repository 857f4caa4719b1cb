# luong.py
# 3am version

import torch
from torch import nn
import torch.nn.functional as F
import matplotlib.pyplot as plt

DEBUG = False
torch.set_printoptions(precision=4, sci_mode=False)


def dbg(*args):
    if DEBUG:
        print("[dbg]", *args)


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        print("LuongAttention:", enc_dim, dec_dim, method, attn_dim)
        self.method = method
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("dims")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            if attn_dim is None:
                raise ValueError("attn_dim")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        else:
            raise ValueError(method)

    def score(self, decoder_states, encoder_states):
        B, Tt, _ = decoder_states.shape
        Ts = encoder_states.shape[1]
        dbg(B, Tt, Ts)
        if self.method == "dot":
            out = torch.matmul(decoder_states, encoder_states.permute(0, 2, 1))
        elif self.method == "general":
            out = torch.matmul(decoder_states, self.W_a(encoder_states).permute(0, 2, 1))
        else:
            S = decoder_states[:, :, None, :].repeat(1, 1, Ts, 1)
            H = encoder_states[:, None, :, :].repeat(1, Tt, 1, 1)
            out = self.v(torch.tanh(self.W_a(torch.cat([S, H], dim=-1))))[..., 0]
        dbg("scores", out.shape)
        return out

    def forward(self, decoder_states, encoder_states):
        scores = self.score(decoder_states, encoder_states)
        weights = F.softmax(scores, dim=1)
        dbg("weights", weights.shape, weights.sum(1))
        context = torch.matmul(weights, encoder_states)
        return context, weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        x = torch.cat([context, decoder_states], dim=2)
        dbg("cat", x.shape)
        return torch.tanh(self.W_c(x))


def local_weights(scores, center, half_width):
    T = scores.shape[1]
    j = torch.arange(0, T).to(scores)
    dist = (j[None, :] - center[:, None]).abs()
    window = dist <= half_width
    dbg(window)
    s = torch.where(window, scores, torch.full_like(scores, float("-inf")))
    # nan if nothing is in the window
    s = torch.where(window.any(1, keepdim=True), s, torch.zeros_like(s))
    a = F.softmax(s, dim=1)
    a = torch.where(window, a, torch.zeros_like(a))
    sigma = half_width / 2
    g = torch.exp(-dist / (2 * sigma ** 2))
    return a * g


def plot_window(w):
    plt.figure(figsize=(6, 2))
    plt.bar(range(w.shape[1]), w[0].detach())
    plt.savefig("window.png")


if __name__ == "__main__":
    DEBUG = True
    w = local_weights(torch.zeros(1, 7), torch.tensor([2.5]), half_width=2)
    print(w)
    plot_window(w)
    #exit()
