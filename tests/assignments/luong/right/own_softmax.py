# An own softmax, and sums of products by broadcasting.
# from added_fill: LuongAttention.__init__, AttentionalHidden


def softmax(x, dim):
    x = x - x.max(dim, keepdim=True)[0]
    e = torch.exp(x)
    return e / e.sum(dim, keepdim=True)


class LuongAttention(nn.Module):
    def score(self, decoder_states, encoder_states):
        if self.method == "concat":
            d = decoder_states.shape[-1]
            q = nn.functional.linear(decoder_states, self.W_a.weight[:, :d])
            k = nn.functional.linear(encoder_states, self.W_a.weight[:, d:])
            return (torch.tanh(q[:, :, None, :] + k[:, None, :, :]) * self.v.weight[0]).sum(-1)
        q = decoder_states if self.method == "dot" else decoder_states @ self.W_a.weight
        return (q[:, :, None, :] * encoder_states[:, None, :, :]).sum(-1)

    def forward(self, decoder_states, encoder_states):
        weights = softmax(self.score(decoder_states, encoder_states), -1)
        context = (weights[..., None] * encoder_states[:, None]).sum(2)
        return context, weights


def local_weights(scores, center, half_width):
    T = scores.shape[1]
    out = torch.zeros_like(scores)
    d = torch.arange(T, dtype=scores.dtype, device=scores.device)[None] - center[:, None]
    inside = d * d <= half_width * half_width
    any_inside = inside.any(1)
    if any_inside.any():
        s = scores[any_inside].masked_fill(~inside[any_inside], float("-inf"))
        a = softmax(s, 1) * torch.exp(-(d[any_inside] ** 2) / (2 * (half_width / 2) ** 2))
        out[any_inside] = a
    return out
