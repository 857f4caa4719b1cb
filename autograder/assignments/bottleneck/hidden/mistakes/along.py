"""Known mistakes of decay_along."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import from_table

Step = Callable[[Tensor, Tensor, Tensor], Tensor]  # h_t, h_{t+1}, W -> d h_{t+1} / d h_t
Norm = Callable[[Tensor], Tensor]


def _step(here: Tensor, there: Tensor, weight: Tensor) -> Tensor:
    return (1 - there.square()).unsqueeze(1) * weight


def _largest(product: Tensor) -> Tensor:
    found: Tensor = torch.linalg.matrix_norm(product, 2)
    return found


def along(
    step: Step = _step,
    norm: Norm = _largest,
    product: Callable[[Tensor, Tensor], Tensor] = torch.matmul,
    last: Callable[[Tensor], Tensor] = lambda states: states.new_ones(()),
    after: Callable[[Tensor], Tensor] = lambda norms: norms,
) -> dict[str, Any]:
    """Build a decay_along with some parts replaced by wrong ones."""

    def decay_along(states: Tensor, recurrent_weight: Tensor) -> Tensor:
        jacobian = torch.eye(states.shape[1], dtype=states.dtype)
        found = [last(states)]
        for t in range(len(states) - 2, -1, -1):
            jacobian = product(jacobian, step(states[t], states[t + 1], recurrent_weight))
            found.insert(0, norm(jacobian))
        return after(torch.stack(found))

    return {"decay_along": decay_along}


def _of_factors(norm: Norm = _largest, step: Step = _step) -> dict[str, Any]:
    def decay_along(states: Tensor, recurrent_weight: Tensor) -> Tensor:
        found = [states.new_ones(())]
        for t in range(len(states) - 2, -1, -1):
            found.insert(0, found[0] * norm(step(states[t], states[t + 1], recurrent_weight)))
        return torch.stack(found)

    return {"decay_along": decay_along}


def _each(states: Tensor, recurrent_weight: Tensor) -> Tensor:
    steps = [_largest(_step(one, two, recurrent_weight)) for one, two in pairwise(states)]
    return torch.stack([*steps, states.new_ones(())])


def _from_start(states: Tensor, recurrent_weight: Tensor) -> Tensor:
    """Return the norms of d h_t / d h_1."""
    jacobian = torch.eye(states.shape[1], dtype=states.dtype)
    found = [states.new_ones(())]
    for one, two in pairwise(states):
        jacobian = _step(one, two, recurrent_weight) @ jacobian
        found.append(_largest(jacobian))
    return torch.stack(found)


def _frobenius(product: Tensor) -> Tensor:
    found: Tensor = torch.linalg.matrix_norm(product)
    return found


STEPS: dict[str, dict[str, Step]] = {
    "tanh-derivative-missing": {"": lambda h, n, W: W},
    "tanh-of-earlier-state": {
        "": lambda h, n, W: (1 - h.square()).unsqueeze(1) * W,
        "columns": lambda h, n, W: W * (1 - h.square()),
    },
    "detached-graph": {
        "along-states": lambda h, n, W: _step(h, n.detach(), W),
        "along-weight": lambda h, n, W: _step(h, n, W.detach()),
        "along": lambda h, n, W: _step(h, n, W).detach(),
    },
    "": {
        "along-transposed": lambda h, n, W: (1 - n.square()).unsqueeze(1) * W.mT,
        "along-columns": lambda h, n, W: W * (1 - n.square()),
        "along-tanh-again": lambda h, n, W: (1 - n.tanh().square()).unsqueeze(1) * W,
        "along-not-squared": lambda h, n, W: (1 - n).unsqueeze(1) * W,
        "along-state": lambda h, n, W: n.unsqueeze(1) * W,
        "along-sigmoid": lambda h, n, W: (n * (1 - n)).unsqueeze(1) * W,
        "along-without-weight": lambda h, n, W: torch.diag(1 - n.square()),
        "along-plus": lambda h, n, W: (1 + n.square()).unsqueeze(1) * W,
    },
}
NORMS: dict[str, dict[str, Norm]] = {
    "frobenius-not-spectral": {"": _frobenius, "mean": lambda J: _frobenius(J) / J.shape[0] ** 0.5},
    "": {
        "along-smallest": lambda J: torch.linalg.svdvals(J)[-1],
        "along-eigenvalue": lambda J: torch.linalg.eigvals(J).abs().max(),
        "along-rows": lambda J: torch.linalg.matrix_norm(J, torch.inf),
        "along-one": lambda J: torch.linalg.matrix_norm(J, 1),
        "along-nuclear": lambda J: torch.linalg.svdvals(J).sum(),
        "along-squared": lambda J: _largest(J).square(),
        "along-determinant": lambda J: torch.linalg.det(J).abs(),
        "along-largest-entry": lambda J: J.abs().max(),
        "along-mean": lambda J: torch.linalg.svdvals(J).mean(),
        "along-all": torch.linalg.svdvals,
    },
}
WHOLE: dict[str, dict[str, dict[str, Any]]] = {
    "product-in-wrong-order": {
        "": along(product=lambda J, S: S @ J),
        "columns": along(product=lambda J, S: S @ J, step=STEPS[""]["along-columns"]),
        "frobenius": along(product=lambda J, S: S @ J, norm=_frobenius),
    },
    "tanh-derivative-missing": {"along-factors": _of_factors(step=lambda h, n, W: W)},
    "norm-of-factors": {
        "": _of_factors(),
        "frobenius": _of_factors(_frobenius),
        "slope": {
            "decay_along": lambda states, recurrent_weight: torch.stack(
                [
                    torch.prod((1 - states[t + 1 :].square()).amax(1) * _largest(recurrent_weight))
                    for t in range(len(states))
                ]
            )
        },
    },
    "frobenius-not-spectral": {"last": along(norm=_frobenius, last=lambda h: h.new_full((), h.shape[1] ** 0.5))},
    "": {
        "along-reversed": along(after=lambda norms: norms.flip(0)),
        "along-each": {"decay_along": _each},
        "along-from-start": {"decay_along": _from_start},
        "along-last-zero": along(last=lambda h: h.new_zeros(())),
        "along-without-last": {
            "decay_along": lambda states, recurrent_weight: along()["decay_along"](states, recurrent_weight)[:-1]
        },
        "along-shifted": {
            "decay_along": lambda states, recurrent_weight: torch.cat(
                [along()["decay_along"](states, recurrent_weight)[1:], states.new_ones(1)]
            )
        },
    },
}
VARIANTS = (
    *from_table(STEPS, lambda one: along(step=one), "{}"),
    *from_table(NORMS, lambda one: along(norm=one), "{}"),
    *from_table(WHOLE, lambda one: one, "{}"),
)
