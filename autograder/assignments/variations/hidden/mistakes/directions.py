"""Known mistakes of BiDAF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.assignments.kit.hidden.variant import Variant, from_table
from autograder.assignments.variations.hidden.mistakes.shared import MASKS, OF_ROWS, Part, masked_softmax
from reference.variations import modules as right

# ``asked`` and ``found`` of the right parts: (B, m, dim) and (B, 1, dim). Masks are c (B, m) and q (B, n).


def _similarity(h: Tensor, u: Tensor, W: Tensor, joined: Part) -> Tensor:
    shape = (len(h), h.shape[1], u.shape[1], h.shape[2])
    scores: Tensor = joined(h.unsqueeze(2).expand(shape), u.unsqueeze(1).expand(shape)) @ W.T
    return scores.squeeze(3)


def bidaf(
    joined: Part = lambda h, u: torch.cat([h, u, h * u], -1),
    weights: Part = masked_softmax,
    asked: Part = lambda scores, q, c, softmax: softmax(scores, q.unsqueeze(1).expand(scores.shape)),
    largest: Part = lambda scores, q: scores.masked_fill(~q.unsqueeze(1), -torch.inf).amax(2),
    back: Part = masked_softmax,
    found: Part = lambda b, h, c: b.unsqueeze(1) @ h,
    summed: Part = lambda a, u: a @ u,
    row: Part = lambda h, asked, found: [h, asked, h * asked, h * found],
    padding: Part = lambda result, c: result.masked_fill(~c.unsqueeze(2), 0.0),
) -> dict[str, Any]:
    """Build a BiDAF with some parts replaced by wrong ones."""

    class BiDAF(right.BiDAF):
        def similarity(self, context: Tensor, question: Tensor) -> Tensor:
            return _similarity(context, question, self.weights["w.weight"], joined)

        def forward(self, context: Tensor, question: Tensor, context_mask: Tensor, question_mask: Tensor) -> Any:
            scores = self.similarity(context, question)
            to_question = summed(asked(scores, question_mask, context_mask, weights), question)
            to_context = found(back(largest(scores, question_mask), context_mask), context, context_mask)
            pieces = row(context, to_question, to_context.expand(context.shape))
            return padding(torch.cat(pieces, 2), context_mask)

    return {"BiDAF": BiDAF}


def _over_context(scores: Tensor, q: Tensor, c: Tensor, softmax: Part) -> Tensor:
    """Return a softmax over the words of the context, with their mask."""
    found: Tensor = softmax(scores.mT, c.unsqueeze(1).expand(scores.mT.shape)).mT
    return found


def _over_all_context(scores: Tensor, q: Tensor, c: Tensor, softmax: Part) -> Tensor:
    return torch.softmax(scores.masked_fill(~q.unsqueeze(1), -torch.inf), 1)


def _cleaned(asked: Part) -> Part:
    return lambda scores, q, c, softmax: asked(scores, q, c, softmax).nan_to_num(0.0).masked_fill(~q.unsqueeze(1), 0.0)


def _question_back(h: Tensor, u: Tensor, scores: Tensor, c: Tensor, q: Tensor) -> Tensor:
    """Return the question words' mean by the largest score of each."""
    largest = scores.masked_fill(~c.unsqueeze(2), -torch.inf).amax(1)
    return masked_softmax(largest, q).unsqueeze(1) @ u


def _of_question(masked: bool) -> dict[str, Any]:
    """Build a BiDAF whose way to the context takes the largest score of each question word."""

    class BiDAF(right.BiDAF):
        def forward(self, context: Tensor, question: Tensor, context_mask: Tensor, question_mask: Tensor) -> Tensor:
            scores = self.similarity(context, question)
            seen = context_mask if masked else torch.ones_like(context_mask)
            asked = masked_softmax(scores, question_mask.unsqueeze(1).expand(scores.shape)) @ question
            found = _question_back(context, question, scores, seen, question_mask)
            pieces = [context, asked, context * asked, context * found]
            return torch.cat(pieces, 2).masked_fill(~context_mask.unsqueeze(2), 0.0)

    return {"BiDAF": BiDAF}


