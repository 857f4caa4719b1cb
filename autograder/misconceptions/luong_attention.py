"""Known mistakes of LuongAttention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.misconceptions import softmaxes
from autograder.misconceptions.variant import Variant
from autograder.oracle import luong as right

Score = Callable[..., Tensor]
Attend = Callable[..., tuple[Tensor, Tensor]]
Where = Literal["everywhere", "score", "forward"]


def dot(s: Tensor, h: Tensor) -> Tensor:
    return s @ h.mT


def general(s: Tensor, h: Tensor, W: Tensor) -> Tensor:
    return s @ W @ h.mT


def halves(s: Tensor, h: Tensor, W: Tensor) -> tuple[Tensor, Tensor]:
    """The two terms of concat: (B, T_t, attn_dim), (B, T_s, attn_dim)."""
    width = s.shape[-1]
    return s @ W[:, :width].T, h @ W[:, width:].T


def concat(s: Tensor, h: Tensor, W: Tensor, v: Tensor, activation: Score = torch.tanh) -> Tensor:
    q, k = halves(s, h, W)
    return activation(q.unsqueeze(2) + k.unsqueeze(1)) @ v[0]


SCORES: dict[str, Score] = {"dot": dot, "general": general, "concat": concat}


def _softmax(scores: Tensor) -> Tensor:
    return torch.softmax(scores, -1)


def _attend(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
    weights = _softmax(scores)
    return weights @ h, weights


def attention(
    scores: Mapping[str, Score] | None = None, where: Where = "everywhere", attend: Attend = _attend
) -> dict[str, Any]:
    """A LuongAttention in which parts are other than they must be: the scores of some methods, in the method
    score, in what forward computes or in both, and what is made of them."""
    wrong = scores or {}

    class LuongAttention(right.LuongAttention):
        def score(self, decoder_states: Tensor, encoder_states: Tensor) -> Tensor:
            return self._scores(decoder_states, encoder_states, "score")

        def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
            made = self._scores(decoder_states, encoder_states, "forward")
            return attend(made, decoder_states, encoder_states, self)

        def _scores(self, s: Tensor, h: Tensor, here: str) -> Tensor:
            changed = where in ("everywhere", here)
            score = wrong.get(self.method, SCORES[self.method]) if changed else SCORES[self.method]
            return score(s, h, *self.weights.values())

    return {"LuongAttention": LuongAttention}


def repeated(x: Tensor) -> Tensor:
    return x[:1].expand_as(x)


# ---- what is made of the scores


def _read(of_context: Score, of_result: Score) -> Attend:
    """One wrong softmax for the context, another for the weights that are returned."""
    return lambda scores, s, h, layer: (of_context(scores) @ h, of_result(scores))


def _all(softmax: Score) -> Attend:
    return _read(softmax, softmax)


def _made(context: Callable[[Tensor, Tensor], Tensor]) -> Attend:
    return lambda scores, s, h, layer: (context(_softmax(scores), h), _softmax(scores))


def _projected(methods: Sequence[str]) -> Attend:
    """The context of what made the scores."""

    def attend(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
        weights, W = _softmax(scores), layer.weights.get("W_a.weight")
        if layer.method in methods:
            h = h @ (W.T if layer.method == "general" else W[:, s.shape[-1] :].T)
        return weights @ h, weights

    return attend


def _across(weights: Tensor, h: Tensor) -> Tensor:
    """States on the axis of the target."""
    return (weights.unsqueeze(-1) * h.unsqueeze(2)).sum(2)


class _Backward(torch.autograd.Function):
    """A right softmax with another backward."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, backward: Score) -> Tensor:
        weights = _softmax(scores)
        ctx.save_for_backward(weights)
        ctx.wrong = backward
        return weights

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return ctx.wrong(ctx.saved_tensors[0], grads[0]), None


