"""The backward pass through what a call returned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from autograder.worker import fast_torch

ENGINE = fast_torch.backward_engine()


def gradients(
    pairs: Sequence[tuple[Any, torch.Tensor]], wanted: tuple[torch.Tensor, ...]
) -> Sequence[torch.Tensor | None]:
    """Return the gradients of sum(output * cotangent), with None for unused tensors.

    The engine's own entry is faster, but needs outputs that match their cotangents.
    """
    if ENGINE and all(_goes_with(*pair) for pair in pairs):
        outputs, cotangents = zip(*pairs, strict=True)
        found: Sequence[torch.Tensor | None] = ENGINE(
            outputs, cotangents, False, False, wanted, allow_unreachable=True, accumulate_grad=False
        )
        return found
    loss = sum((output * cotangent).sum() for output, cotangent in pairs)
    return torch.autograd.grad(loss, wanted, allow_unused=True)


def _goes_with(output: Any, cotangent: torch.Tensor) -> bool:
    return (
        type(output) is torch.Tensor
        and output.requires_grad
        and (output.shape, output.dtype, output.device) == (cotangent.shape, cotangent.dtype, cotangent.device)
    )


def outputs_of(result: Any, count: int) -> Sequence[Any]:
    """Return the results of a call as ``count`` outputs. Raises TypeError if they are not so many."""
    if result is None:  # from a stub; torch's own error takes long
        raise TypeError("None has no gradient")
    if count == 1:
        return [result]
    if not isinstance(result, (tuple, list)) or len(result) != count:
        raise TypeError(f"expected {count} results")
    return result
