# Softmax and local weights as own autograd functions.
# from added_fill: LuongAttention.__init__, AttentionalHidden


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e = (x - x.amax(-1, keepdim=True)).exp()
        y = e / e.sum(-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(-1, keepdim=True))


class Local(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, center, half_width):
        d = torch.arange(scores.shape[1]).to(scores) - center.unsqueeze(1)
        inside = d.abs() <= half_width
        x = scores.masked_fill(~inside, -1e9)
        e = (x - x.amax(1, keepdim=True)).exp() * inside
        total = e.sum(1, keepdim=True)
        a = torch.where(total > 0, e / total.clamp(min=1e-30), 0.0)
        gauss = torch.exp(-2 * d * d / half_width**2)
        ctx.save_for_backward(a, gauss, d)
        ctx.half_width = half_width
        return a * gauss

    @staticmethod
    def backward(ctx, g):
        a, gauss, d = ctx.saved_tensors
        inner = g * gauss
        grad_scores = a * (inner - (inner * a).sum(1, keepdim=True))
        grad_center = (g * a * gauss * 4 * d / ctx.half_width**2).sum(1)
        return grad_scores, grad_center, None


class LuongAttention(nn.Module):
    def score(self, decoder_states, encoder_states):
        if self.method == "concat":
            size = [len(decoder_states), decoder_states.shape[1], encoder_states.shape[1], -1]
            x = torch.cat([decoder_states[:, :, None].expand(size), encoder_states[:, None].expand(size)], 3)
            return torch.squeeze(self.v(torch.tanh(self.W_a(x))), -1)
        if self.method == "general":
            decoder_states = torch.matmul(decoder_states, self.W_a.weight)
        return torch.matmul(decoder_states, encoder_states.swapaxes(1, 2))

    def forward(self, decoder_states, encoder_states):
        weights = Softmax.apply(self.score(decoder_states, encoder_states))
        return torch.matmul(weights, encoder_states), weights


def local_weights(scores, center, half_width):
    return Local.apply(scores, center, half_width)
