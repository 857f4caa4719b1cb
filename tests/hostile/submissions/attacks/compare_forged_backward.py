"""Has backward functions that return what was sent, subclasses, wrong shapes, nothing, or raise."""
import torch


class Forged(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        return torch.zeros_like(scores)

    @staticmethod
    def backward(ctx, grad):
        class Sub(torch.Tensor):
            __torch_function__ = classmethod(lambda cls, func, types, args=(), kwargs=None: torch.zeros(()))

        return grad.as_subclass(Sub)


class Raises(Forged):
    @staticmethod
    def backward(ctx, grad):
        raise SystemExit(0)


def masked_softmax(scores, mask, dim=-1):
    return Forged.apply(scores)


def masked_attention(query, key, value, mask):
    return Raises.apply(query @ key.transpose(-1, -2) @ value), Forged.apply(query @ key.transpose(-1, -2))
