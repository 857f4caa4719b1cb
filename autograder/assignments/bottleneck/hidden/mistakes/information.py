"""Known mistakes of conditional_entropy, mutual_information and processing_chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.bottleneck.hidden.mistakes.entropies import ENTROPIES, LN2, Entropy
from autograder.assignments.kit.hidden.variant import Variant, from_table
from reference.bottleneck.functions import conditional_entropy, entropy_bits, mutual_information

Of = Callable[[Tensor], Tensor]  # of a joint distribution


def _conditional(entropy: Entropy) -> Of:
    return lambda joint: entropy(joint.flatten()) - entropy(joint.sum(0))


def _divided(entropy: Entropy) -> Of:
    """Sum the entropies of columns, each divided by its sum."""
    return lambda joint: (joint.sum(0) * entropy((joint / joint.sum(0)).mT)).sum()


def _mutual(entropy: Entropy) -> Of:
    return lambda joint: entropy(joint.sum(1)) + entropy(joint.sum(0)) - entropy(joint.flatten())


def _ratio(joint: Tensor) -> Tensor:
    """Sum p log2 (p / (p_x p_y)), with no guard at all."""
    return (joint * (joint / (joint.sum(1, keepdim=True) * joint.sum(0))).log2()).sum()


def _patched(joint: Tensor) -> Tensor:
    terms = joint * (joint / (joint.sum(1, keepdim=True) * joint.sum(0))).log2()
    return torch.where(joint > 0, terms, 0.0).sum()


def _of_entropies(build: Callable[[Entropy], Of], *causes: str) -> dict[str, dict[str, Of]]:
    return {cause: {f"own-{how}": build(one) for how, one in ENTROPIES[cause].items()} for cause in causes}


CONDITIONAL: dict[str, dict[str, Of]] = {
    "conditions-swapped": {
        "": lambda p: conditional_entropy(p.mT),
        "nan": lambda p: _divided(lambda q: -(q * q.log2()).sum(-1))(p.mT),
    },
    "joint-entropy": {"": lambda p: entropy_bits(p.flatten())},
    **_of_entropies(_conditional, "wrong-log-base", "nan-at-zero-weight"),
    "entropy-sign": {
        "conditional": lambda p: -conditional_entropy(p),
        "conditional-nats": lambda p: -conditional_entropy(p) * LN2,
    },
    "detached-graph": {"conditional": lambda p: conditional_entropy(p.detach())},
    "": {
        "conditional-of-x": lambda p: entropy_bits(p.sum(1)),
        "conditional-of-y": lambda p: entropy_bits(p.sum(0)),
        "conditional-mutual": mutual_information,
        "conditional-unweighted": lambda p: entropy_bits((p / p.sum(0)).mT).mean(),
        "conditional-summed": lambda p: entropy_bits((p / p.sum(0)).mT).sum(),
        "conditional-vector": lambda p: p.sum(0) * entropy_bits((p / p.sum(0)).mT),
        "conditional-without-division": lambda p: (p.sum(0) * entropy_bits(p.mT)).sum(),
    },
}
RATIOS: dict[str, dict[str, Of]] = {
    "nan-at-zero-weight": {
        "divided": _divided(entropy_bits),
        "divided-plain": _divided(lambda q: -(q * q.log2()).sum(-1)),
        "divided-patched": lambda p: (p.sum(0) * entropy_bits((p / p.sum(0)).mT)).nansum(),
        "divided-ratio": lambda p: -(p * (p / p.sum(0)).log2()).sum(),
        "divided-ratio-patched": lambda p: -torch.where(p > 0, p * (p / p.sum(0)).log2(), 0.0).sum(),
    },
    "wrong-log-base": {"divided": lambda p: _divided(entropy_bits)(p) * LN2},
}
MUTUAL: dict[str, dict[str, Of]] = {
    "joint-not-subtracted": {
        "": lambda p: entropy_bits(p.sum(1)) + entropy_bits(p.sum(0)),
        "nats": lambda p: (entropy_bits(p.sum(1)) + entropy_bits(p.sum(0))) * LN2,
    },
    "information-sign": {"": lambda p: -mutual_information(p), "nan": lambda p: -_ratio(p)},
    **_of_entropies(_mutual, "wrong-log-base", "nan-at-zero-weight"),
    "detached-graph": {"mutual": lambda p: mutual_information(p.detach())},
    "joint-entropy": {"mutual": lambda p: entropy_bits(p.flatten())},
    "": {
        "mutual-of-x": lambda p: entropy_bits(p.sum(1)),
        "mutual-of-y": lambda p: entropy_bits(p.sum(0)),
        "mutual-conditional": conditional_entropy,
        "mutual-other-conditional": lambda p: conditional_entropy(p.mT),
        "mutual-unweighted": lambda p: (p / (p.sum(1, keepdim=True) * p.sum(0))).log2().sum(),
        "mutual-once": lambda p: entropy_bits(p.sum(1)) - entropy_bits(p.flatten()),
        "mutual-products": lambda p: (
            p.sum(1, keepdim=True) * p.sum(0) * (p.sum(1, keepdim=True) * p.sum(0) / p).log2()
        ).sum(),
        "mutual-relative": lambda p: mutual_information(p) / entropy_bits(p.flatten()),
        "mutual-absolute": lambda p: (p * (p / (p.sum(1, keepdim=True) * p.sum(0))).log2()).abs().sum(),
        "mutual-mean": lambda p: _mutual(entropy_bits)(p) / p.numel(),
        "mutual-swapped": lambda p: entropy_bits(p.sum(1)) - conditional_entropy(p.mT),
        "mutual-other-swapped": lambda p: entropy_bits(p.sum(0)) - conditional_entropy(p),
    },
}
MUTUAL_RATIOS: dict[str, dict[str, Of]] = {
    "nan-at-zero-weight": {
        "ratio": _ratio,
        "ratio-patched": _patched,
        "ratio-nansum": lambda p: (p * (p / (p.sum(1, keepdim=True) * p.sum(0))).log2()).nansum(),
        "mutual-divided": lambda p: entropy_bits(p.sum(1)) - _divided(entropy_bits)(p),
        "mutual-divided-plain": lambda p: entropy_bits(p.sum(1)) - _divided(lambda q: -(q * q.log2()).sum(-1))(p),
    },
    "wrong-log-base": {"ratio": lambda p: _ratio(p) * LN2},
}

Chain = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def chain(
    before: Of = mutual_information, after: Callable[[Tensor, Tensor], Tensor] | None = None, mutual: Of | None = None
) -> dict[str, Any]:
    """Build a processing_chain with some parts replaced by wrong ones. ``mutual``: of both results."""
    of = mutual or mutual_information

    def processing_chain(joint: Tensor, channel: Tensor) -> tuple[Tensor, Tensor]:
        first = mutual(joint) if mutual else before(joint)
        return first, after(joint, channel) if after else of(joint @ channel)

    return {"processing_chain": processing_chain}


def _chain(joint: Tensor, channel: Tensor) -> tuple[Tensor, Tensor]:
    return mutual_information(joint), mutual_information(joint @ channel)


def _from_y(joint: Tensor, channel: Tensor) -> Tensor:
    return mutual_information(joint.sum(0).unsqueeze(1) * channel)


AFTER: dict[str, dict[str, Callable[[Tensor, Tensor], Tensor]]] = {
    "channel-transposed": {
        "": lambda p, c: mutual_information(p @ c.mT),
        "normalised": lambda p, c: mutual_information(p @ (c / c.sum(0))),
        "both": lambda p, c: mutual_information(p @ (c.mT / c.sum(1))),
        "first": lambda p, c: mutual_information(c @ p.mT),
        "scaled": lambda p, c: mutual_information((q := p @ c.mT) / q.sum()),
        "bayes": lambda p, c: mutual_information(
            p @ (p.sum(0).unsqueeze(1) * c / (p.sum(0) @ c)) / (p @ (p.sum(0).unsqueeze(1) * c / (p.sum(0) @ c))).sum()
        ),
        "bayes-unscaled": lambda p, c: mutual_information(p @ (p.sum(0).unsqueeze(1) * c / (p.sum(0) @ c))),
    },
    "chain-from-y": {"": _from_y, "transposed": lambda p, c: _from_y(p, c.mT)},
    "detached-graph": {
        "chain": lambda p, c: mutual_information((p @ c).detach()),
        "chain-channel": lambda p, c: mutual_information(p @ c.detach()),
        "chain-joint": lambda p, c: mutual_information(p.detach() @ c),
    },
    "argument-ignored": {"channel": lambda p, c: mutual_information(p)},
    "": {
        "after-channel-alone": lambda p, c: mutual_information(c / c.sum()),
        "after-channel-unscaled": lambda p, c: mutual_information(c),
        "after-entropy": lambda p, c: entropy_bits((p @ c).flatten()),
        "after-difference": lambda p, c: mutual_information(p) - mutual_information(p @ c),
        "after-of-z": lambda p, c: entropy_bits((p @ c).sum(0)),
        "after-smaller": lambda p, c: torch.minimum(mutual_information(p), _from_y(p, c)),
        "after-conditional": lambda p, c: conditional_entropy(p @ c),
        "after-x-not-y": lambda p, c: mutual_information(p.sum(1, keepdim=True) * (p @ c)),
    },
}


def _chains() -> Iterator[Variant]:
    yield from from_table(AFTER, lambda one: chain(after=one), "{}")
    for ones in (MUTUAL, MUTUAL_RATIOS):
        named = {cause: found for cause, found in ones.items() if cause not in ("", "detached-graph", "joint-entropy")}
        yield from from_table(named, lambda one: chain(mutual=one), "chain-{}")
    swapped = {"processing_chain": lambda joint, channel: _chain(joint, channel)[::-1]}
    yield Variant("chain-swapped", "", swapped)
    yield Variant("detached-graph", "chain-before", chain(before=lambda p: mutual_information(p.detach())))


VARIANTS = (
    *from_table(CONDITIONAL, lambda one: {"conditional_entropy": one}, "h-{}"),
    *from_table(RATIOS, lambda one: {"conditional_entropy": one}, "h-{}"),
    *from_table(MUTUAL, lambda one: {"mutual_information": one}, "i-{}"),
    *from_table(MUTUAL_RATIOS, lambda one: {"mutual_information": one}, "i-{}"),
    *_chains(),
)
