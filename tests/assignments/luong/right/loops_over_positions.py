# Loops over target and source positions.
# from added_fill: LuongAttention.__init__

import math


class LuongAttention(nn.Module):
    def one(self, s, h):
        if self.method == "dot":
            return (s * h).sum(-1)
        if self.method == "general":
            return (s * self.W_a(h)).sum(-1)
        return self.v(torch.tanh(self.W_a(torch.cat([s, h], -1))))[:, 0]

    def score(self, decoder_states, encoder_states):
        rows = []
        for t in range(decoder_states.shape[1]):
            row = []
            for j in range(encoder_states.shape[1]):
                row.append(self.one(decoder_states[:, t], encoder_states[:, j]))
            rows.append(torch.stack(row, dim=1))
        return torch.stack(rows, dim=1)

    def forward(self, decoder_states, encoder_states):
        scores = self.score(decoder_states, encoder_states)
        contexts, weights = [], []
        for t in range(scores.shape[1]):
            w = torch.softmax(scores[:, t], dim=1)
            c = 0
            for j in range(encoder_states.shape[1]):
                c = c + w[:, j : j + 1] * encoder_states[:, j]
            contexts.append(c)
            weights.append(w)
        return torch.stack(contexts, 1), torch.stack(weights, 1)


class AttentionalHidden(nn.Module):
    def forward(self, context, decoder_states):
        steps = []
        for t in range(context.shape[1]):
            steps.append(self.W_c(torch.cat([context[:, t], decoder_states[:, t]], dim=1)).tanh())
        return torch.stack(steps, dim=1)


def local_weights(scores, center, half_width):
    rows = []
    for row, p in zip(scores, center):
        first = max(0, math.ceil(p.item() - half_width))
        last = min(len(row) - 1, math.floor(p.item() + half_width))
        out = torch.zeros_like(row)
        if first <= last:
            j = torch.arange(first, last + 1, dtype=row.dtype, device=row.device)
            inside = torch.softmax(row[first : last + 1], 0) * torch.exp(-((j - p) ** 2) / (2 * (half_width / 2) ** 2))
            out[first : last + 1] = inside
        rows.append(out)
    return torch.stack(rows)
