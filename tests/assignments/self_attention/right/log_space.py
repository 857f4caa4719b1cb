# `exp` of `log_softmax`, in double precision inside.


def self_attention(x, temperature=1.0):
    scores = x @ x.transpose(-2, -1)
    weights = torch.exp(scores / temperature - torch.logsumexp(scores / temperature, -1, keepdim=True))
    return weights @ x, weights


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.exp(torch.log_softmax(scores.double(), dim=-1)).to(scores.dtype)
    else:
        hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.log_softmax(hidden.double(), dim=-1).exp().to(scores.dtype) * mask
    return weights @ value, weights
