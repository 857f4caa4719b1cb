# whole file: A large negative number added outside the window; concat scores in a loop over target positions.
import torch
import torch.nn as nn


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
        if self.method == "dot":
            return torch.matmul(decoder_states, encoder_states.permute(0, 2, 1))
        elif self.method == "general":
            return torch.matmul(decoder_states, self.W_a(encoder_states).permute(0, 2, 1))
        else:
            scores = []
            for t in range(decoder_states.size(1)):
                s = decoder_states[:, t : t + 1].expand(-1, encoder_states.size(1), -1)
                scores.append(self.v(torch.tanh(self.W_a(torch.cat((s, encoder_states), dim=2)))).transpose(1, 2))
            return torch.cat(scores, dim=1)

    def forward(self, decoder_states, encoder_states):
        weights = torch.softmax(self.score(decoder_states, encoder_states), dim=2)
        context = torch.matmul(weights, encoder_states)
        return (context, weights)


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)

    def forward(self, context, decoder_states):
        return torch.tanh(self.W_c(torch.cat((context, decoder_states), dim=2)))


def local_weights(scores, center, half_width):
    positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device).unsqueeze(0)
    center = center.unsqueeze(1)
    mask = ((positions - center).abs() <= half_width).to(scores.dtype)
    weights = torch.softmax(scores + (1.0 - mask) * -1e9, dim=1) * mask
    sigma = half_width / 2
    return weights * torch.exp(-torch.pow(positions - center, 2) / (2 * sigma ** 2))
