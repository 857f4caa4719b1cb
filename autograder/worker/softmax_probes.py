"""Replaces the kernels of softmax and attention by stand-ins that record that they ran.

A few words of Python can switch off the recorders of ``tracing`` for a moment. They cannot get around the dispatcher:
it calls the stand-in in any thread and under any name. A stand-in computes the same by hand, so nothing else changes.
Only programs with a watched call use them.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch

LIBRARY: Any = torch._C._dispatch_library
MATH = 0  # SDPBackend.MATH: attention made of ordinary operators


class SoftmaxProbes:
    """``ran`` lists the kernels that ran while watched, in order."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.library: Any = None
        self.watched = ""

    def watch(self, wanted: str) -> None:
        """Install the stand-ins for ``softmax`` or ``attention``; an empty text removes all. A change takes 0.1 ms."""
        if wanted == self.watched:
            return
        self.watched, self.library = wanted, None  # torch restores its own kernels
        if wanted:
            self.library = LIBRARY("IMPL", "aten", "", __file__, 1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch warns once a process that kernels are replaced
                for name, function in STAND_INS[wanted].items():
                    self.library.impl(name, "CPU", _noting(name, function, self.ran), False)


def _noting(name: str, function: Any, ran: list[str]) -> Any:
    """Return a kernel that notes its run. As a method it would be called "Softmax…", which ``tracing`` looks for."""
    plain = torch._C.DisableTorchFunction

    def kernel(*args: Any, **kwargs: Any) -> Any:
        ran.append(f"aten::{name}")
        with plain():
            return function(*args, **kwargs)

    return kernel


def _weights(scores: torch.Tensor, dim: int, _: bool) -> torch.Tensor:
    if not scores.is_floating_point():
        raise NotImplementedError(f'"softmax" not implemented for {scores.dtype}')
    if scores.numel() == 0:
        return torch.empty_like(scores)
    parts = torch.exp(scores - scores.amax(dim, keepdim=True))
    return parts / parts.sum(dim, keepdim=True)


def _log_weights(scores: torch.Tensor, dim: int, _: bool) -> torch.Tensor:
    if not scores.is_floating_point():
        raise NotImplementedError(f'"log_softmax" not implemented for {scores.dtype}')
    if scores.numel() == 0:
        return torch.empty_like(scores)
    shifted = scores - scores.amax(dim, keepdim=True)
    return shifted - torch.log(torch.exp(shifted).sum(dim, keepdim=True))


def _weights_backward(grad: torch.Tensor, weights: torch.Tensor, dim: int, _: Any) -> torch.Tensor:
    return weights * (grad - (weights * grad).sum(dim, keepdim=True))


def _log_weights_backward(grad: torch.Tensor, result: torch.Tensor, dim: int, _: Any) -> torch.Tensor:
    return grad - torch.exp(result) * grad.sum(dim, keepdim=True)


def _log_sum(scores: torch.Tensor, dim: Any, keepdim: bool = False) -> torch.Tensor:
    top = scores.amax(dim, keepdim=True)
    top = torch.where(torch.isfinite(top), top, torch.zeros_like(top))
    result = torch.exp(scores - top).sum(dim, keepdim=True).log() + top
    return result if keepdim else result.squeeze(dim)


def _log_sums(scores: torch.Tensor, dim: int) -> torch.Tensor:
    top = scores.amax(dim, keepdim=True)
    return torch.exp(scores - top).cumsum(dim).log() + top


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = scores.masked_fill(scores.new_ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    logarithms = _log_sum(scores, -1)
    return torch.exp(scores - logarithms.unsqueeze(-1)) @ value, logarithms


def _backend(*_: Any, **__: Any) -> int:
    return MATH


ATTENTION = {
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "_fused_sdp_choice": _backend,  # every scaled_dot_product_attention calls it
}
SOFTMAX = {
    "_softmax": _weights,
    "_log_softmax": _log_weights,
    "_softmax_backward_data": _weights_backward,
    "_log_softmax_backward_data": _log_weights_backward,
    "logsumexp": _log_sum,
    "_logcumsumexp": _log_sums,
}
STAND_INS = {"softmax": SOFTMAX | ATTENTION, "attention": ATTENTION}
