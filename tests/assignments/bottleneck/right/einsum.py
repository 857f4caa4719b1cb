# Sums of products as einsum, entropies of several tables at once.
import torch


def uniform_context(states):
    B, T, _ = states.shape
    weights = states.new_full((B, T), 1.0 / T)
    return torch.einsum("bt,btd->bd", weights, states), weights


def weight_of_dot(dim):
    return torch.diag(torch.ones(dim))


def entropy_bits(probabilities):
    safe = probabilities.masked_fill(probabilities == 0, 1.0)
    return -torch.einsum("...n,...n->...", safe, torch.log2(safe))


def processing_chain(joint, channel):
    after = torch.einsum("xy,yz->xz", joint, channel)
    return mutual_information(joint), mutual_information(after)


def decay_along(states, recurrent_weight):
    jacobian = torch.eye(len(recurrent_weight), dtype=states.dtype, device=states.device)
    found = [states.new_ones(())]
    for state in reversed(states[1:].unbind(0)):
        jacobian = torch.einsum("ij,j,jk->ik", jacobian, 1 - state * state, recurrent_weight)
        found.append(torch.linalg.matrix_norm(jacobian, ord=2))
    return torch.stack(found[::-1])
