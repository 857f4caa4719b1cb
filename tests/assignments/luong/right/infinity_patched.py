# `-inf` outside the window, and `nan_to_num` for rows without a position.
# from added_fill: LuongAttention.__init__, AttentionalHidden


class LuongAttention(nn.Module):
    def score(self, decoder_states, encoder_states):
        if self.method == "dot":
            return decoder_states.matmul(encoder_states.transpose(-1, -2))
        if self.method == "general":
            return self.W_a(encoder_states).matmul(decoder_states.transpose(-1, -2)).transpose(-1, -2)
        T_s, T_t = encoder_states.shape[1], decoder_states.shape[1]
        s = decoder_states.repeat_interleave(T_s, dim=1)
        h = encoder_states.repeat(1, T_t, 1)
        e = self.v(self.W_a(torch.cat([s, h], -1)).tanh())
        return e.reshape(-1, T_t, T_s)

    def forward(self, decoder_states, encoder_states):
        weights = nn.Softmax(dim=-1)(self.score(decoder_states, encoder_states))
        return weights.matmul(encoder_states), weights


def local_weights(scores, center, half_width):
    """The gradient of masked_fill is zero where it filled, so NaN does not get through."""
    d = torch.arange(scores.shape[1], dtype=scores.dtype, device=scores.device) - center.reshape(-1, 1)
    outside = torch.abs(d) > half_width
    a = torch.softmax(scores.masked_fill(outside, float("-inf")), dim=1).nan_to_num(0.0)
    return a * torch.exp(-(d**2) / (2 * (half_width / 2) ** 2))
