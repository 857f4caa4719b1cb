# Assignment 2: Luong attention

import torch
from torch import nn

# I did it like the decoder does it: one time step after the other.


class LuongAttention(nn.Module):
    """Multiplicative attention (Luong et al., 2015) for T_t decoder states at once."""

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        super().__init__()
        self.method = method
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("enc_dim and dec_dim must be the same for dot!")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            if attn_dim == None:
                raise ValueError("attn_dim is missing!")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        else:
            raise ValueError("method must be dot, general or concat!")

    def score_one_step(self, s, h):
        # s: (B, dec_dim)   h: (B, T_s, enc_dim)   result: (B, T_s)
        if self.method == "dot":
            return (s.unsqueeze(1) * h).sum(dim=2)
        if self.method == "general":
            Wh = self.W_a(h)
            return (s.unsqueeze(1) * Wh).sum(dim=2)
        if self.method == "concat":
            T_s = h.shape[1]
            s_repeated = s.unsqueeze(1).repeat(1, T_s, 1)
            both = torch.cat([s_repeated, h], dim=2)
            return self.v(torch.tanh(self.W_a(both))).squeeze(2)

    def score(self, decoder_states, encoder_states):
        T_t = decoder_states.shape[1]
        steps = []
        for t in range(T_t):
            steps.append(self.score_one_step(decoder_states[:, t, :], encoder_states))
        return torch.stack(steps, dim=1)

    def forward(self, decoder_states, encoder_states):
        scores = self.score(decoder_states, encoder_states)
        weights = torch.softmax(scores, dim=2)
        contexts = []
        for t in range(scores.shape[1]):
            w = weights[:, t, :].unsqueeze(2)
            contexts.append((w * encoder_states).sum(dim=1))
        context = torch.stack(contexts, dim=1)
        return context, weights


class AttentionalHidden(nn.Module):
    """Luong's attentional state: tanh(W_c [context; decoder_state])."""

    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        combined = torch.cat([context, decoder_states], dim=2)
        out = self.W_c(combined)
        out = torch.tanh(out)
        return out


def local_weights(scores, center, half_width):
    """Weights of Luong's local-p attention."""
    B, T_s = scores.shape
    sigma = half_width / 2
    rows = []
    for b in range(B):
        p = center[b]
        # which positions are inside?
        inside = []
        for j in range(T_s):
            if abs(j - p) <= half_width:
                inside.append(j)
        # times 0 and not torch.zeros, so that backward() also works when nothing is inside
        nothing = 0 * p + 0 * scores[b, 0]
        row = [nothing for j in range(T_s)]
        if len(inside) > 0:
            a = torch.softmax(scores[b, inside], dim=0)
            for k in range(len(inside)):
                j = inside[k]
                row[j] = a[k] * torch.exp(-((j - p) ** 2) / (2 * sigma**2))
        rows.append(torch.stack(row))
    return torch.stack(rows)


if __name__ == "__main__":
    states = torch.eye(4).unsqueeze(0)
    context, weights = LuongAttention(4, 4)(3 * states[:, [2, 0]], states)
    print(weights)
    print(local_weights(torch.zeros(1, 7), torch.tensor([2.5]), half_width=2))
    print(local_weights(torch.zeros(1, 7), torch.tensor([20.0]), half_width=2))
