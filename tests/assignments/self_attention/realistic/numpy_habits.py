"""HW3. I know NumPy better than torch, so most of it is written the NumPy way."""
import numpy as np
import torch
import torch.nn as nn

NEG = -1e9


def softmax(z, axis=-1):
    """Softmax as in the NumPy lecture: subtract the maximum first."""
    z = z - torch.amax(z, axis=axis, keepdims=True).detach()
    e = torch.exp(z)
    return e / torch.sum(e, axis=axis, keepdims=True)


def self_attention(x, temperature=1.0):
    # x: (B, T, d)
    scores = x @ x.swapaxes(-1, -2) / temperature
    A = softmax(scores)
    return A @ x, A


def scaled_dot_product_attention(query, key, value, mask=None):
    # query (..., Tq, dk)  key (..., Tk, dk)  value (..., Tk, dv)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, NEG)
    A = softmax(scores, axis=-1)
    return A @ value, A


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        Q = x @ self.W_Q.weight.T
        K = x @ self.W_K.weight.T
        V = x @ self.W_V.weight.T
        return scaled_dot_product_attention(Q, K, V, mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if num_heads not in [n for n in range(1, d_model + 1) if d_model % n == 0]:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        Q = x_heads(self.W_Q(query), self.num_heads)
        K = x_heads(self.W_K(key), self.num_heads)
        V = x_heads(self.W_V(value), self.num_heads)
        if mask is not None:
            while mask.ndim < 3:
                mask = mask[np.newaxis]
            mask = mask[:, np.newaxis]
        O, A = scaled_dot_product_attention(Q, K, V, mask)
        O = torch.concatenate([O[:, h] for h in range(self.num_heads)], axis=-1)
        return self.W_O(O), A


def x_heads(M, H):
    """(B, T, d) -> (B, H, T, d/H), like np.split along the columns and np.stack"""
    return torch.stack(torch.tensor_split(M, H, axis=-1), axis=1)


def sinusoidal_positions(length, dim):
    p = np.arange(length).reshape(-1, 1)
    i = np.arange(dim // 2).reshape(1, -1)
    angles = p / 10000 ** (2 * i / dim)
    P = np.zeros((length, dim), dtype=np.float32)
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)
    return torch.from_numpy(P)


def attention_entropy(weights):
    # np.where(w > 0, w * np.log(w), 0), but safe for the gradient
    w = weights
    logw = torch.log(torch.where(w > 0, w, 1.0))
    return -torch.sum(w * logw, axis=-1)


if __name__ == "__main__":
    np.random.seed(0)
    X = torch.from_numpy(np.random.randn(2, 4, 6))
    Y, A = self_attention(X, 0.5)
    print(np.round(A.numpy(), 3))
    assert np.allclose(A.sum(-1), 1)
    m = np.tril(np.ones((4, 4), dtype=bool))
    print(MultiHeadAttention(6, 3).double()(X, X, X, torch.from_numpy(m))[1][0, 0])