def _q2c_per_word(masked: bool) -> dict[str, Any]:
    """Build a BiDAF that takes an average by maxima over the context, one for each word of the context."""
    return bidaf(
        largest=lambda scores, q: scores.masked_fill(~q.unsqueeze(1), -torch.inf if masked else 0.0).amax(1),
        back=lambda largest, c: torch.softmax(largest, 1),
        found=lambda b, h, c: b.sum(1, keepdim=True).unsqueeze(2) * h.mean(1, keepdim=True),
    )


def _mean_of_real(scores: Tensor, q: Tensor) -> Tensor:
    return (scores * q.unsqueeze(1)).sum(2) / q.sum(1, keepdim=True)


def _cut(result: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    """Return the four pieces, 0 in rows of padding."""
    return result.masked_fill(~c.unsqueeze(2), 0.0).chunk(4, 2)


ROWS: dict[str, dict[str, Part]] = {
    "product-missing": {
        "last": lambda h, asked, found: [h, asked, h * asked, found],
        "third": lambda h, asked, found: [h, asked, asked, h * found],
        "sums": lambda h, asked, found: [h, asked, h + asked, h + found],
        "third-sum": lambda h, asked, found: [h, asked, h + asked, h * found],
        "last-sum": lambda h, asked, found: [h, asked, h * asked, h + found],
        "third-difference": lambda h, asked, found: [h, asked, h - asked, h * found],
        "third-context": lambda h, asked, found: [h, asked, h, h * found],
        "both": lambda h, asked, found: [h, asked, asked, found],
    },
    "directions-swapped": {
        "": lambda h, asked, found: [h, found, h * found, h * asked],
        "products": lambda h, asked, found: [h, asked, h * found, h * asked],
        "second": lambda h, asked, found: [h, found, h * asked, h * found],
        "both-found": lambda h, asked, found: [h, found, h * found, h * found],
        "both-asked": lambda h, asked, found: [h, asked, h * asked, h * asked],
    },
    "": {
        "asked-times-found": lambda h, asked, found: [h, asked, h * asked, asked * found],
        "asked-first": lambda h, asked, found: [asked, h, h * asked, h * found],
        "four-vectors": lambda h, asked, found: [h, asked, found, h * asked],
    },
    "detached-graph": {
        "asked": lambda h, asked, found: [h, asked.detach(), h * asked.detach(), h * found],
        "found": lambda h, asked, found: [h, asked, h * asked, h * found.detach()],
    },
}
JOINED: dict[str, dict[str, Part]] = {
    "product-missing": {
        "score": lambda h, u: torch.cat([h, u, 0 * h], -1),
        "score-sum": lambda h, u: torch.cat([h, u, h + u], -1),
        "score-difference": lambda h, u: torch.cat([h, u, h - u], -1),
        "score-absolute": lambda h, u: torch.cat([h, u, (h - u).abs()], -1),
        "score-context": lambda h, u: torch.cat([h, u, h], -1),
        "score-question": lambda h, u: torch.cat([h, u, u], -1),
    },
    "concat-order-swapped": {
        "": lambda h, u: torch.cat([u, h, h * u], -1),
        "product-first": lambda h, u: torch.cat([h * u, h, u], -1),
        "product-second": lambda h, u: torch.cat([h, h * u, u], -1),
    },
    "": {
        "only-product": lambda h, u: torch.cat([0 * h, 0 * u, h * u], -1),
        "without-question": lambda h, u: torch.cat([h, 0 * u, h * u], -1),
        "without-context": lambda h, u: torch.cat([0 * h, u, h * u], -1),
    },
}
PARTS: dict[str, dict[str, dict[str, Part]]] = {
    "softmax-wrong-axis": {
        "": {"asked": _over_all_context},
        "cleaned": {"asked": _cleaned(_over_all_context)},
        "context": {"asked": _over_context},
        "context-cleaned": {"asked": _cleaned(_over_context)},
    },
    "mean-not-maximum": {
        "": {"largest": _mean_of_real},
        "all": {"largest": lambda scores, q: scores.mean(2)},
        "width": {"largest": lambda scores, q: (scores * q.unsqueeze(1)).mean(2)},
        "and-padding": {"largest": _mean_of_real, "padding": lambda result, c: result},
        "sum": {"largest": lambda scores, q: (scores * q.unsqueeze(1)).sum(2)},
        "infinite": {"largest": lambda scores, q: scores.masked_fill(~q.unsqueeze(1), -torch.inf).mean(2)},
    },
    "mask-not-used": {
        "question": {
            "asked": lambda scores, q, c, softmax: torch.softmax(scores, 2),
            "largest": lambda scores, q: scores.amax(2),
        },
        "question-maximum": {"largest": lambda scores, q: scores.amax(2)},
        "question-softmax": {"asked": lambda scores, q, c, softmax: torch.softmax(scores, 2)},
        "context": {"back": lambda largest, c: torch.softmax(largest, 1)},
        "softmaxes": {
            "asked": lambda scores, q, c, softmax: torch.softmax(scores, 2),
            "largest": lambda scores, q: scores.amax(2),
            "back": lambda largest, c: torch.softmax(largest, 1),
        },
        "any": {
            "asked": lambda scores, q, c, softmax: torch.softmax(scores, 2),
            "largest": lambda scores, q: scores.amax(2),
            "back": lambda largest, c: torch.softmax(largest, 1),
            "padding": lambda result, c: result,
        },
        "context-at-all": {"back": lambda largest, c: torch.softmax(largest, 1), "padding": lambda result, c: result},
    },
    "mask-inverted": {
        "question": {
            "asked": lambda scores, q, c, softmax: softmax(scores, ~q.unsqueeze(1).expand(scores.shape)),
            "largest": lambda scores, q: scores.masked_fill(q.unsqueeze(1), -torch.inf).amax(2),
        },
        "question-softmax": {
            "asked": lambda scores, q, c, softmax: softmax(scores, ~q.unsqueeze(1).expand(scores.shape))
        },
        "question-maximum": {"largest": lambda s, q: s.masked_fill(q.unsqueeze(1), -torch.inf).amax(2)},
        "context": {"back": lambda largest, c: masked_softmax(largest, ~c)},
        "context-cleaned": {"back": lambda largest, c: masked_softmax(largest, ~c).nan_to_num(0.0)},
        "softmaxes": {
            "asked": lambda scores, q, c, softmax: softmax(scores, ~q.unsqueeze(1).expand(scores.shape)),
            "largest": lambda scores, q: scores.masked_fill(q.unsqueeze(1), -torch.inf).amax(2),
            "back": lambda largest, c: masked_softmax(largest, ~c),
        },
        "padding": {"padding": lambda result, c: result.masked_fill(c.unsqueeze(2), 0.0)},
        "all": {
            "asked": lambda scores, q, c, softmax: softmax(scores, ~q.unsqueeze(1).expand(scores.shape)),
            "largest": lambda scores, q: scores.masked_fill(q.unsqueeze(1), -torch.inf).amax(2),
            "back": lambda largest, c: masked_softmax(largest, ~c),
            "padding": lambda result, c: result.masked_fill(c.unsqueeze(2), 0.0),
        },
    },
    "padding-not-zero": {
        "": {"padding": lambda result, c: result},
        "context": {"padding": lambda result, c: torch.cat([*result.chunk(4, 2)[:1], *_cut(result, c)[1:]], 2)},
        "but-last": {"padding": lambda result, c: torch.cat([*result.chunk(4, 2)[:3], _cut(result, c)[3]], 2)},
        "ones": {"padding": lambda result, c: result.masked_fill(~c.unsqueeze(2), 1.0)},
    },
    "mean-not-sum": {
        "found": {"found": lambda b, h, c: (b.unsqueeze(2) * h).mean(1, keepdim=True)},
        "asked": {"summed": lambda a, u: a @ u / u.shape[1]},
    },
    "ignores-batch": {
        "back": {"found": lambda b, h, c: (b[:1].unsqueeze(1) @ h[:1]).expand(len(h), -1, -1)},
        "asked": {"summed": lambda a, u: a @ u[:1]},
    },
    "hard-attention": {"back": {"back": lambda largest, c: _hard(largest, c)}},
    "": {
        "logsumexp": {"largest": lambda s, q: s.masked_fill(~q.unsqueeze(1), -torch.inf).logsumexp(2)},
        "smallest": {"largest": lambda s, q: s.masked_fill(~q.unsqueeze(1), torch.inf).amin(2)},
        "maximum-of-weights": {"largest": lambda s, q: masked_softmax(s, q.unsqueeze(1).expand(s.shape)).amax(2)},
        "zero-filled-maximum": {"largest": lambda s, q: s.masked_fill(~q.unsqueeze(1), 0.0).amax(2)},
    },
}


def _hard(scores: Tensor, seen: Tensor) -> Tensor:
    best = scores.masked_fill(~seen, -torch.inf).argmax(-1, keepdim=True)
    return torch.zeros_like(scores).scatter(-1, best, 1.0) + 0 * scores


def _times_mask(result: Tensor, c: Tensor) -> Tensor:
    return result * c.unsqueeze(2)


TIMES_MASK = ("mask-inverted", "mask-not-used", "softmax-wrong-axis")  # these may have NaN in rows of padding


def _fill(value: float) -> Part:
    return lambda scores, q: scores.masked_fill(~q, value)


def _asked_of(fill: Part) -> Part:
    return lambda scores, q, c, softmax: torch.softmax(fill(scores, q.unsqueeze(1)), 2)


def _largest_of(fill: Part) -> Part:
    return lambda scores, q: fill(scores, q.unsqueeze(1)).amax(2)


FILLS: dict[str, Part] = {f"{value:g}": _fill(value) for value in (-1.0, -2.0, -3.0, -4.0, -5.0, -10.0, -20.0, -100.0)}


def _variants() -> Iterator[Variant]:
    yield from from_table(ROWS, lambda one: bidaf(row=one), "bidaf-{}")
    yield from from_table(JOINED, lambda one: bidaf(joined=one), "bidaf-{}")
    yield from from_table(PARTS, lambda one: bidaf(**one), "bidaf-{}")
    for cause in TIMES_MASK:
        others = {cause: {how: one for how, one in PARTS[cause].items() if "padding" not in one}}
        yield from from_table(others, lambda one: bidaf(**one, padding=_times_mask), "bidaf-{}-times-mask")
    yield Variant("maximum-over-context", "", _of_question(True))
    yield Variant("maximum-over-context", "all", _of_question(False))
    yield Variant("maximum-over-context", "per-word", _q2c_per_word(True))
    for how, fill in FILLS.items():
        yield Variant("mask-leaks", f"bidaf-question-{how}", bidaf(asked=_asked_of(fill), largest=_largest_of(fill)))
    by_product = bidaf(asked=_asked_of(torch.mul), largest=_largest_of(torch.mul))
    yield Variant("mask-multiplies-scores", "bidaf-question", by_product)
    for cause, parts in (*OF_ROWS.items(), *MASKS.items()):
        if cause in ("mask-not-used", "mask-inverted"):
            continue
        for how, one in parts.items():
            yield Variant(cause, f"bidaf-softmax-{how}", bidaf(weights=one, back=one))
            yield Variant(cause, f"bidaf-asked-{how}", bidaf(weights=one))
            if how != "second":  # of two axes
                yield Variant(cause, f"bidaf-back-{how}", bidaf(back=one))


VARIANTS = tuple(_variants())
