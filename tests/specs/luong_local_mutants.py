"""Wrong submissions of ``luong``: local_weights."""

from __future__ import annotations

from tests.specs.mutants import Mutant

DISTANCE = "distance = positions - center.unsqueeze(1)  # (B, T_s)"
OUTSIDE = "outside = distance.abs() > half_width"
LOCAL = "weights = torch.softmax(scores.masked_fill(outside, lowest), dim=-1).masked_fill(outside, 0.0)"
SIGMA = "sigma = half_width / 2"
LAST = "return weights * torch.exp(-distance.square() / (2 * sigma**2))"
POSITIONS = "positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device)"


def local(*lines: str) -> str:
    """Further statements in local_weights."""
    return "\n    ".join(lines)


LOCALS = (
    Mutant("local-exclusive", OUTSIDE, "outside = distance.abs() >= half_width"),
    Mutant("local-left-exclusive", OUTSIDE, "outside = (distance <= -half_width) | (distance > half_width)"),
    Mutant("local-right-exclusive", OUTSIDE, "outside = (distance < -half_width) | (distance >= half_width)"),
    Mutant("local-one-wider", OUTSIDE, "outside = distance.abs() > half_width + 1"),
    Mutant("local-half-wider", OUTSIDE, "outside = distance.abs() > half_width + 0.5"),
    Mutant("local-whole-distance", OUTSIDE, "outside = distance.abs().floor() > half_width"),
    Mutant(
        "local-rounded-center",
        OUTSIDE,
        "outside = (positions - center.round().unsqueeze(1)).abs() > half_width",
    ),
    Mutant(
        "local-floored-center",
        OUTSIDE,
        "outside = (positions - center.floor().unsqueeze(1)).abs() > half_width",
    ),
    Mutant("local-whole-center", DISTANCE, "distance = positions - center.long().unsqueeze(1)"),
    Mutant(
        "local-gaussian-rounded",
        LAST,
        "distance = positions - center.detach().round().unsqueeze(1)\n    " + LAST,
    ),
    Mutant(
        "local-clamped-center",
        DISTANCE,
        "distance = positions - center.clamp(0, scores.size(1) - 1).unsqueeze(1)",
    ),
    Mutant("local-no-window", OUTSIDE, "outside = torch.zeros_like(scores, dtype=torch.bool)"),
    Mutant("local-from-one", POSITIONS, POSITIONS + " + 1"),
    Mutant("local-no-gaussian", LAST, "return weights"),
    Mutant("local-gaussian-no-two", LAST, LAST.replace("(2 * sigma**2)", "sigma**2")),
    Mutant("local-gaussian-no-square", LAST, LAST.replace("distance.square()", "distance.abs()")),
    Mutant("local-gaussian-sigma-not-squared", LAST, LAST.replace("sigma**2", "sigma")),
    Mutant("local-gaussian-positive", LAST, LAST.replace("-distance.square()", "distance.square()")),
    Mutant("local-gaussian-normalised", LAST, LAST + " / (sigma * (2 * 3.141592653589793) ** 0.5)"),
    Mutant("local-sigma-width", SIGMA, "sigma = half_width"),
    Mutant("local-sigma-whole", SIGMA, "sigma = max(half_width // 2, 1)"),
    Mutant("local-sigma-quarter", SIGMA, "sigma = half_width / 4"),
    Mutant("local-sigma-window", SIGMA, "sigma = (2 * half_width + 1) / 4"),
    Mutant("local-sigma-near", SIGMA, "sigma = half_width / 2 + 1e-3"),
    Mutant(
        "local-renormalised",
        LAST,
        local(
            "weights = weights * torch.exp(-distance.square() / (2 * sigma**2))",
            "return weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant(
        "local-renormalised-nan",
        LAST,
        local(
            "weights = weights * torch.exp(-distance.square() / (2 * sigma**2))",
            "return weights / weights.sum(-1, keepdim=True)",
        ),
    ),
    Mutant(
        "local-gaussian-on-scores",
        LOCAL,
        LOCAL.replace(
            "scores.masked_fill", "(scores * torch.exp(-distance.square() / (half_width**2 / 2))).masked_fill"
        ),
        also=((LAST, "return weights"),),
    ),
    Mutant(
        "local-gaussian-in-softmax",
        LOCAL,
        LOCAL.replace("scores.masked_fill", "(scores - distance.square() / (half_width**2 / 2)).masked_fill"),
        also=((LAST, "return weights"),),
    ),
    Mutant(
        "local-softmax-of-all", LOCAL, "weights = torch.softmax(scores, dim=-1).masked_fill(outside, 0.0)"
    ),
    Mutant(
        "local-scores-times-mask",
        LOCAL,
        "weights = torch.softmax(scores * ~outside, dim=-1).masked_fill(outside, 0.0)",
    ),
    Mutant("local-inverted", OUTSIDE, "outside = distance.abs() <= half_width"),
    Mutant("local-softmax-axis", LOCAL, LOCAL.replace("dim=-1", "dim=0")),
    Mutant("local-no-softmax", LOCAL, "weights = scores.masked_fill(outside, 0.0)"),
    Mutant(
        "local-uniform-row", LOCAL, "weights = torch.softmax(scores.masked_fill(outside, lowest), dim=-1)"
    ),
    Mutant(
        "local-nan-row", LOCAL, 'weights = torch.softmax(scores.masked_fill(outside, float("-inf")), dim=-1)'
    ),
    Mutant(
        "local-nan-gradient",
        LOCAL,
        'weights = torch.softmax(scores.masked_fill(outside, float("-inf")), dim=-1)',
        also=((LAST, "return (" + LAST[7:] + ").nan_to_num(0.0)"),),
    ),
    Mutant(
        "local-nan-gradient-where",
        LOCAL,
        "weights = torch.softmax(torch.where(outside, -1e400, scores), dim=-1)",
        also=((LAST, "return torch.where(outside, 0.0, " + LAST[7:] + ")"),),
    ),
    Mutant(
        "local-nan-gradient-added",
        LOCAL,
        local(
            "bias = torch.zeros_like(scores).masked_fill(outside, -1e400)",
            "weights = torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)",
        ),
    ),
    Mutant(
        "local-nan-gradient-divided",
        LOCAL,
        local(
            "e = torch.exp(scores - scores.masked_fill(outside, lowest).amax(-1, keepdim=True))",
            "e = e.masked_fill(outside, 0.0)",
            "weights = (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)",
        ),
    ),
    Mutant("local-small-fill", LOCAL, LOCAL.replace("lowest", "-100.0")),
    Mutant("local-fill-1e4", LOCAL, LOCAL.replace("lowest", "-1e4")),
    Mutant(
        "local-additive-1e4",
        LOCAL,
        LOCAL.replace("scores.masked_fill(outside, lowest)", "scores - 1e4 * outside"),
    ),
    Mutant(
        "local-additive-1e6",
        LOCAL,
        LOCAL.replace("scores.masked_fill(outside, lowest)", "scores - 1e6 * outside"),
    ),
    Mutant(
        "local-unstable",
        LOCAL,
        local(
            "weights = torch.exp(scores).masked_fill(outside, 0.0)",
            "weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant(
        "local-max-of-row",
        LOCAL,
        local(
            "weights = torch.exp(scores - scores.amax(-1, keepdim=True)).masked_fill(outside, 0.0)",
            "weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)",
        ),
    ),
    Mutant(
        "local-epsilon",
        LOCAL,
        local(
            "weights = torch.exp(scores - scores.masked_fill(outside, lowest).amax(-1, keepdim=True))",
            "weights = weights.masked_fill(outside, 0.0)",
            "weights = weights / (weights.sum(-1, keepdim=True) + 1e-3)",
        ),
    ),
    Mutant("local-center-detached", LAST, LAST.replace("distance.square()", "distance.detach().square()")),
    Mutant("local-center-detached-early", DISTANCE, "distance = positions - center.detach().unsqueeze(1)"),
    Mutant("local-scores-detached", LOCAL, LOCAL.replace("scores.masked", "scores.detach().masked")),
    Mutant(
        "local-center-to-python", DISTANCE, "distance = torch.stack([positions - float(c) for c in center])"
    ),
    Mutant("local-first-center", DISTANCE, "distance = (positions - center[0]).expand_as(scores)"),
    Mutant(
        "local-broadcast",
        DISTANCE,
        "distance = positions - (center if center.numel() == scores.size(1) else "
        "center.unsqueeze(1))\n    distance = distance.expand_as(scores)",
    ),
    Mutant("local-single", POSITIONS, "scores, center = scores.float(), center.float()\n    " + POSITIONS),
    Mutant("local-double", POSITIONS, "scores, center = scores.double(), center.double()\n    " + POSITIONS),
    Mutant(
        "local-positions-float32",
        LAST,
        "return weights * torch.exp(-distance.float().square() / (2 * sigma**2))",
    ),
    Mutant(
        "local-modifies",
        LOCAL,
        "scores.data.masked_fill_(outside, lowest)\n    "
        + LOCAL.replace("scores.masked_fill(outside, lowest)", "scores"),
    ),
    Mutant("local-modifies-center", LAST, "center.data.round_()\n    " + LAST),
    Mutant(
        "local-truncated-window",
        LAST,
        local(
            LAST.replace("return ", "weights = "),
            "return weights.masked_fill(center.unsqueeze(1) > scores.size(1) - 1, 0.0)",
        ),
    ),
    Mutant("local-left-cut", OUTSIDE, local(OUTSIDE, "outside = outside | (center.unsqueeze(1) < 0)")),
    Mutant(
        "local-integer-slice",
        OUTSIDE,
        "outside = (positions < (center.unsqueeze(1) - half_width).trunc()) | "
        "(positions > (center.unsqueeze(1) + half_width).trunc())",
    ),
    Mutant("local-shape-squeezed", LAST, LAST.replace("return weights", "return (weights") + ").squeeze(0)"),
    Mutant(
        "local-caches",
        LAST,
        local(
            LAST.replace("return ", "weights = "),
            "store = local_weights.__dict__.setdefault('store', {})",
            "return store.setdefault(weights.shape, weights)",
        ),
    ),
    Mutant(
        "local-arguments",
        "def local_weights(scores, center, half_width)",
        "def local_weights(center, scores, half_width)",
    ),
    Mutant("local-argument-name", "half_width", "D"),
)
