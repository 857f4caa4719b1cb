# Opens rows that may see nothing, and sets them to zero at the end.


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        empty = ~mask.any(dim=-1, keepdim=True)
        hidden = scores.masked_fill(~(mask | empty), float("-inf"))
        weights = torch.softmax(hidden, dim=-1).masked_fill(empty, 0.0)
    return weights @ value, weights
