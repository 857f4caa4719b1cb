# Softmax over what is visible, by a product of `exp` with the mask; lists for tuples.


def self_attention(x, temperature=1.0):
    scores = x @ x.transpose(-2, -1)
    weights = torch.softmax(scores / temperature, dim=-1)
    return [weights @ x, weights]


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        top = torch.where(mask, scores, scores.new_tensor(-1e30)).max(-1, keepdim=True)[0]
        e = torch.exp(torch.where(mask, scores - top, scores.new_tensor(-1e30))) * mask
        weights = e / e.sum(-1, keepdim=True).clamp(min=torch.finfo(e.dtype).tiny)
    return [weights @ value, weights]