def _backward(wrong: Score) -> Attend:
    def softmax(scores: Tensor) -> Tensor:
        made: Tensor = _Backward.apply(scores, wrong)  # type: ignore[no-untyped-call]
        return made

    def attend(scores: Tensor, s: Tensor, h: Tensor, layer: Any) -> tuple[Tensor, Tensor]:
        weights = softmax(scores)
        return weights @ h, weights

    return attend


def _table(scores: Tensor) -> Tensor:
    """Over source and target together."""
    return torch.softmax(scores.flatten(1), 1).view(scores.shape)


def _every_best(scores: Tensor) -> Tensor:
    """1 for the best score, and for all that equal it."""
    return (scores == scores.amax(-1, keepdim=True)).to(scores.dtype) + 0 * scores


def _detached(scores: Tensor) -> Tensor:
    return _softmax(scores).detach()


def _kept_sum(scores: Tensor) -> Tensor:
    """Divided by sums that lost their axis."""
    made = torch.exp(scores - scores.amax(-1, keepdim=True))
    return made / made.sum(-1)


ATTENDS: dict[str, dict[str, Attend]] = {
    "context-from-projections": {
        "general": _projected(["general"]),
        "concat": _projected(["concat"]),
        "both": _projected(["general", "concat"]),
    },
    "mean-not-sum": {"context": _made(lambda weights, h: weights @ h / h.shape[1])},
    "ignores-batch": {
        "context": _made(lambda weights, h: weights @ h[:1]),
        "weights": _made(lambda weights, h: weights[:1] @ h),
        "first": lambda scores, s, h, layer: _attend(repeated(scores), s, h, layer),
    },
    "silent-broadcast": {"context": _made(_across), "sum": _all(_kept_sum)},
    "detached-graph": {
        "for-context": _read(_detached, _softmax),
        "returned": _read(_softmax, _detached),
        "states": _made(lambda weights, h: weights @ h.detach()),
    },
    "softmax-wrong-axis": {"table": _all(_table)},
    "hard-attention": {"every-best": _all(_every_best)},
    "not-softmax": {"guarded-absolute": _all(lambda scores: F.normalize(scores, p=1, dim=-1).abs())},
    "returns-swapped": {"": lambda scores, s, h, layer: _attend(scores, s, h, layer)[::-1]},
    "hardcoded-answer": {"uniform": lambda scores, s, h, layer: _attend(0 * scores, s, h, layer)},
    "vjp-missing-mean": {
        "": _backward(lambda weights, grad: weights * grad),
        "sum": _backward(lambda weights, grad: weights * (grad - grad.sum(-1, keepdim=True))),
        "unweighted": _backward(lambda weights, grad: weights * (grad - grad.mean(-1, keepdim=True))),
    },
    "": {  # known, and without an id
        "residual": lambda scores, s, h, layer: (_attend(scores, s, h, layer)[0] + s, _softmax(scores)),
        "of-the-target": lambda scores, s, h, layer: (_softmax(scores) @ s, _softmax(scores)),
    },
    "vjp-diagonal-only": {"": _backward(lambda weights, grad: weights * (1 - weights) * grad)},
}  # fmt: skip
APART = {"missing-softmax": ("",), "hard-attention": ("",), "softmax-wrong-axis": ("first", "next-to-last"),
         "not-softmax": ("log", "sigmoid")}  # fmt: skip


def _apart() -> Iterator[Variant]:
    """Wrong in one of the two results, right in the other."""
    for cause, ways in APART.items():
        for how in ways:
            wrong = softmaxes.SOFTMAXES[cause][how]
            yield Variant(cause, f"for-context-{how}", attention(attend=_read(wrong, _softmax)))
            yield Variant(cause, f"returned-{how}", attention(attend=_read(_softmax, wrong)))


VARIANTS = (
    *softmaxes.variants(lambda softmax: attention(attend=_all(softmax))),
    *_apart(),
    *(Variant(cause, how, attention(attend=one)) for cause, all_ in ATTENDS.items() for how, one in all_.items()),
)  # fmt: skip
