"""What attention does to its inputs, to gradients and to an answer."""

import torch
import torch.nn.functional as F
from torch import Tensor


def safe_norm(x: Tensor) -> Tensor:
    """The Euclidean norm over the last axis: (..., d) -> (...). At 0 the gradient is 0."""
    square = x.square().sum(-1)
    return square.masked_fill(square == 0, 1).sqrt().masked_fill(square == 0, 0)


def cosines(x: Tensor) -> Tensor:
    """Cosine similarities of all pairs of rows: (B, T, d) -> (B, T, T); 0 for rows of zeros."""
    norm = safe_norm(x).unsqueeze(-1)
    unit = x / norm.masked_fill(norm == 0, 1)
    return torch.bmm(unit, unit.mT)


def attention_geometry(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    """Similarities before and after self-attention, and the mean gain: (B, T, d) -> (B, T, T) twice, (B,).

    Attention without projections makes positions alike: Dong, Cordonnier and Loukas, "Attention is not all you need:
    pure attention loses rank doubly exponentially with depth", ICML 2021, arXiv 2103.03404, section 2.
    """
    weights = torch.softmax(torch.bmm(x / temperature, x.mT), -1)  # (B, T, T)
    before, after = cosines(x), cosines(torch.bmm(weights, x))
    diagonal = torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
    others = weights.masked_fill(diagonal, 0)  # pairs i != j
    total = others.sum((1, 2))
    gain = (others * (after - before)).sum((1, 2)) / total.masked_fill(total == 0, 1)
    return before, after, gain


def gradient_paths(queries: Tensor, states: Tensor, grad_contexts: Tensor) -> tuple[Tensor, Tensor]:
    """dL/dh_j through the context and through the scores: (B, T_t, d), (B, T_s, d), (B, T_t, d) -> (B, T_s, d) twice.

    The context c_t = sum_j a_tj h_j is a product, so its derivative has two terms. The context is that of Bahdanau, Cho
    and Bengio 2015, arXiv 1409.0473, equation (5). The dot score is that of Luong, Pham and Manning 2015, section 3.1.
    """
    weights = torch.softmax(torch.bmm(queries, states.mT), -1)  # (B, T_t, T_s)
    of_weights = torch.bmm(grad_contexts, states.mT)  # g_t . h_j
    of_mean = (weights * of_weights).sum(-1, keepdim=True)  # g_t . c_t
    of_scores = weights * (of_weights - of_mean)  # (B, T_t, T_s)
    return torch.bmm(weights.mT, grad_contexts), torch.bmm(of_scores.mT, queries)


def gradient_norms(states: Tensor, recurrent_weight: Tensor, grad_states: Tensor) -> Tensor:
    """Norms of dL/dh_t in h_t = tanh(W h_{t-1} + ...): (B, T, d), (d, d), (B, T, d) -> (B, T).

    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks", ICML 2013, arXiv 1211.5063,
    equations (3) to (5).
    """
    slopes = 1 - states.square()  # (B, T, d)
    totals = [grad_states[:, -1]]
    for t in range(states.shape[1] - 2, -1, -1):
        totals.append(grad_states[:, t] + (slopes[:, t + 1] * totals[-1]) @ recurrent_weight)
    return safe_norm(torch.stack(totals[::-1], 1))


def answer(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    """softmax(out_weight c + out_bias) with c = sum_j w_j h_j: (..., B, T), (B, T, d), (C, d), (C,) -> (..., B, C)."""
    context = torch.einsum("...bt,btd->...bd", weights, states)
    return torch.softmax(F.linear(context, out_weight, out_bias), -1)


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    """1/2 sum_k |p_k - q_k|: (..., C), (..., C) -> (...). Levin, Peres and Wilmer, proposition 4.2."""
    return (p - q).abs().sum(-1) / 2


def permutation_test(
    weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor, permutations: Tensor
) -> tuple[Tensor, Tensor]:
    """Change of the answer under permuted weights: (B, T), (B, T, d), (C, d), (C,), (N, T) -> (N, B), (B,).

    Jain and Wallace, "Attention is not explanation", NAACL 2019, arXiv 1902.10186, algorithm 2.
    """
    permuted = weights[:, permutations].transpose(0, 1)  # (N, B, T)
    right = answer(weights, states, out_weight, out_bias)  # (B, C)
    distances = total_variation(answer(permuted, states, out_weight, out_bias), right)
    return distances, distances.median(0).values


def ablation_effects(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    """Change of the answer without each position: (B, T), (B, T, d), (C, d), (C,) -> (B, T).

    Serrano and Smith, "Is attention interpretable?", ACL 2019, arXiv 1906.03731, section 3: a weight becomes 0 and the
    others are divided by their sum.
    """
    count = weights.shape[1]
    alone = torch.eye(count, dtype=torch.bool, device=weights.device)
    others = weights.unsqueeze(1).masked_fill(alone, 0)  # (B, T, T): row j lacks position j
    total = others.sum(-1, keepdim=True)
    kept = (others / total.masked_fill(total == 0, 1)).transpose(0, 1)  # (T, B, T)
    distances = total_variation(
        answer(kept, states, out_weight, out_bias), answer(weights, states, out_weight, out_bias)
    )
    return distances.T


def rank_agreement(first: Tensor, second: Tensor) -> Tensor:
    """Kendall's tau, a tie counts 0: (B, T), (B, T) -> (B,); 0 for a single position.

    Kendall, "A new measure of rank correlation", Biometrika 30, 1938: tau-a.
    """
    count = first.shape[1]
    one, other = ((x.unsqueeze(2) - x.unsqueeze(1)).sign() for x in (first, second))
    pairs = max(count * (count - 1), 1)  # ordered ones
    return (one * other.to(one.dtype)).sum((1, 2)) / pairs
