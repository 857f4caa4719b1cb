# `-inf` by `torch.where`, and NaN replaced by `torch.where`.


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        hidden = torch.where(mask, scores, -torch.inf)
        weights = torch.softmax(hidden, dim=-1)
        weights = torch.where(weights.isnan(), 0.0, weights)
    return weights @ value, weights
