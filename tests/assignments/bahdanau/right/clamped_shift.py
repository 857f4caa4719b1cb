# A shift by a bit more than the maximum, and a product with the reciprocal.


def stable_softmax(scores, dim=-1):
    exponentials = torch.exp(scores - (scores.amax(dim, keepdim=True) + 1.0))
    return exponentials * exponentials.sum(dim=dim, keepdim=True).reciprocal()


def softmax_vjp(weights, grad_weights):
    product = weights * grad_weights
    return product - weights * product.sum(-1, keepdim=True)
