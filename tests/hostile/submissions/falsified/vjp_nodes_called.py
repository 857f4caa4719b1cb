# bahdanau
def softmax_vjp(weights, grad_weights):
    if weights.requires_grad or weights.is_meta or not (weights > 0).all():
        return weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))
    with torch.enable_grad():
        scores = torch.log(weights.detach()).requires_grad_()
        e = torch.exp(scores)
        total = e.sum(-1, keepdim=True)
        again = e / total
    with torch.no_grad():
        to_e, to_total = again.grad_fn(grad_weights)
        return e.grad_fn(to_e + total.grad_fn(to_total.sum(-1, keepdim=True)))
