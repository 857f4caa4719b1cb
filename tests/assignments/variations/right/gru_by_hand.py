# A pyramid whose GRUs are written out, gate by gate, with states that stay zero outside the sentence.
import torch
from torch import nn
from torch.nn import functional as F


def direction(rnn, name, x, real, order):
    """One direction of a GRU: (B, T, D), (B, T) -> (B, T, hidden_dim)."""
    W, R = getattr(rnn, f"weight_ih_{name}"), getattr(rnn, f"weight_hh_{name}")
    b, c = getattr(rnn, f"bias_ih_{name}"), getattr(rnn, f"bias_hh_{name}")
    h = x.new_zeros(x.size(0), rnn.hidden_size)
    states = {}
    for t in order:
        r, z, n = F.linear(x[:, t], W, b).chunk(3, dim=1)
        r_h, z_h, n_h = F.linear(h, R, c).chunk(3, dim=1)
        r, z = torch.sigmoid(r + r_h), torch.sigmoid(z + z_h)
        new = (1 - z) * torch.tanh(n + r * n_h) + z * h
        h = torch.where(real[:, t, None], new, torch.zeros_like(new))
        states[t] = h
    return torch.stack([states[t] for t in range(x.size(1))], dim=1)


class PyramidalEncoder(nn.Module):
    def __init__(self, input_dim, hidden_dim, num_layers):
        super().__init__()

        def layer(width):
            return nn.GRU(width, hidden_dim, batch_first=True, bidirectional=True)

        self.rnns = nn.ModuleList([layer(2 * input_dim), *(layer(4 * hidden_dim) for _ in range(num_layers - 1))])

    def forward(self, frames, lengths):
        x, n = frames, lengths.to(frames.device)
        x = torch.where(self.real(x, n)[..., None], x, torch.zeros_like(x))
        for rnn in self.rnns:
            even, odd = x[:, 0::2], x[:, 1::2]
            odd = F.pad(odd, (0, 0, 0, even.size(1) - odd.size(1)))
            x, n = torch.cat([even, odd], dim=2), n.add(1).floor_divide(2)
            real, steps = self.real(x, n), range(x.size(1))
            x = torch.cat([direction(rnn, "l0", x, real, steps), direction(rnn, "l0_reverse", x, real, steps[::-1])], 2)
        return x, n

    @staticmethod
    def real(x, n):
        return torch.arange(x.size(1), device=x.device)[None] < n[:, None]
