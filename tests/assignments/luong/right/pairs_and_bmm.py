# All pairs of positions expanded for concat scores; `bmm` for the rest.
# from added_fill: LuongAttention.__init__, AttentionalHidden

import torch.nn.functional as F


class LuongAttention(nn.Module):
    def score(self, decoder_states, encoder_states):
        B, T_t, _ = decoder_states.size()
        T_s = encoder_states.size(1)
        if self.method == "concat":
            s = decoder_states.unsqueeze(2).expand(B, T_t, T_s, decoder_states.size(2))
            h = encoder_states.unsqueeze(1).expand(B, T_t, T_s, encoder_states.size(2))
            return self.v(torch.tanh(self.W_a(torch.cat([s, h], dim=3)))).squeeze(3)
        if self.method == "general":
            encoder_states = self.W_a(encoder_states)
        return torch.bmm(decoder_states, encoder_states.permute(0, 2, 1))

    def forward(self, decoder_states, encoder_states):
        weights = F.softmax(self.score(decoder_states, encoder_states), dim=2)
        return torch.bmm(weights, encoder_states), weights


def local_weights(scores, center, half_width):
    T_s = scores.size(1)
    positions = torch.arange(T_s, device=scores.device).unsqueeze(0).expand_as(scores)
    left = torch.ceil(center.detach() - half_width).unsqueeze(1)
    right = torch.floor(center.detach() + half_width).unsqueeze(1)
    window = (positions >= left) & (positions <= right)
    filled = torch.where(window, scores, torch.full_like(scores, -1e9))
    align = F.softmax(filled, dim=1)
    align = torch.where(window, align, torch.zeros_like(align))
    sigma = half_width / 2.0
    return align * torch.exp(-((positions - center.unsqueeze(1)) ** 2) / (2 * sigma**2))
