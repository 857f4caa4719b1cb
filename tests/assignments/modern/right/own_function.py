# An autograd function with a backward pass that computes the weights of each block again.
import torch


class Streamed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block_size):
        scale = query.shape[-1] ** -0.5
        top = torch.full_like(query[..., :1], -torch.inf)
        total, summed = torch.zeros_like(top), query.new_zeros(*query.shape[:2], value.shape[-1])
        for k, v in zip(key.split(block_size, 1), value.split(block_size, 1)):
            s = query @ k.mT * scale
            new = torch.maximum(top, s.amax(-1, keepdim=True))
            p, c = (s - new).exp(), (top - new).exp()
            total, summed, top = total * c + p.sum(-1, keepdim=True), summed * c + p @ v, new
        output = summed / total
        ctx.save_for_backward(query, key, value, output, top + total.log())
        ctx.block_size = block_size
        return output

    @staticmethod
    def backward(ctx, grad):
        query, key, value, output, log_sum = ctx.saved_tensors
        scale = query.shape[-1] ** -0.5
        mean = (grad * output).sum(-1, keepdim=True)
        dq, dk, dv = torch.zeros_like(query), [], []
        for k, v in zip(key.split(ctx.block_size, 1), value.split(ctx.block_size, 1)):
            weights = (query @ k.mT * scale - log_sum).exp()
            of_scores = weights * (grad @ v.mT - mean) * scale
            dq = dq + of_scores @ k
            dk.append(of_scores.mT @ query)
            dv.append(weights.mT @ grad)
        return dq, torch.cat(dk, 1), torch.cat(dv, 1), None


def streamed_attention(query, key, value, block_size):
    if block_size < 1:
        raise ValueError("block_size must be positive")
    return Streamed.apply(query, key, value, block_size)
