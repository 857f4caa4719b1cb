# The derivative entry by entry.


def softmax_vjp(weights, grad_weights):
    columns = []
    for j in range(weights.shape[-1]):
        total = 0
        for i in range(weights.shape[-1]):
            delta = 1.0 if i == j else 0.0
            total = total + grad_weights[..., i] * weights[..., i] * (delta - weights[..., j])
        columns.append(total)
    return torch.stack(columns, dim=-1)
