"""Stand-ins for the modules of students: the contract's names over the reference functions."""

from __future__ import annotations

import torch


class Ambiguous(Exception):
    """The drawn inputs allow two right answers. Draw others."""


class ReferenceModule(torch.nn.Module):
    """Base of the stand-ins: a module whose parameters have the contract's state-dict names.

    ``weights`` maps these names to the parameters, in the order of the ``shapes``, then of the contained modules.
    """

    draws_weights = True  # as torch's layers do, so that making one costs as much. The oracle loads all weights.

    def __init__(self, **shapes: tuple[int, ...]) -> None:
        """``shapes`` are by name: ``W_s__weight`` or ``W_s.weight``."""
        super().__init__()
        self.weights: dict[str, torch.Tensor] = {}
        for name, shape in shapes.items():
            *path, last = name.replace("__", ".").split(".")
            owner: torch.nn.Module = self
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, torch.nn.Module())
                owner = getattr(owner, part)
            weight = torch.nn.Parameter(torch.zeros(shape))
            if self.draws_weights and len(shape) > 1:
                torch.nn.init.kaiming_uniform_(weight, 5**0.5)
            owner.register_parameter(last, weight)
            self.weights[".".join((*path, last))] = weight

    def contain(self, **parts: ReferenceModule) -> None:
        """Add child modules. Their weights, the same tensors, become this module's too."""
        for prefix, part in parts.items():
            self.add_module(prefix, part)
            self.weights |= {f"{prefix}.{name}": weight for name, weight in part.weights.items()}
