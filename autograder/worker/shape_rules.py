"""Shape rules for the ``meta`` device, for operators that torch answers in slow Python and submissions use most.

Each rule consists of operators with a rule in C++, so shapes, dtypes and devices are checked as there.
"""

from __future__ import annotations

from typing import Any

import torch


def _like(x: torch.Tensor, *_: Any, out: torch.Tensor) -> torch.Tensor:
    return out.resize_(x.shape)


def _broadcast(x: torch.Tensor, other: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.resize_((x == other).shape)


def _reduced(x: torch.Tensor, dim: Any, keepdim: bool = False, *, out: torch.Tensor) -> torch.Tensor:
    return out.resize_(x.sum(dim, keepdim).shape)


def _deviation(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> torch.Tensor:
    return x.sum(dim, keepdim)


def _selected(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    if not index.is_meta:
        raise RuntimeError("Expected all tensors to be on the same device")
    size = list(x.shape)
    if size:
        size[dim] = index.numel()
    return x.new_empty(size)


def _convolved(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> torch.Tensor:
    if not (x.is_meta and weight.is_meta and (bias is None or bias.is_meta)):
        raise RuntimeError("Expected all tensors to be on the same device")
    sizes = []
    axes = zip(x.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding, strict=True)
    for size, kernel, step, pad, apart, more in axes:
        reach = apart * (kernel - 1)
        if transposed:
            sizes.append((size - 1) * step - 2 * pad + reach + more + 1)
        else:
            sizes.append((size + 2 * pad - reach - 1) // step + 1)
    return x.new_empty((len(x), weight.shape[1] * groups if transposed else len(weight), *sizes))


def _loss(
    x: torch.Tensor, target: torch.Tensor, weight: Any, reduction: int, _: int
) -> tuple[torch.Tensor, torch.Tensor]:
    losses = x.sum(1) + target  # checks that shapes and devices match
    return losses if reduction == 0 else losses.sum(), x.new_empty(())


def _needs_values(*_: Any, **__: Any) -> None:
    raise RuntimeError("a tensor on the meta device has no values")


RULES: dict[str, Any] = {
    "nonzero": _needs_values,
    "_local_scalar_dense": _needs_values,
    "floor_divide": lambda x, other: x + other,
    "rsub.Tensor": lambda x, other, **_: x + other,
    "embedding_dense_backward": lambda grad, _, count, *__: grad.new_empty(count, grad.shape[-1]),
    "index_select": _selected,
    "convolution": _convolved,
    "nll_loss2d_forward": _loss,
    "nll_loss2d_backward": lambda grad, x, *_: torch.empty_like(x),
    "count_nonzero.dim_IntList": lambda x, dim: (x != 0).sum(dim),
    "flip": lambda x, dims: torch.empty_like(x),
    "roll": lambda x, *_: torch.empty_like(x),
    "prod": lambda x, dtype=None: x.sum(dtype=dtype),
    "var.correction": _deviation,
    "std.correction": _deviation,
    "where.self": lambda condition, x, other: (x + other) + condition.bool(),
    "isnan": lambda x: x != x,
    "relu": lambda x: x.clamp(min=0),
    "dot": lambda x, other: (x * other).sum(),
    "max": lambda x: x.amax(),
    "min": lambda x: x.amin(),
    "abs.out": _like,
    "logical_not.out": _like,
    "nan_to_num.out": _like,
    "logical_and.out": _broadcast,
    "logical_or.out": _broadcast,
    "logical_xor.out": _broadcast,
    "logsumexp.out": _reduced,
    "_safe_softmax": lambda x, dim, dtype=None: torch.softmax(x, dim, dtype),
}
