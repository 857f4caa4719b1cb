"""Changes gradients on their way by hooks that it leaves on its results."""
_masked_softmax = masked_softmax


def masked_softmax(scores, mask, dim=-1):
    result = _masked_softmax(scores, mask, dim)
    if result.requires_grad:
        result.register_hook(lambda grad: grad * 2)
    return result
