# Pairs as complex numbers, which turn by a product.
import torch


def apply_rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError("odd")
    numbers = torch.complex(*x.chunk(2, dim=-1))
    frequencies = torch.pow(base, -torch.arange(0, d, 2, device=x.device).double() / d)
    angles = torch.outer(positions.double(), frequencies)
    turned = numbers * torch.polar(torch.ones_like(angles), angles).to(numbers.dtype)
    return torch.cat([turned.real, turned.imag], dim=-1)
