# Libraries of images: 1 x 1 convolutions, pooling and unfold.
import torch
from torch import nn
from torch.nn import functional as F


class SpatialAttention(nn.Module):
    def __init__(self, feature_dim, state_dim):
        super().__init__()
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)

    def forward(self, features, state):
        projected = F.conv2d(features, self.W_a.weight[:, :, None, None])
        scores = (projected * state[:, :, None, None]).sum(1)
        weights = F.softmax(scores.flatten(-2), -1).unflatten(-1, scores.shape[-2:])
        context = F.adaptive_avg_pool2d(features * weights.unsqueeze(1), 1) * scores[0].numel()
        return context.flatten(1), weights


class PyramidalEncoder(nn.Module):
    def forward(self, frames, lengths):
        x = frames
        n = lengths.detach().cpu()
        for rnn in self.rnns:
            keep = torch.arange(x.size(1)).unsqueeze(0).lt(n.unsqueeze(1)).to(x.device)
            x = x.where(keep.unsqueeze(-1), x.new_zeros(()))
            x = F.pad(x, (0, 0, 0, x.size(1) & 1))
            x = x.unfold(1, 2, 2).transpose(2, 3).flatten(2)
            n = (n + 1).div(2, rounding_mode="trunc")
            packed = nn.utils.rnn.pack_padded_sequence(x, n, batch_first=True, enforce_sorted=False)
            x = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], batch_first=True, total_length=x.size(1))[0]
        return x, n.to(lengths.device)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError
    weights = []
    m = query.unsqueeze(-1)
    for _ in range(hops):
        a = torch.matmul(memory, m).softmax(dim=1)
        m = torch.matmul(memory.transpose(1, 2), a)
        weights.append(a.transpose(1, 2))
    return m.squeeze(-1), torch.cat(weights, dim=1)


def memory_read(memory, weights):
    return torch.matmul(memory.transpose(1, 2), weights.unsqueeze(-1)).squeeze(-1)
