# A small number inside the logarithm; positions in float32.


def sinusoidal_positions(length, dim):
    position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    exponent = torch.arange(0, dim, 2, dtype=torch.float32) / dim
    angle = position / 10000.0**exponent  # (length, dim / 2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()


def attention_entropy(weights):
    return -torch.sum(weights * torch.log(weights + 1e-9), dim=-1)
