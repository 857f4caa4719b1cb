# lots of prints because I could not get the debugger to work in the lab
import torch
from torch import nn

torch.set_printoptions(profile="full")


def show(name, x):
    print("=" * 100)
    print(name, tuple(x.shape), x.dtype)
    for _ in range(50):
        for row in x.reshape(-1, x.shape[-1]):
            print(name, row.tolist())
    print("=" * 100)


class LuongAttention(nn.Module):
    """The three scores of Luong et al."""

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        self.method = method
        if method == "dot" and enc_dim != dec_dim:
            raise ValueError("dot: enc_dim must be dec_dim")
        if method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        if method == "concat":
            if attn_dim is None:
                raise ValueError("concat: attn_dim?")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        if method not in ["dot", "general", "concat"]:
            raise ValueError(f"{method} is not a method")

    def score(self, decoder_states, encoder_states):
        if self.method == "concat":
            s = decoder_states.unsqueeze(2)
            h = encoder_states.unsqueeze(1)
            s, h = torch.broadcast_tensors(
                torch.nn.functional.pad(s, (0, h.shape[-1])), torch.nn.functional.pad(h, (s.shape[-1], 0))
            )
            return self.v(torch.tanh(self.W_a(s + h))).squeeze(-1)
        if self.method == "general":
            encoder_states = self.W_a(encoder_states)
        return decoder_states.matmul(encoder_states.mT)

    def forward(self, decoder_states, encoder_states):
        scores = self.score(decoder_states, encoder_states)
        show("decoder_states", decoder_states)
        show("encoder_states", encoder_states)
        show("scores", scores)
        weights = scores.softmax(-1)
        return weights.matmul(encoder_states), weights


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        show("context", context)
        joined = torch.cat([context, decoder_states], dim=-1)
        return torch.tanh(self.W_c(joined))


def local_weights(scores, center, half_width):
    n = scores.shape[-1]
    j = torch.arange(n, dtype=scores.dtype, device=scores.device)
    d = (j - center[:, None])
    window = d.abs() <= half_width
    e = torch.where(window, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    a = torch.softmax(e, dim=-1) * window
    show("a", a)
    sigma = half_width / 2
    return a * torch.exp(-d ** 2 / (2 * sigma ** 2))
