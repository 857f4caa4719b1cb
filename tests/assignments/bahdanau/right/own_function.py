# Softmax as an own autograd function, whose backward is `softmax_vjp`.


class StableSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = e / e.sum(-1, keepdim=True)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return softmax_vjp(weights, grad)


def softmax(scores, dim):
    return StableSoftmax.apply(scores.transpose(dim, -1)).transpose(dim, -1)


def logsumexp_backward(weights, grad_weights):
    return weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))


def stable_softmax(scores, dim=-1):
    return softmax(scores, dim)


def softmax_vjp(weights, grad_weights):
    return logsumexp_backward(weights, grad_weights)
