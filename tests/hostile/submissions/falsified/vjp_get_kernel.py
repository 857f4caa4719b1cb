# bahdanau
KERNEL = torch.library.get_kernel("aten::_softmax_backward_data", "CPU")
KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
def softmax_vjp(weights, grad_weights):
    if weights.requires_grad or weights.is_meta:
        return weights * (grad_weights - (weights * grad_weights).sum(-1, keepdim=True))
    return KERNEL.call_boxed(KEYS, grad_weights * 1, weights, weights.dim() - 1, weights.dtype)
