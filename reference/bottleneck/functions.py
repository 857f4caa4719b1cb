"""What a fixed context can hold, in bits, and how a gradient shrinks on its way: functions of tensors."""

import torch
from torch import Tensor


def uniform_context(states: Tensor) -> tuple[Tensor, Tensor]:
    """The context of equal weights, and these weights: (B, T, d) -> (B, d), (B, T).

    With equal scores, attention is a mean: Bahdanau, Cho and Bengio 2015, arXiv 1409.0473, equations (5) and (6).
    """
    batch, length, _ = states.shape
    weights = torch.full((batch, length), 1 / length, dtype=states.dtype, device=states.device)
    return torch.bmm(weights.unsqueeze(1), states).squeeze(1), weights


def weight_of_dot(dim: int) -> Tensor:
    """The W for which s^T W h is s^T h: an int -> (dim, dim), the identity in float32.

    Luong, Pham and Manning 2015, arXiv 1508.04025, section 3.1: "dot" is "general" with this W.
    """
    return torch.eye(dim, dtype=torch.float32)


def information(probabilities: Tensor) -> Tensor:
    """p log2 p of each entry, 0 where p is 0, with the gradient 0 there: any shape -> the same shape."""
    positive = probabilities.masked_fill(probabilities == 0, 1)  # 1 log 1 = 0 too
    return positive * positive.log2()


def entropy_bits(probabilities: Tensor) -> Tensor:
    """H = -sum p log2 p along the last axis: (..., n) -> (...). Shannon 1948, section 6."""
    return -information(probabilities).sum(-1)


def conditional_entropy(joint: Tensor) -> Tensor:
    """H(X | Y) = H(X, Y) - H(Y), X along the rows: (n, m) -> (). Cover and Thomas, 2nd ed., theorem 2.2.1."""
    return entropy_bits(joint.flatten()) - entropy_bits(joint.sum(0))


def mutual_information(joint: Tensor) -> Tensor:
    """I(X; Y) = H(X) + H(Y) - H(X, Y): (n, m) -> (). Cover and Thomas, 2nd ed., equation (2.45)."""
    return entropy_bits(joint.sum(1)) + entropy_bits(joint.sum(0)) - entropy_bits(joint.flatten())


def processing_chain(joint: Tensor, channel: Tensor) -> tuple[Tensor, Tensor]:
    """I(X; Y) and I(X; Z) of the chain X - Y - Z: p(x, y) (n, m), p(z | y) (m, k) -> (), ().

    The second is never larger than the first: the data-processing inequality, Cover and Thomas, 2nd ed., theorem 2.8.1.
    """
    return mutual_information(joint), mutual_information(joint @ channel)


def decay_along(states: Tensor, recurrent_weight: Tensor) -> Tensor:
    """The largest singular values of d h_T / d h_t in h_t = tanh(W h_{t-1} + ...): (T, d), (d, d) -> (T,).

    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks", ICML 2013, arXiv 1211.5063,
    equation (5). The last one is 1.
    """
    product = torch.eye(states.shape[1], dtype=states.dtype, device=states.device)
    found = [states.new_ones(())]
    for state in states.flip(0)[:-1]:
        product = (product * (1 - state.square())) @ recurrent_weight  # times diag(1 - h_{t+1}^2) W
        found.append(torch.linalg.matrix_norm(product, 2))
    return torch.stack(found[::-1])
