# Scales query and key by the fourth root each; columns first, then transposed.


def self_attention(x, temperature=1.0):
    scores = (x.unsqueeze(1) * x.unsqueeze(2)).sum(-1)
    weights = torch.softmax((scores / temperature).transpose(1, 2), dim=1).transpose(1, 2)
    return weights @ x, weights


def scaled_dot_product_attention(query, key, value, mask=None):
    root = query.shape[-1] ** -0.25
    scores = ((key * root) @ (query * root).transpose(-1, -2)).transpose(-1, -2)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights
