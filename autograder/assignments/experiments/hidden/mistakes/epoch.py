"""Known mistakes of train_epoch."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant

Part = Callable[..., Any]
Parts = dict[str, Part]


def _losses(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def _real(lengths: Tensor, width: int) -> Tensor:
    return torch.arange(width) < lengths.unsqueeze(1)


def _loss(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    keep = _real(lengths, targets.shape[1])
    return F.cross_entropy(logits[keep], targets[keep])


def _rows(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    return (_losses(logits, targets) * _real(lengths, targets.shape[1])).sum(1)


def _lengths(change: Part) -> Part:
    return lambda z, y, n: _loss(z, y, change(n, y.shape[1]))


def _clear(model: Any, optimizer: Any) -> None:
    model.zero_grad()


def _clip(model: Any, clip: float) -> None:
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)


def _values(model: Any, clip: float) -> None:
    torch.nn.utils.clip_grad_value_(model.parameters(), clip)


def _each(model: Any, clip: float) -> None:
    for one in model.parameters():
        torch.nn.utils.clip_grad_norm_([one], clip)


def _scaled(model: Any, clip: float) -> None:
    grads = [one.grad for one in model.parameters() if one.grad is not None]
    norm = torch.stack([grad.norm() for grad in grads]).norm()
    for grad in grads:
        grad.mul_(clip / norm)


def _nothing(*_: Any) -> None:
    pass


RIGHT: Parts = {
    "order": lambda order: order,
    "batches": torch.split,
    "clear": _clear,
    "at-start": _nothing,
    "loss": _loss,
    "clip": _clip,
    "returned": lambda before, after: before(),
}


def train(**parts: Part) -> Callable[..., list[float]]:
    """Build a ``train_epoch`` with some parts replaced by wrong ones."""
    use = SimpleNamespace(**{name.replace("-", "_"): part for name, part in (RIGHT | parts).items()})

    def train_epoch(
        model: Any,
        optimizer: Any,
        src: Tensor,
        src_lengths: Tensor,
        tgt_in: Tensor,
        tgt_out: Tensor,
        tgt_lengths: Tensor,
        order: Tensor,
        batch_size: int,
        clip: float = 1.0,
    ) -> list[float]:
        found = []
        use.at_start(model, optimizer)
        for rows in use.batches(use.order(order), batch_size):

            def loss(rows: Tensor = rows) -> Tensor:
                logits = model(src[rows], src_lengths[rows], tgt_in[rows])
                return use.loss(logits, tgt_out[rows], tgt_lengths[rows])  # type: ignore[no-any-return]

            use.clear(model, optimizer)
            before = loss()
            before.backward()  # type: ignore[no-untyped-call]
            use.clip(model, clip)
            optimizer.step()
            found.append(float(use.returned(before.item, lambda loss=loss: loss().item())))
        return found

    return train_epoch


def _whole(order: Tensor, size: int) -> list[Tensor]:
    return [rows for rows in torch.split(order, size) if len(rows) == size]


TABLE: dict[str, dict[str, Parts]] = {
    "loss-counts-padding": {
        "": {"loss": lambda z, y, n: _losses(z, y).mean()},
        "divided": {"loss": lambda z, y, n: _rows(z, y, n).sum() / y.numel()},
        "sum-of-all": {"loss": lambda z, y, n: _losses(z, y).sum() / n.sum()},
    },
    "mask-from-pad-id": {"": {"loss": lambda z, y, n: F.cross_entropy(z.transpose(1, 2), y, ignore_index=0)}},
    "loss-mean-of-means": {"": {"loss": lambda z, y, n: (_rows(z, y, n) / n).mean()}},
    "padding-off-by-one": {
        "one-less": {"loss": _lengths(lambda n, width: (n - 1).clamp(min=1))},
        "one-more": {"loss": _lengths(lambda n, width: (n + 1).clamp(max=width))},
    },
    "missing-zero-grad": {"": {"clear": _nothing}, "once": {"clear": _nothing, "at-start": _clear}},
    "missing-clip": {"": {"clip": _nothing}},
    "clip-always": {"": {"clip": _scaled}},
    "clip-by-value": {"": {"clip": _values}, "each": {"clip": _each}},
    "order-ignored": {
        "": {"order": lambda order: torch.arange(len(order))},
        "sorted": {"order": lambda order: order.sort().values},
        "reversed": {"order": lambda order: order.flip(0)},
    },
    "last-batch-dropped": {"": {"batches": _whole}},
    "loss-after-step": {"": {"returned": lambda before, after: after()}},
    "": {
        "sum": {"loss": lambda z, y, n: _rows(z, y, n).sum()},
        "per-sentence": {"loss": lambda z, y, n: _rows(z, y, n).sum() / len(n)},
    },
}
VARIANTS: tuple[Variant, ...] = tuple(
    Variant(cause, f"epoch-{how}", {"train_epoch": train(**parts)})
    for cause, table in TABLE.items()
    for how, parts in table.items()
)
