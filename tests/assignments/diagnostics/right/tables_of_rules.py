# Rules as tables of functions, lengths as lists, one-hot tensors in place of scatter.
import math

import torch
from torch.nn import functional as F


def _facts(weights, S, T):
    rows = weights[:T, :S]
    peaks = rows.argmax(1).tolist()
    entropy = row_entropy(rows).mean().item()
    return {
        "rows": T,
        "columns": S,
        "peaks": peaks,
        "spread": entropy / math.log(S) if S > 1 else 0,
        "largest": rows.amax(1).mean().item(),
        "backwards": sum(a > b for a, b in zip(peaks[:-1], peaks[1:])),
    }


PATTERN_RULES = (
    ("diffuse", lambda f: f["spread"] > 0.9),
    ("one-to-many", lambda f: f["largest"] < 0.5),
    ("many-to-one", lambda f: len({*f["peaks"]}) * 2 <= min(f["rows"], f["columns"])),
    ("reordered", lambda f: f["backwards"] * 10 > f["rows"] - 1),
    ("diagonal", lambda f: True),
)
FAILURE_RULES = (
    ("uniform", lambda f: f["spread"] > 0.9),
    (
        "over-concentrated",
        lambda f: min(f["rows"], f["columns"]) > 1
        and f["largest"] > 0.9
        and 2 * max(map(f["peaks"].count, f["peaks"])) > f["rows"],
    ),
    ("drift", lambda f: f["drift"] > 0.2),
    ("none", lambda f: True),
)


def _first(rules, facts, names):
    return names.index(next(name for name, holds in rules if holds(facts)))


def classify_pattern(weights, src_lengths, tgt_lengths):
    facts = map(_facts, weights, src_lengths.tolist(), tgt_lengths.tolist())
    return torch.tensor([_first(PATTERN_RULES, one, PATTERNS) for one in facts], device=weights.device)


def diagnose_failure(weights, src_lengths, tgt_lengths):
    found = []
    drifts = diagonal_offset(weights, src_lengths, tgt_lengths)[1].tolist()
    for w, S, T, drift in zip(weights, src_lengths.tolist(), tgt_lengths.tolist(), drifts):
        found.append(_first(FAILURE_RULES, _facts(w, S, T) | {"drift": drift}, FAILURES))
    return torch.tensor(found, device=weights.device)


def alignment_links(weights, src_lengths, tgt_lengths):
    top, peak = weights.max(2)
    links = F.one_hot(peak, weights.size(2)) == 1
    links[torch.arange(weights.size(1), device=weights.device) >= tgt_lengths[:, None]] = False
    return links


def rank_agreement(first, second):
    total, pairs = torch.zeros_like(first[:, 0]), 0
    for step in range(1, first.size(1)):
        one, other = first[:, step:] - first[:, :-step], second[:, step:] - second[:, :-step]
        total = total + (one.sign() * other.sign().to(one.dtype)).sum(1)
        pairs += one.size(1)
    return total / pairs if pairs else total
