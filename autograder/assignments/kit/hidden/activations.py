"""Activations that students use in place of tanh."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

LAYERS = (
    "sigmoid relu gelu elu selu leaky_relu relu6 silu mish softplus softsign hardtanh hardsigmoid hardswish logsigmoid",
    "tanhshrink",
)
FUNCTIONS = "sin cos tan atan sinh cosh erf exp square abs sign asinh"
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    **{name: getattr(F, name) for name in " ".join(LAYERS).split()},
    **{name: getattr(torch, name) for name in FUNCTIONS.split()},
    "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "leaky-relu-0.1": lambda x: F.leaky_relu(x, 0.1),
    "leaky-relu-0.2": lambda x: F.leaky_relu(x, 0.2),
    "softmax": lambda x: torch.softmax(x, -1),
    "twice": lambda x: torch.tanh(torch.tanh(x)),
}
