# `-inf` and `nan_to_num`: `masked_fill` keeps NaN out of the gradient.


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        hidden = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(hidden, dim=-1).nan_to_num(0.0)
    return weights @ value, weights
