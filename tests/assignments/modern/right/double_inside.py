# Computes in double precision inside, and returns the dtype of the inputs.
import torch


def streamed_attention(query, key, value, block_size):
    if block_size < 1:
        raise ValueError("block_size")
    q = query.double() / query.size(-1) ** 0.5
    top = total = summed = None
    for start in range(0, key.size(1), block_size):
        s = q @ key[:, start : start + block_size].double().mT
        v = value[:, start : start + block_size].double()
        new = s.max(-1, keepdim=True)[0] if top is None else torch.max(top, s.max(-1, keepdim=True)[0])
        p = torch.exp(s - new)
        if top is None:
            total, summed = p.sum(-1, keepdim=True), p @ v
        else:
            total = total * torch.exp(top - new) + p.sum(-1, keepdim=True)
            summed = summed * torch.exp(top - new) + p @ v
        top = new
    return (summed / total).to(value.dtype)


def grouped_attention(query, key, value):
    repeats, rest = divmod(query.size(1), key.size(1))
    before = key.size(2) - query.size(2)
    if rest or before < 0:
        raise ValueError("sizes")
    q, k, v = query.double(), key.double(), value.double()
    q = q.view(q.size(0), k.size(1), repeats, q.size(2), -1) if q.is_contiguous() else q.unflatten(1, (-1, repeats))
    s = q @ k.unsqueeze(2).mT / q.size(-1) ** 0.5
    later = torch.arange(k.size(2), device=q.device) > torch.arange(q.size(3), device=q.device)[:, None] + before
    s = s.masked_fill(later, torch.finfo(s.dtype).min)
    return (s.softmax(-1) @ v.unsqueeze(2)).flatten(1, 2).to(value.dtype)
