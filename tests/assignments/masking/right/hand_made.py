# whole file: Everything from `exp`, `log` and broadcasting, with index grids for the masks.
import torch


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = torch.max(lengths)
    j = torch.arange(int(max_len), dtype=lengths.dtype, device=lengths.device).repeat(lengths.numel(), 1)
    return torch.lt(j, lengths.view(-1, 1))


def _grid(n):
    return torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")


def causal_mask(length):
    i, j = _grid(length)
    return i >= j


def window_mask(length, radius):
    i, j = _grid(length)
    return (i - j <= radius) & (j - i <= radius)


def strided_mask(length, stride):
    i, j = _grid(length)
    return torch.logical_or(j.remainder(stride) == 0, i == j)


def combine_masks(key_padding, attention):
    return (key_padding.unsqueeze(-2).int() * attention.int()).bool()


def masked_softmax(scores, mask, dim=-1):
    visible = torch.where(mask, scores, torch.full_like(scores, -1e30))
    top = visible.amax(dim, keepdim=True).detach()
    e = torch.where(mask, torch.exp(torch.where(mask, scores - top, torch.zeros_like(scores))), torch.zeros_like(scores))
    total = e.sum(dim, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


def masked_attention(query, key, value, mask):
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / torch.sqrt(torch.tensor(query.shape[-1]).to(query))
    weights = masked_softmax(scores, mask)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights


def masked_cross_entropy(logits, targets, lengths):
    real = padding_mask(lengths, targets.shape[1])
    z = logits - logits.amax(-1, keepdim=True).detach()
    log_p = z - z.exp().sum(-1, keepdim=True).log()
    nll = -log_p.gather(2, targets[..., None])[..., 0]
    return (nll * real).sum() / lengths.clamp(max=targets.shape[1]).sum()
