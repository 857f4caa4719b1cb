# The logarithm of the sum first, then the values: exp(s - logsumexp) needs no division at the end.
import torch


def streamed_attention(query, key, value, block_size):
    if block_size < 1:
        raise ValueError("block_size")
    scaled = query * query.size(-1) ** -0.5
    starts = range(0, key.size(1), block_size)
    log_sum = None
    for start in starts:
        here = torch.logsumexp(scaled @ key[:, start : start + block_size].mT, dim=-1)
        log_sum = here if log_sum is None else torch.logaddexp(log_sum, here)
    result = 0
    for start in starts:
        scores = scaled @ key[:, start : start + block_size].mT
        result = result + torch.exp(scores - log_sum.unsqueeze(-1)) @ value[:, start : start + block_size]
    return result
