"""Wrong submissions of ``masking``: masked_softmax."""

from __future__ import annotations

from tests.specs.mutants import Mutant

FILL = "weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)"
ZERO = "return weights.masked_fill(~mask, 0.0)"


def lines(*statements: str) -> str:
    """Several statements of a function's body."""
    return "\n    ".join(statements)


SOFTMAX = (
    Mutant(
        "mask-inverted", FILL, FILL.replace("~mask", "mask"), also=((ZERO, ZERO.replace("~mask", "mask")),)
    ),
    Mutant("mask-after-softmax", FILL, "weights = torch.softmax(scores, dim=dim)"),
    Mutant(
        "mask-after-renormalised",
        FILL,
        lines(
            "weights = torch.softmax(scores, dim=dim) * mask",
            "weights = weights / weights.sum(dim, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant("mask-multiplies", FILL, "weights = torch.softmax(scores * mask, dim=dim)"),
    Mutant(
        "mask-multiplies-only",
        FILL,
        "weights = torch.softmax(scores * mask, dim=dim)",
        also=((ZERO, "return weights"),),
    ),
    Mutant("mask-fills-zero", FILL, FILL.replace("lowest", "0.0")),
    Mutant("leaks-30", FILL, FILL.replace("lowest", "-30.0")),
    Mutant("leaks-100", FILL, FILL.replace("lowest", "-100.0")),
    Mutant("leaks-1e3", FILL, FILL.replace("lowest", "-1e3")),
    Mutant("leaks-1e4", FILL, FILL.replace("lowest", "-1e4")),
    Mutant(
        "leaks-added-1e3", FILL, FILL.replace("scores.masked_fill(~mask, lowest)", "scores - 1e3 * (~mask)")
    ),
    Mutant(
        "leaks-added-1e4", FILL, FILL.replace("scores.masked_fill(~mask, lowest)", "scores - 1e4 * (~mask)")
    ),
    Mutant(
        "leaks-added-1e6", FILL, FILL.replace("scores.masked_fill(~mask, lowest)", "scores - 1e6 * (~mask)")
    ),
    Mutant("leaks-not-zeroed", FILL, FILL.replace("lowest", "-30.0"), also=((ZERO, "return weights"),)),
    Mutant("leaks-tiny", ZERO, "return weights.masked_fill(~mask, 1e-12)"),
    Mutant("uniform-row", ZERO, "return weights"),
    Mutant("nan-row", FILL, FILL.replace("lowest", 'float("-inf")'), also=((ZERO, "return weights"),)),
    Mutant(
        "nan-row-in-gradient",
        FILL,
        "bias = torch.log(mask.to(scores.dtype))\n    weights = torch.softmax(scores + bias, dim=dim)",
        also=((ZERO, "return weights.nan_to_num(0.0)"),),
    ),
    Mutant(
        "nan-gradient-divided",
        FILL,
        lines(
            "e = torch.exp(scores.masked_fill(~mask, lowest))",
            "e = e.masked_fill(~mask, 0.0)",
            "weights = (e / e.sum(dim, keepdim=True)).nan_to_num(0.0)",
        ),
    ),
    Mutant(
        "nan-gradient-where",
        FILL,
        lines(
            "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(dim, keepdim=True)) * mask",
            "total = e.sum(dim, keepdim=True)",
            "weights = torch.where(total > 0, e / total, torch.zeros_like(e))",
        ),
    ),
    Mutant(
        "nan-mask-times",
        FILL,
        FILL.replace("lowest", 'float("-inf")'),
        also=((ZERO, "return weights * mask"),),
    ),
    Mutant(
        "nan-additive-product",
        FILL,
        FILL.replace("scores.masked_fill(~mask, lowest)", 'scores + (~mask) * float("-inf")'),
    ),
    Mutant(
        "one-for-blank",
        FILL,
        FILL.replace("~mask", "~mask & mask.any(dim, keepdim=True)"),
        also=((ZERO, ZERO.replace("~mask", "~mask & mask.any(dim, keepdim=True)")),),
    ),
    Mutant("ones-for-blank", ZERO, ZERO + " + (~mask.any(dim, keepdim=True)).to(scores.dtype)"),
    Mutant(
        "any-of-all", ZERO, lines("if not mask.any(dim).all():", "    return torch.zeros_like(scores)", ZERO)
    ),
    Mutant("softmax-last-axis", FILL, FILL.replace("dim=dim", "dim=-1")),
    Mutant("softmax-first-axis", FILL, FILL.replace("dim=dim", "dim=0")),
    Mutant("softmax-default", "mask, dim=-1)", "mask, dim=0)"),
    Mutant("softmax-dim-required", "mask, dim=-1)", "mask, dim)"),
    Mutant(
        "softmax-no-dim",
        "def masked_softmax(scores, mask, dim=-1)",
        "def masked_softmax(scores, mask)",
        also=((FILL, FILL.replace("dim=dim", "dim=-1")),),
    ),
    Mutant("softmax-arguments", "def masked_softmax(scores, mask", "def masked_softmax(mask, scores"),
    Mutant(
        "unstable",
        FILL,
        lines(
            "e = torch.exp(scores).masked_fill(~mask, 0.0)",
            "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant(
        "max-of-everything",
        FILL,
        lines(
            "e = torch.exp(scores - scores.max()).masked_fill(~mask, 0.0)",
            "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant(
        "max-of-masked",
        FILL,
        lines(
            "e = torch.exp(scores - scores.amax(dim, keepdim=True)).masked_fill(~mask, 0.0)",
            "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-300)",
        ),
    ),
    Mutant(
        "max-along-last",
        FILL,
        lines(
            "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(-1, keepdim=True)) * mask",
            "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant(
        "epsilon",
        FILL,
        lines(
            "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(dim, keepdim=True))",
            "e = e.masked_fill(~mask, 0.0)",
            "weights = e / (e.sum(dim, keepdim=True) + 1e-3)",
        ),
    ),
    Mutant(
        "epsilon-6",
        FILL,
        lines(
            "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(dim, keepdim=True))",
            "e = e.masked_fill(~mask, 0.0)",
            "weights = e / (e.sum(dim, keepdim=True) + 1e-6)",
        ),
    ),
    Mutant("clamped", FILL, FILL.replace("scores.masked", "scores.clamp(-80, 80).masked")),
    Mutant("sigmoid", FILL, "weights = torch.sigmoid(scores)"),
    Mutant(
        "linear",
        FILL,
        lines(
            "weights = scores.masked_fill(~mask, 0.0)",
            "weights = weights / weights.sum(dim, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant("no-softmax", FILL, "weights = scores"),
    Mutant(
        "hard",
        FILL,
        lines(
            "best = scores.masked_fill(~mask, lowest).argmax(dim, keepdim=True)",
            "weights = torch.zeros_like(scores).scatter(dim, best, 1.0)",
        ),
    ),
    Mutant("log", FILL, FILL.replace("torch.softmax", "torch.log_softmax")),
    Mutant("detached", ZERO, ZERO + ".detach()"),
    Mutant("detached-input", FILL, FILL.replace("scores.masked", "scores.detach().masked")),
    Mutant("single", ZERO, ZERO + ".float()"),
    Mutant("double", ZERO, ZERO + ".double()"),
    Mutant("single-inside", FILL, FILL.replace("dim=dim)", "dim=dim, dtype=torch.float32).to(scores.dtype)")),
    Mutant(
        "half-inside",
        FILL,
        lines(
            "lowest = -65504.0",
            FILL.replace("scores.masked", "scores.half().masked"),
            "weights = weights.to(scores.dtype)",
        ),
    ),
    Mutant("in-place", FILL, FILL.replace("scores.masked_fill", "scores.data.masked_fill_")),
    Mutant("mask-in-place", ZERO, "return weights.masked_fill(mask.logical_not_(), 0.0)"),
    Mutant(
        "mask-of-first",
        FILL,
        lines("if mask.dim() == scores.dim():", "    mask = mask[:1].expand_as(mask)", FILL),
    ),
    Mutant(
        "mask-transposed",
        FILL,
        lines(
            "if mask.dim() > 1 and mask.size(-1) == mask.size(-2):", "    mask = mask.transpose(-1, -2)", FILL
        ),
    ),
    Mutant("mask-full-only", FILL, lines("assert mask.shape == scores.shape", FILL)),
    Mutant("mask-same-rank", FILL, lines("assert mask.dim() == scores.dim()", FILL)),
    Mutant(
        "mask-axis-guess",
        FILL,
        lines("if mask.dim() == 2 and scores.dim() == 3:", "    mask = mask.unsqueeze(1)", FILL),
    ),
    Mutant(
        "indexed-full-shape",
        FILL,
        lines(
            "filled = scores.clone()", "filled[~mask] = lowest", "weights = torch.softmax(filled, dim=dim)"
        ),
    ),
    Mutant("viewed", FILL, lines("scores = scores.view(-1, scores.size(-1)).view(scores.shape)", FILL)),
    Mutant(
        "softmax-caches",
        ZERO,
        lines(
            "result = weights.masked_fill(~mask, 0.0)",
            "return masked_softmax.__dict__.setdefault('kept', {}).setdefault(result.shape, result)",
        ),
    ),
    Mutant("rounds", ZERO, ZERO + ".round(decimals=3)"),
)
