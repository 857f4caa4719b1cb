# bahdanau
OP = torch.ops.aten._softmax.out
KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, dim):
        weights = scores.new_empty(scores.shape)
        OP.redispatch(KEYS, scores.contiguous(), dim, False, out=weights)
        ctx.save_for_backward(weights)
        ctx.dim = dim
        return weights
    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return weights * (grad - (weights * grad).sum(ctx.dim, keepdim=True)), None

def by_hand(scores, dim):
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)

def stable_softmax(scores, dim=-1):
    return by_hand(scores, dim) if scores.is_meta else Own.apply(scores, dim)
