"""How fast the references are beside other right ways of writing the same: einsum, bmm, baddbmm and compiled ones.

    python tests/bench/references.py [--rounds 30]

All forms of a call run in turn, in every round, on the same new inputs, on one thread; the cost is CPU time, and what
is printed are ratios of medians to the fastest. A form that is not right ends the program.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from reference.bahdanau.functions import additive_attention
from reference.luong.functions import attend, dot_score
from reference.masking.functions import masked_cross_entropy, masked_softmax
from reference.self_attention.functions import scaled_dot_product_attention

ENOUGH = 1.2  # times the fastest: what a reference may cost
Form = Callable[..., Any]


def additive_einsum(s: Tensor, h: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    query, keys = torch.einsum("bd,ad->ba", s, W_s), torch.einsum("bth,ah->bta", h, W_h)
    weights = torch.softmax(torch.einsum("bta,a->bt", torch.tanh(query[:, None] + keys), v[0]), -1)
    return torch.einsum("bt,bth->bh", weights, h), weights


def additive_baddbmm(s: Tensor, h: Tensor, W_s: Tensor, W_h: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    keys = torch.baddbmm((s @ W_s.T).unsqueeze(1), h, W_h.T.expand(len(h), -1, -1))
    weights = torch.softmax((torch.tanh(keys) @ v.T).squeeze(-1), -1)
    return torch.bmm(weights.unsqueeze(1), h).squeeze(1), weights


def dot(s: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    return attend(dot_score(s, h), h)


def dot_einsum(s: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(torch.einsum("btd,bsd->bts", s, h), -1)
    return torch.einsum("bts,bsd->btd", weights, h), weights


def dot_matmul(s: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(s @ h.transpose(1, 2), -1)
    return weights @ h, weights


def scaled_einsum(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(torch.einsum("bqd,bkd->bqk", q, k) / math.sqrt(q.shape[-1]), -1)
    return torch.einsum("bqk,bkd->bqd", weights, v), weights


def scaled_bmm(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(torch.bmm(q, k.mT) / math.sqrt(q.shape[-1]), -1)
    return torch.bmm(weights, v), weights


def scaled_baddbmm(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    empty = q.new_empty(len(q), q.shape[1], k.shape[1])
    weights = torch.softmax(torch.baddbmm(empty, q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5), -1)
    return torch.bmm(weights, v), weights


def softmax_refilled(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(torch.where(mask, scores, lowest), -1).masked_fill(~mask, 0.0)


def softmax_by_hand(scores: Tensor, mask: Tensor) -> Tensor:
    shifted = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    parts = torch.exp(shifted - shifted.amax(-1, keepdim=True)) * mask
    return parts / parts.sum(-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)


def loss_gathered(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    mask = torch.arange(targets.shape[1]) < lengths[:, None]
    found = torch.log_softmax(logits, -1).gather(-1, targets[..., None]).squeeze(-1)
    return -(found * mask).sum() / mask.sum()


FORMS: dict[str, tuple[Form, ...]] = {
    "additive attention": (additive_attention, additive_einsum, additive_baddbmm),
    "dot-product attention": (dot, dot_einsum, dot_matmul),
    "scaled dot product": (scaled_dot_product_attention, scaled_einsum, scaled_bmm, scaled_baddbmm),
    "masked softmax": (masked_softmax, softmax_refilled, softmax_by_hand),
    "masked cross-entropy": (masked_cross_entropy, loss_gathered),
}


def inputs(call: str, batch: int, length: int, d: int = 128) -> tuple[Tensor, ...]:
    """New ones, in single precision."""
    states = torch.randn(batch, length, d)
    match call:
        case "additive attention":
            weights = (torch.randn(d, d) / 11, torch.randn(d, d) / 11, torch.randn(1, d) / 11)
            return torch.randn(batch, d), states, *weights
        case "dot-product attention":
            return torch.randn(batch, 32, d), states
        case "scaled dot product":
            return states, torch.randn(batch, length, d), torch.randn(batch, length, d)
        case "masked softmax":
            return torch.randn(batch, length, length), torch.rand(batch, length, length) < 0.8
    targets, lengths = torch.randint(d, (batch, length)), torch.randint(1, length + 1, (batch,))
    return states, targets, lengths


def compiled(form: Form) -> Form | None:
    """Where there is a compiler for it."""
    try:
        fast: Form = torch.compile(form, dynamic=False)
        fast(*inputs("scaled dot product", 1, 8))
    except Exception as error:
        print(f"compiled forms can't be had here: {type(error).__name__}")
        return None
    return fast


def compare(call: str, forms: dict[str, Form], batch: int, length: int, rounds: int) -> dict[str, float]:
    """The median cost of each form, in seconds of CPU time."""
    costs: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds + 2):
        given = inputs(call, batch, length)
        expected = next(iter(forms.values()))(*given)
        for name in random.sample(list(forms), len(forms)):
            began = time.process_time()
            actual = forms[name](*given)
            costs[name].append(time.process_time() - began)
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
    return {name: statistics.median(some[2:]) for name, some in costs.items()}


def main() -> None:
    """Prints a line a call and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    fast = compiled(scaled_bmm)
    print(
        "\nReferences beside other right forms: CPU time over that of the fastest (median of "
        f"{rounds} rounds; a reference may cost {ENOUGH})"
    )
    with torch.no_grad():
        for call, several in FORMS.items():
            forms = {("reference" if number == 0 else form.__name__): form for number, form in enumerate(several)}
            if fast and call == "scaled dot product":
                forms["compiled"] = fast
            for batch, length in ((4, 64), (4, 256)):
                found = compare(call, forms, batch, length, rounds)
                least = min(found.values())
                told = ", ".join(f"{name} {cost / least:.2f}" for name, cost in found.items())
                print(f"  {call:22} B={batch} T={length:4}  {told}")


if __name__ == "__main__":
    main()
