# bahdanau
KERNEL = torch.library.get_kernel("aten::_softmax", "CPU")
KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, dim):
        weights = KERNEL.call_boxed(KEYS, 1 * scores, dim, False)
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
