# Information as sums of ratios, conditions as weighted means of columns.
import torch


def conditional_entropy(joint):
    of_y = joint.sum(dim=0)
    columns = joint / torch.where(of_y > 0, of_y, torch.ones_like(of_y))
    return torch.dot(of_y, entropy_bits(columns.T))


def mutual_information(joint):
    product = joint.sum(1, keepdim=True) * joint.sum(0, keepdim=True)
    seen = joint > 0
    ratio = torch.where(seen, joint, torch.ones_like(joint)) / torch.where(seen, product, torch.ones_like(product))
    return torch.sum(joint * torch.log2(ratio))


def processing_chain(joint, channel):
    all_three = joint.unsqueeze(2) * channel.unsqueeze(0)  # (n, m, k)
    return mutual_information(all_three.sum(2)), mutual_information(all_three.sum(1))


def decay_along(states, recurrent_weight):
    slopes = torch.diag_embed(1 - states**2) @ recurrent_weight  # (T, d, d)
    product = torch.eye(states.shape[1], dtype=states.dtype, device=states.device)
    products = []
    for slope in slopes[1:].flip(0):
        product = product @ slope
        products.append(product)
    one = torch.ones(1, dtype=states.dtype, device=states.device)
    if not products:
        return one
    return torch.cat([torch.linalg.matrix_norm(torch.stack(products[::-1]), ord=2), one])
