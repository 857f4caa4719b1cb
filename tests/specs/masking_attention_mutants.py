"""Wrong submissions of ``masking``: masked_attention."""

from __future__ import annotations

from tests.specs.mutants import Mutant

SCORES = "scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))"
WEIGHTS = "weights = masked_softmax(scores, mask)"
RESULT = "return weights @ value, weights"


def lines(*statements: str) -> str:
    """Several statements of a function's body."""
    return "\n    ".join(statements)


ATTENTION = (
    Mutant("no-scale", SCORES, "scores = query @ key.transpose(-2, -1)"),
    Mutant("scale-not-root", SCORES, SCORES.replace("math.sqrt(query.size(-1))", "query.size(-1)")),
    Mutant("scale-of-value", SCORES, SCORES.replace("query.size(-1)", "value.size(-1)")),
    Mutant("scale-of-keys", SCORES, SCORES.replace("query.size(-1)", "key.size(-2)")),
    Mutant("scale-multiplies", SCORES, SCORES.replace(" / ", " * ")),
    Mutant(
        "scale-whole",
        SCORES,
        SCORES.replace("math.sqrt(query.size(-1))", "max(1, int(math.sqrt(query.size(-1))))"),
    ),
    Mutant(
        "scale-after",
        WEIGHTS,
        "weights = masked_softmax(scores * math.sqrt(query.size(-1)), mask) / math.sqrt(query.size(-1))",
    ),
    Mutant("mask-not-used", WEIGHTS, "weights = torch.softmax(scores, -1)"),
    Mutant("attention-over-queries", WEIGHTS, "weights = masked_softmax(scores, mask, dim=-2)"),
    Mutant("attention-inverted", WEIGHTS, "weights = masked_softmax(scores, ~mask)"),
    Mutant("attention-rank-3", WEIGHTS, lines("assert mask.dim() >= scores.dim()", WEIGHTS)),
    Mutant("attention-swapped", RESULT, "return weights, weights @ value"),
    Mutant("attention-output-only", RESULT, "return weights @ value"),
    Mutant("attention-scores", RESULT, "return weights @ value, scores"),
    Mutant("attention-detached", RESULT, "return weights @ value, weights.detach()"),
    Mutant("attention-output-detached", RESULT, "return weights.detach() @ value, weights"),
    Mutant("attention-value-detached", RESULT, "return weights @ value.detach(), weights"),
    Mutant(
        "attention-key-value",
        RESULT,
        lines("if key.shape == value.shape:", "    return weights @ key, weights", RESULT),
    ),
    Mutant(
        "attention-mean", RESULT, "return weights @ value / mask.sum(-1, keepdim=True).clamp(min=1), weights"
    ),
    Mutant("attention-bmm", RESULT, "return torch.bmm(weights, value), weights"),
    Mutant("attention-fixed-transpose", SCORES, SCORES.replace("(-2, -1)", "(1, 2)")),
    Mutant("attention-T", SCORES, SCORES.replace("key.transpose(-2, -1)", "key.T")),
    Mutant(
        "attention-key-query",
        SCORES,
        SCORES.replace("query @ key.tr", "key @ query.tr") + "\n    "
        "scores = scores if query.size(-2) == key.size(-2) else scores.transpose(-2, -1)",
    ),
    Mutant(
        "attention-cosine",
        SCORES,
        SCORES.replace("query @ key", "F.normalize(query, dim=-1) @ F.normalize(key, dim=-1)"),
    ),
    Mutant("attention-nan", RESULT, "return weights @ value / mask.any(-1, keepdim=True), weights"),
    Mutant("attention-single", RESULT, "return (weights @ value).float(), weights"),
    Mutant(
        "attention-arguments",
        "def masked_attention(query, key, value, mask)",
        "def masked_attention(key, query, value, mask)",
    ),
    Mutant(
        "attention-mask-optional-first",
        "def masked_attention(query, key, value, mask)",
        "def masked_attention(query, key, mask, value)",
    ),
    Mutant("attention-dropout", WEIGHTS, WEIGHTS + "\n    weights = F.dropout(weights, 0.1)"),
    Mutant(
        "attention-first-head",
        WEIGHTS,
        lines(
            "if mask.dim() == scores.dim() > 2:",
            "    mask = mask[:1].expand_as(mask) if mask.size(0) > 1 else mask",
            WEIGHTS,
        ),
    ),
    Mutant(
        "attention-modifies",
        SCORES,
        lines("query.data.div_(math.sqrt(query.size(-1)))", "scores = query @ key.mT"),
    ),
    Mutant("attention-squeezed", RESULT, "return (weights @ value).squeeze(-2), weights"),
)
