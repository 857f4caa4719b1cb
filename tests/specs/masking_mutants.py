"""Wrong submissions of ``masking``: one mistake each (see ``mutants``)."""

from __future__ import annotations

from tests.specs.masking_attention_mutants import ATTENTION
from tests.specs.masking_loss_mutants import LOSS
from tests.specs.masking_softmax_mutants import SOFTMAX
from tests.specs.mutants import Mutant

PADDING = "return torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)"
DEFAULT = "max_len = int(lengths.max())"
CAUSAL = "return position <= position.unsqueeze(1)"
WINDOW = "return (position - position.unsqueeze(1)).abs() <= radius"
STRIDED = "return (position % stride == 0) | (position == position.unsqueeze(1))"
COMBINE = "return key_padding.unsqueeze(1) & attention"


def lines(*statements: str) -> str:
    """Several statements of a function's body."""
    return "\n    ".join(statements)


MASKS = (
    Mutant("padding-off-by-one", PADDING, PADDING.replace("<", "<=")),
    Mutant("padding-short", PADDING, PADDING + " - 1"),
    Mutant("padding-inverted", PADDING, PADDING.replace("<", ">=")),
    Mutant(
        "padding-from-left",
        PADDING,
        lines(
            "mask = torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)",
            "return mask.flip(1)",
        ),
    ),
    Mutant("padding-transposed", PADDING, "return (torch.arange(max_len).unsqueeze(1) < lengths)"),
    Mutant(
        "padding-transposed-square",
        PADDING,
        lines(
            "mask = torch.arange(max_len) < lengths.unsqueeze(1)",
            "return mask.T if max_len == len(lengths) else mask",
        ),
    ),
    Mutant(
        "padding-broadcast",
        PADDING,
        lines(
            "if max_len == len(lengths):",
            "    return (torch.arange(max_len) < lengths).expand(max_len, max_len)",
            PADDING,
        ),
    ),
    Mutant(
        "padding-sorted",
        PADDING,
        PADDING.replace("lengths.unsqueeze", "lengths.sort(descending=True).values.unsqueeze"),
    ),
    Mutant("padding-float", PADDING, "return (torch.arange(max_len) < lengths.unsqueeze(1)).float()"),
    Mutant("padding-integer", PADDING, "return (torch.arange(max_len) < lengths.unsqueeze(1)).long()"),
    Mutant("padding-byte", PADDING, "return (torch.arange(max_len) < lengths.unsqueeze(1)).to(torch.uint8)"),
    Mutant("padding-ignores-max", "if max_len is None:\n        " + DEFAULT, DEFAULT),
    Mutant("padding-never-cut", PADDING, lines("max_len = max(max_len, int(lengths.max()))", PADDING)),
    Mutant("padding-never-wider", PADDING, lines("max_len = min(max_len, int(lengths.max()))", PADDING)),
    Mutant("padding-one-wider", DEFAULT, DEFAULT + " + 1"),
    Mutant("padding-first-length", DEFAULT, "max_len = int(lengths[0])"),
    Mutant("padding-last-length", DEFAULT, "max_len = int(lengths[-1])"),
    Mutant("padding-batch-width", DEFAULT, "max_len = len(lengths)"),
    Mutant("padding-max-required", "max_len=None", "max_len"),
    Mutant(
        "padding-name",
        "max_len=None",
        "maxlen=None",
        also=(("if max_len is None", "max_len = maxlen\n    if max_len is None"),),
    ),
    Mutant(
        "padding-empty-is-one",
        PADDING,
        PADDING.replace("lengths.unsqueeze", "lengths.clamp(min=1).unsqueeze"),
    ),
    Mutant("padding-raises-on-cut", PADDING, lines("assert max_len >= lengths.max()", PADDING)),
    Mutant("padding-raises-on-empty", PADDING, lines("assert (lengths > 0).all()", PADDING)),
    Mutant("padding-int64-only", PADDING, lines("assert lengths.dtype == torch.int64", PADDING)),
    Mutant(
        "padding-three-axes", PADDING, "return (torch.arange(max_len) < lengths.unsqueeze(1)).unsqueeze(1)"
    ),
    Mutant("padding-squeezed", PADDING, PADDING.replace("return ", "return (") + ").squeeze(0)"),
    Mutant("padding-modifies", PADDING, lines("lengths.clamp_(max=max_len)", PADDING)),
    Mutant("padding-list", PADDING, PADDING.replace("return ", "return (") + ").tolist()"),
    Mutant(
        "padding-caches",
        PADDING,
        lines(
            "store = padding_mask.__dict__.setdefault('store', {})",
            "return store.setdefault(len(lengths), torch.arange(max_len) < lengths.unsqueeze(1))",
        ),
    ),
    Mutant("causal-reversed", CAUSAL, CAUSAL.replace("<=", ">=")),
    Mutant("causal-excludes-self", CAUSAL, CAUSAL.replace("<=", "<")),
    Mutant("causal-one-ahead", CAUSAL, "return position <= position.unsqueeze(1) + 1"),
    Mutant("causal-all", CAUSAL, "return torch.ones(length, length, dtype=torch.bool)"),
    Mutant("causal-inverted", CAUSAL, "return ~(position <= position.unsqueeze(1))"),
    Mutant("causal-float", CAUSAL, "return torch.tril(torch.ones(length, length))"),
    Mutant("causal-additive", CAUSAL, "return torch.triu(torch.full((length, length), float('-inf')), 1)"),
    Mutant("causal-three-axes", CAUSAL, "return (position <= position.unsqueeze(1)).unsqueeze(0)"),
    Mutant("causal-fixed", CAUSAL, "position = torch.arange(5)\n    " + CAUSAL),
    Mutant(
        "causal-argument",
        "def causal_mask(length)",
        "def causal_mask(size)",
        also=(('when j <= i."""', 'when j <= i."""\n    length = size'),),
    ),
    Mutant("window-exclusive", WINDOW, WINDOW.replace("<=", "<")),
    Mutant("window-one-wider", WINDOW, WINDOW + " + 1"),
    Mutant("window-one-sided", WINDOW, WINDOW.replace(".abs()", "")),
    Mutant(
        "window-causal", WINDOW, "d = position.unsqueeze(1) - position\n    return (d >= 0) & (d <= radius)"
    ),
    Mutant("window-diameter", WINDOW, "return (position - position.unsqueeze(1)).abs() * 2 <= radius"),
    Mutant("window-inverted", WINDOW, WINDOW.replace("<=", ">")),
    Mutant(
        "window-wraps",
        WINDOW,
        lines(
            "d = (position - position.unsqueeze(1)).abs()", "return torch.minimum(d, length - d) <= radius"
        ),
    ),
    Mutant("window-exact", WINDOW, WINDOW.replace("<=", "==")),
    Mutant("window-float", WINDOW, "return ((position - position.unsqueeze(1)).abs() <= radius).float()"),
    Mutant(
        "window-without-self",
        WINDOW,
        lines(
            "d = (position - position.unsqueeze(1)).abs()", "return (d <= radius) & ((d > 0) | (radius == 0))"
        ),
    ),
    Mutant("window-arguments", "def window_mask(length, radius)", "def window_mask(radius, length)"),
    Mutant("strided-without-self", STRIDED, "return (position % stride == 0).expand(length, length)"),
    Mutant("strided-only-self", STRIDED, "return position == position.unsqueeze(1)"),
    Mutant("strided-and", STRIDED, STRIDED.replace("|", "&")),
    Mutant("strided-rows", STRIDED, STRIDED.replace("position % stride", "position.unsqueeze(1) % stride")),
    Mutant("strided-relative", STRIDED, "return (position - position.unsqueeze(1)) % stride == 0"),
    Mutant("strided-from-one", STRIDED, STRIDED.replace("position % stride", "(position + 1) % stride")),
    Mutant(
        "strided-causal",
        STRIDED,
        STRIDED.replace("return ", "return (") + ") & (position <= position.unsqueeze(1))",
    ),
    Mutant(
        "strided-not-first",
        STRIDED,
        STRIDED.replace("(position % stride == 0)", "((position % stride == 0) & (position > 0))"),
    ),
    Mutant("strided-inverted", STRIDED, STRIDED.replace("stride == 0", "stride != 0")),
    Mutant("strided-xor", STRIDED, STRIDED.replace("|", "^")),
    Mutant("strided-integer", STRIDED, STRIDED.replace("return ", "return (") + ").int()"),
    Mutant("combine-or", COMBINE, COMBINE.replace("&", "|")),
    Mutant("combine-xor", COMBINE, COMBINE.replace("&", "^")),
    Mutant(
        "combine-queries",
        COMBINE,
        lines(
            "if key_padding.size(1) == attention.size(0):",
            "    return key_padding.unsqueeze(2) & attention",
            COMBINE,
        ),
    ),
    Mutant(
        "combine-no-axis",
        COMBINE,
        lines("if key_padding.shape == attention.shape:", "    return key_padding & attention", COMBINE),
    ),
    Mutant(
        "combine-silent",
        COMBINE,
        lines(
            "if key_padding.shape == attention.shape:",
            "    return (key_padding & attention).expand(len(key_padding), -1, -1)",
            COMBINE,
        ),
    ),
    Mutant("combine-only-padding", COMBINE, "return key_padding.unsqueeze(1).expand(-1, len(attention), -1)"),
    Mutant("combine-only-attention", COMBINE, "return attention.expand(len(key_padding), -1, -1)"),
    Mutant(
        "combine-transposed",
        COMBINE,
        lines("if attention.size(0) == attention.size(1):", "    attention = attention.T", COMBINE),
    ),
    Mutant("combine-product", COMBINE, "return key_padding.unsqueeze(1).long() * attention"),
    Mutant("combine-four-axes", COMBINE, "return key_padding[:, None, None] & attention"),
    Mutant(
        "combine-both-ways",
        COMBINE,
        COMBINE + " & (key_padding.unsqueeze(2) if key_padding.size(1) == attention.size(0) else True)",
    ),
    Mutant("combine-modifies", COMBINE, lines("attention &= key_padding[0]", COMBINE)),
    Mutant(
        "combine-arguments",
        "def combine_masks(key_padding, attention)",
        "def combine_masks(attention, key_padding)",
    ),
    Mutant("combine-squeezed", COMBINE, COMBINE.replace("return ", "return (") + ").squeeze(0)"),
)

MUTANTS: tuple[Mutant, ...] = (*MASKS, *SOFTMAX, *ATTENTION, *LOSS)
