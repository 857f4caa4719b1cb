# Ready-made functions wherever Python and PyTorch have them.
import math

import torch
from torch.distributions import Categorical


def uniform_context(states):
    scores = torch.zeros_like(states[..., 0])
    weights = torch.softmax(scores, dim=1)
    return torch.baddbmm(torch.zeros_like(states[:, :1]), weights.unsqueeze(1), states).squeeze(1), weights


def weight_of_dot(dim):
    return torch.nn.init.eye_(torch.empty(dim, dim, dtype=torch.float32))


def score_multiplications(kind, length, dim, attn_dim=None):
    match kind:
        case "additive":
            return math.prod((length, attn_dim, 2 * dim + 1))
        case "dot":
            return math.prod((length, dim))
        case "general":
            return math.prod((length + dim, dim))
    raise ValueError(kind)


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    return math.prod([length, length, heads, layers, bytes_per_number])


def entropy_bits(probabilities):
    return torch.special.entr(probabilities.clamp_min(1e-30)).sum(-1) / math.log(2)


def conditional_entropy(joint):
    return (Categorical(joint.reshape(-1)).entropy() - Categorical(joint.sum(0)).entropy()) / math.log(2)


def binary_channel_capacity(flip):
    return 1.0 - float(entropy_bits(torch.tensor([flip, 1.0 - flip], dtype=torch.float64)))


def path_decay(gamma, steps):
    return math.pow(gamma, steps)


def decay_along(states, recurrent_weight):
    found = []
    for t in range(len(states)):
        factors = [(1 - state**2).diag() @ recurrent_weight for state in states[t + 1 :].flip(0)]
        identity = torch.eye(states.shape[1], dtype=states.dtype, device=states.device)
        product = torch.linalg.multi_dot([*factors, identity]) if factors else identity
        found.append(torch.linalg.norm(product, ord=2) if factors else states.new_ones(()))
    return torch.stack(found)
