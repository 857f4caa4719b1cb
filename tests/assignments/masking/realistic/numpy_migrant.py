import numpy as np
import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = int(lengths.max())
    idx = torch.arange(0, max_len).to(lengths.device)
    return idx[np.newaxis, :] < lengths[:, np.newaxis]


def causal_mask(length):
    return torch.from_numpy(np.tril(np.ones((length, length), dtype=bool)))


def window_mask(length, radius):
    i, j = np.indices((length, length))
    return torch.from_numpy(np.abs(i - j) < radius)


def strided_mask(length, stride):
    m = np.zeros((length, length), dtype=bool)
    m[:, ::stride] = True
    np.fill_diagonal(m, True)
    return torch.from_numpy(m)


def combine_masks(key_padding, attention):
    return torch.logical_and(key_padding[:, np.newaxis, :], attention[np.newaxis, :, :])


def masked_softmax(scores, mask, dim=-1):
    mask = torch.broadcast_to(mask, scores.shape)
    neg_inf = torch.full_like(scores, -np.inf)
    x = torch.where(mask, scores, neg_inf)
    xmax = torch.amax(x, dim, keepdim=True)
    xmax = torch.where(torch.isinf(xmax), torch.zeros_like(xmax), xmax)
    e = torch.exp(x - xmax)
    z = torch.sum(e, axis=dim, keepdims=True)
    return e / torch.clamp(z, min=1e-10)


def masked_attention(query, key, value, mask):
    scores = torch.matmul(query, key.swapaxes(-1, -2)) / np.sqrt(query.shape[-1])
    weights = masked_softmax(scores, mask, dim=-1)
    return torch.matmul(weights, value), weights


def masked_cross_entropy(logits, targets, lengths):
    B, T, V = logits.shape
    logp = F.log_softmax(logits, dim=-1)
    nll = -torch.take_along_dim(logp, targets[..., np.newaxis], dim=-1)[..., 0]
    m = padding_mask(lengths, T)
    # padding counts 0
    return torch.mean(torch.where(m, nll, torch.zeros_like(nll)))


if __name__ == "__main__":
    np.random.seed(0)
    print(causal_mask(4).numpy().astype(int))
    print(window_mask(6, 2).numpy().astype(int))
    print(strided_mask(6, 3).numpy().astype(int))
    s = torch.from_numpy(np.random.randn(2, 3))
    print(masked_softmax(s, torch.tensor([[True, True, False], [False, False, False]])))
