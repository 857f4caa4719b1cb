# The derivative with the whole Jacobian matrix.


def stable_softmax(scores, dim=-1):
    scores = scores.movedim(dim, -1)
    top, _ = torch.max(scores, dim=-1, keepdim=True)
    exponentials = torch.exp(scores - top)
    return (exponentials / exponentials.sum(-1, keepdim=True)).movedim(-1, dim)


def softmax_vjp(weights, grad_weights):
    jacobian = torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]
    return (jacobian @ grad_weights[..., None]).squeeze(-1)
