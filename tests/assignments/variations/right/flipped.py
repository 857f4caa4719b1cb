# No packing: both directions of a GRU run apart, the second one over sentences that are flipped within their lengths.
import torch
from torch import nn


class PyramidalEncoder(nn.Module):
    def forward(self, frames, lengths):
        lengths = lengths.to(frames.device)
        for rnn in self.rnns:
            frames = frames * 1.0
            frames = torch.where(within(frames, lengths), frames, 0.0)
            if frames.shape[1] % 2 == 1:
                frames = torch.cat([frames, torch.zeros_like(frames[:, :1])], dim=1)
            frames = torch.cat([frames[:, ::2, :], frames[:, 1::2, :]], dim=-1)
            lengths = torch.div(lengths + 1, 2, rounding_mode="floor")
            there = one_way(rnn, "", frames)
            back = flip(one_way(rnn, "_reverse", flip(frames, lengths)), lengths)
            frames = torch.where(within(frames, lengths), torch.cat([there, back], dim=-1), 0.0)
        return frames, lengths


def within(x, lengths):
    return (torch.arange(x.shape[1], device=x.device) < lengths.unsqueeze(-1)).unsqueeze(-1)


def flip(x, lengths):
    t = torch.arange(x.shape[1], device=x.device).expand(x.shape[0], -1)
    n = lengths.unsqueeze(1)
    place = torch.where(t < n, n - 1 - t, t)
    return torch.gather(x, 1, place.unsqueeze(2).expand_as(x))


def one_way(rnn, ending, x):
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    W_i, W_h, b_i, b_h = (getattr(rnn, name + ending) for name in names)
    h, out = x.new_zeros(x.shape[0], W_h.shape[1]), []
    for step in x.unbind(1):
        h = torch.gru_cell(step, h, W_i, W_h, b_i, b_h)
        out.append(h)
    return torch.stack(out, 1)
