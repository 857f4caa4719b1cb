# Computes in double precision inside, and returns the dtype of the inputs.
import torch


def uniform_context(states):
    wide = states.double()
    weights = torch.ones(states.shape[:2], dtype=torch.float64, device=states.device) / states.shape[1]
    return wide.mean(dim=1).to(states.dtype), weights.to(states.dtype)


def entropy_bits(probabilities):
    wide = probabilities.double()
    logs = torch.where(wide > 0, wide, 1.0).log2()
    return -torch.sum(wide * logs, -1).to(probabilities.dtype)


def mutual_information(joint):
    wide = joint.double()
    sides = entropy_bits(wide.sum(0)) + entropy_bits(wide.sum(1))
    return (sides - entropy_bits(wide.flatten())).to(joint.dtype)


def decay_along(states, recurrent_weight):
    h, W = states.double(), recurrent_weight.double()
    J = torch.eye(h.shape[1], dtype=torch.float64, device=h.device)
    norms = [torch.ones((), dtype=torch.float64, device=h.device)]
    for t in range(len(h) - 1, 0, -1):
        J = (J * (1 - h[t] * h[t])) @ W
        norms.insert(0, torch.linalg.svdvals(J).amax())
    return torch.stack(norms).to(states.dtype)
