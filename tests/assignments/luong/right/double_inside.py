# Computes in float64 and returns the dtype of the input.
# from added_fill: LuongAttention.__init__, AttentionalHidden


class LuongAttention(nn.Module):
    def _score(self, s, h):
        if self.method == "dot":
            return s @ h.transpose(1, 2)
        W = self.W_a.weight.double()
        if self.method == "general":
            return s @ W @ h.transpose(1, 2)
        d = s.shape[-1]
        return torch.tanh((s @ W[:, :d].T)[:, :, None] + (h @ W[:, d:].T)[:, None]) @ self.v.weight.double()[0]

    def score(self, decoder_states, encoder_states):
        return self._score(decoder_states.double(), encoder_states.double()).to(decoder_states.dtype)

    def forward(self, decoder_states, encoder_states):
        h = encoder_states.double()
        w = self._score(decoder_states.double(), h).softmax(-1)
        return (w @ h).to(encoder_states.dtype), w.to(encoder_states.dtype)


def local_weights(scores, center, half_width):
    e, p = scores.double(), center.double()
    d = torch.arange(e.shape[1], dtype=torch.float64, device=e.device) - p[:, None]
    inside = d.abs() <= half_width
    e = e.masked_fill(~inside, -1e300).softmax(-1).masked_fill(~inside, 0)
    return (e * torch.exp(-(d**2) / 2 / (half_width / 2) ** 2)).to(scores.dtype)
