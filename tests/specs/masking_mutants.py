"""Wrong submissions of ``masking``: one mistake each (see ``mutants``)."""

from __future__ import annotations

from tests.specs.mutants import Mutant

PADDING = "return torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)"
DEFAULT = "max_len = int(lengths.max())"
CAUSAL = "return position <= position.unsqueeze(1)"
WINDOW = "return (position - position.unsqueeze(1)).abs() <= radius"
STRIDED = "return (position % stride == 0) | (position == position.unsqueeze(1))"
COMBINE = "return key_padding.unsqueeze(1) & attention"
FILL = "weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)"
ZERO = "return weights.masked_fill(~mask, 0.0)"
SCORES = "scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))"
WEIGHTS = "weights = masked_softmax(scores, mask)"
RESULT = "return weights @ value, weights"
REAL = "real = padding_mask(lengths, targets.size(1))"
LOSSES = 'losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)'
MEAN = "return losses.masked_fill(~real, 0.0).sum() / real.sum()"
KEPT = "losses = losses.masked_fill(~real, 0.0)"


def lines(*statements: str) -> str:
    """Several statements of a function's body."""
    return "\n    ".join(statements)


MASKS = (
    Mutant("padding-off-by-one", PADDING, PADDING.replace("<", "<=")),
    Mutant("padding-short", PADDING, PADDING + " - 1"),
    Mutant("padding-inverted", PADDING, PADDING.replace("<", ">=")),
    Mutant("padding-from-left", PADDING, lines(
        "mask = torch.arange(max_len, device=lengths.device) < lengths.unsqueeze(1)", "return mask.flip(1)")),
    Mutant("padding-transposed", PADDING, "return (torch.arange(max_len).unsqueeze(1) < lengths)"),
    Mutant("padding-transposed-square", PADDING, lines(
        "mask = torch.arange(max_len) < lengths.unsqueeze(1)",
        "return mask.T if max_len == len(lengths) else mask")),
    Mutant("padding-broadcast", PADDING, lines("if max_len == len(lengths):",
           "    return (torch.arange(max_len) < lengths).expand(max_len, max_len)", PADDING)),
    Mutant("padding-sorted", PADDING, PADDING.replace("lengths.unsqueeze", "lengths.sort(descending=True).values.unsqueeze")),
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
    Mutant("padding-name", "max_len=None", "maxlen=None", also=(("if max_len is None", "max_len = maxlen\n    if max_len is None"),)),
    Mutant("padding-empty-is-one", PADDING, PADDING.replace("lengths.unsqueeze", "lengths.clamp(min=1).unsqueeze")),
    Mutant("padding-raises-on-cut", PADDING, lines("assert max_len >= lengths.max()", PADDING)),
    Mutant("padding-raises-on-empty", PADDING, lines("assert (lengths > 0).all()", PADDING)),
    Mutant("padding-int64-only", PADDING, lines("assert lengths.dtype == torch.int64", PADDING)),
    Mutant("padding-three-axes", PADDING, "return (torch.arange(max_len) < lengths.unsqueeze(1)).unsqueeze(1)"),
    Mutant("padding-squeezed", PADDING, PADDING.replace("return ", "return (") + ").squeeze(0)"),
    Mutant("padding-modifies", PADDING, lines("lengths.clamp_(max=max_len)", PADDING)),
    Mutant("padding-list", PADDING, PADDING.replace("return ", "return (") + ").tolist()"),
    Mutant("padding-caches", PADDING, lines(
        "store = padding_mask.__dict__.setdefault('store', {})",
        "return store.setdefault(len(lengths), torch.arange(max_len) < lengths.unsqueeze(1))")),
    Mutant("causal-reversed", CAUSAL, CAUSAL.replace("<=", ">=")),
    Mutant("causal-excludes-self", CAUSAL, CAUSAL.replace("<=", "<")),
    Mutant("causal-one-ahead", CAUSAL, "return position <= position.unsqueeze(1) + 1"),
    Mutant("causal-all", CAUSAL, "return torch.ones(length, length, dtype=torch.bool)"),
    Mutant("causal-inverted", CAUSAL, "return ~(position <= position.unsqueeze(1))"),
    Mutant("causal-float", CAUSAL, "return torch.tril(torch.ones(length, length))"),
    Mutant("causal-additive", CAUSAL, "return torch.triu(torch.full((length, length), float('-inf')), 1)"),
    Mutant("causal-three-axes", CAUSAL, "return (position <= position.unsqueeze(1)).unsqueeze(0)"),
    Mutant("causal-fixed", CAUSAL, "position = torch.arange(5)\n    " + CAUSAL),
    Mutant("causal-argument", "def causal_mask(length)", "def causal_mask(size)", also=(
        ('when j <= i."""', 'when j <= i."""\n    length = size'),)),
    Mutant("window-exclusive", WINDOW, WINDOW.replace("<=", "<")),
    Mutant("window-one-wider", WINDOW, WINDOW + " + 1"),
    Mutant("window-one-sided", WINDOW, WINDOW.replace(".abs()", "")),
    Mutant("window-causal", WINDOW, "d = position.unsqueeze(1) - position\n    return (d >= 0) & (d <= radius)"),
    Mutant("window-diameter", WINDOW, "return (position - position.unsqueeze(1)).abs() * 2 <= radius"),
    Mutant("window-inverted", WINDOW, WINDOW.replace("<=", ">")),
    Mutant("window-wraps", WINDOW, lines("d = (position - position.unsqueeze(1)).abs()",
           "return torch.minimum(d, length - d) <= radius")),
    Mutant("window-exact", WINDOW, WINDOW.replace("<=", "==")),
    Mutant("window-float", WINDOW, "return ((position - position.unsqueeze(1)).abs() <= radius).float()"),
    Mutant("window-without-self", WINDOW, lines("d = (position - position.unsqueeze(1)).abs()",
           "return (d <= radius) & ((d > 0) | (radius == 0))")),
    Mutant("window-arguments", "def window_mask(length, radius)", "def window_mask(radius, length)"),
    Mutant("strided-without-self", STRIDED, "return (position % stride == 0).expand(length, length)"),
    Mutant("strided-only-self", STRIDED, "return position == position.unsqueeze(1)"),
    Mutant("strided-and", STRIDED, STRIDED.replace("|", "&")),
    Mutant("strided-rows", STRIDED, STRIDED.replace("position % stride", "position.unsqueeze(1) % stride")),
    Mutant("strided-relative", STRIDED, "return (position - position.unsqueeze(1)) % stride == 0"),
    Mutant("strided-from-one", STRIDED, STRIDED.replace("position % stride", "(position + 1) % stride")),
    Mutant("strided-causal", STRIDED, STRIDED.replace("return ", "return (") + ") & (position <= position.unsqueeze(1))"),
    Mutant("strided-not-first", STRIDED, STRIDED.replace("(position % stride == 0)", "((position % stride == 0) & (position > 0))")),
    Mutant("strided-inverted", STRIDED, STRIDED.replace("stride == 0", "stride != 0")),
    Mutant("strided-xor", STRIDED, STRIDED.replace("|", "^")),
    Mutant("strided-integer", STRIDED, STRIDED.replace("return ", "return (") + ").int()"),
    Mutant("combine-or", COMBINE, COMBINE.replace("&", "|")),
    Mutant("combine-xor", COMBINE, COMBINE.replace("&", "^")),
    Mutant("combine-queries", COMBINE, lines("if key_padding.size(1) == attention.size(0):",
           "    return key_padding.unsqueeze(2) & attention", COMBINE)),
    Mutant("combine-no-axis", COMBINE, lines("if key_padding.shape == attention.shape:",
           "    return key_padding & attention", COMBINE)),
    Mutant("combine-silent", COMBINE, lines("if key_padding.shape == attention.shape:",
           "    return (key_padding & attention).expand(len(key_padding), -1, -1)", COMBINE)),
    Mutant("combine-only-padding", COMBINE, "return key_padding.unsqueeze(1).expand(-1, len(attention), -1)"),
    Mutant("combine-only-attention", COMBINE, "return attention.expand(len(key_padding), -1, -1)"),
    Mutant("combine-transposed", COMBINE, lines("if attention.size(0) == attention.size(1):",
           "    attention = attention.T", COMBINE)),
    Mutant("combine-product", COMBINE, "return key_padding.unsqueeze(1).long() * attention"),
    Mutant("combine-four-axes", COMBINE, "return key_padding[:, None, None] & attention"),
    Mutant("combine-both-ways", COMBINE, COMBINE + " & (key_padding.unsqueeze(2) if key_padding.size(1) == "
           "attention.size(0) else True)"),
    Mutant("combine-modifies", COMBINE, lines("attention &= key_padding[0]", COMBINE)),
    Mutant("combine-arguments", "def combine_masks(key_padding, attention)", "def combine_masks(attention, key_padding)"),
    Mutant("combine-squeezed", COMBINE, COMBINE.replace("return ", "return (") + ").squeeze(0)"),
)

SOFTMAX = (
    Mutant("mask-inverted", FILL, FILL.replace("~mask", "mask"), also=((ZERO, ZERO.replace("~mask", "mask")),)),
    Mutant("mask-after-softmax", FILL, "weights = torch.softmax(scores, dim=dim)"),
    Mutant("mask-after-renormalised", FILL, lines("weights = torch.softmax(scores, dim=dim) * mask",
           "weights = weights / weights.sum(dim, keepdim=True).clamp_min(1e-30)")),
    Mutant("mask-multiplies", FILL, "weights = torch.softmax(scores * mask, dim=dim)"),
    Mutant("mask-multiplies-only", FILL, "weights = torch.softmax(scores * mask, dim=dim)", also=((ZERO, "return weights"),)),
    Mutant("mask-fills-zero", FILL, FILL.replace("lowest", "0.0")),
    Mutant("leaks-30", FILL, FILL.replace("lowest", "-30.0")),
    Mutant("leaks-100", FILL, FILL.replace("lowest", "-100.0")),
    Mutant("leaks-1e3", FILL, FILL.replace("lowest", "-1e3")),
    Mutant("leaks-1e4", FILL, FILL.replace("lowest", "-1e4")),
    Mutant("leaks-added-1e3", FILL, FILL.replace("scores.masked_fill(~mask, lowest)", "scores - 1e3 * (~mask)")),
    Mutant("leaks-added-1e4", FILL, FILL.replace("scores.masked_fill(~mask, lowest)", "scores - 1e4 * (~mask)")),
    Mutant("leaks-added-1e6", FILL, FILL.replace("scores.masked_fill(~mask, lowest)", "scores - 1e6 * (~mask)")),
    Mutant("leaks-not-zeroed", FILL, FILL.replace("lowest", "-30.0"), also=((ZERO, "return weights"),)),
    Mutant("leaks-tiny", ZERO, "return weights.masked_fill(~mask, 1e-12)"),
    Mutant("uniform-row", ZERO, "return weights"),
    Mutant("nan-row", FILL, FILL.replace("lowest", 'float("-inf")'), also=((ZERO, "return weights"),)),
    Mutant("nan-row-in-gradient", FILL, "bias = torch.log(mask.to(scores.dtype))\n    "
           "weights = torch.softmax(scores + bias, dim=dim)", also=((ZERO, "return weights.nan_to_num(0.0)"),)),
    Mutant("nan-gradient-divided", FILL, lines("e = torch.exp(scores.masked_fill(~mask, lowest))",
           "e = e.masked_fill(~mask, 0.0)", "weights = (e / e.sum(dim, keepdim=True)).nan_to_num(0.0)")),
    Mutant("nan-gradient-where", FILL, lines("e = torch.exp(scores - scores.masked_fill(~mask, lowest)"
           ".amax(dim, keepdim=True)) * mask", "total = e.sum(dim, keepdim=True)",
           "weights = torch.where(total > 0, e / total, torch.zeros_like(e))")),
    Mutant("nan-mask-times", FILL, FILL.replace("lowest", 'float("-inf")'), also=((ZERO, "return weights * mask"),)),
    Mutant("nan-additive-product", FILL, FILL.replace("scores.masked_fill(~mask, lowest)",
           'scores + (~mask) * float("-inf")')),
    Mutant("one-for-blank", FILL, FILL.replace("~mask", "~mask & mask.any(dim, keepdim=True)"), also=(
        (ZERO, ZERO.replace("~mask", "~mask & mask.any(dim, keepdim=True)")),)),
    Mutant("ones-for-blank", ZERO, ZERO + " + (~mask.any(dim, keepdim=True)).to(scores.dtype)"),
    Mutant("any-of-all", ZERO, lines("if not mask.any(dim).all():", "    return torch.zeros_like(scores)", ZERO)),
    Mutant("softmax-last-axis", FILL, FILL.replace("dim=dim", "dim=-1")),
    Mutant("softmax-first-axis", FILL, FILL.replace("dim=dim", "dim=0")),
    Mutant("softmax-default", "mask, dim=-1)", "mask, dim=0)"),
    Mutant("softmax-dim-required", "mask, dim=-1)", "mask, dim)"),
    Mutant("softmax-no-dim", "def masked_softmax(scores, mask, dim=-1)", "def masked_softmax(scores, mask)", also=(
        (FILL, FILL.replace("dim=dim", "dim=-1")),)),
    Mutant("softmax-arguments", "def masked_softmax(scores, mask", "def masked_softmax(mask, scores"),
    Mutant("unstable", FILL, lines("e = torch.exp(scores).masked_fill(~mask, 0.0)",
           "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-30)")),
    Mutant("max-of-everything", FILL, lines("e = torch.exp(scores - scores.max()).masked_fill(~mask, 0.0)",
           "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-30)")),
    Mutant("max-of-masked", FILL, lines(
        "e = torch.exp(scores - scores.amax(dim, keepdim=True)).masked_fill(~mask, 0.0)",
        "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-300)")),
    Mutant("max-along-last", FILL, lines(
        "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(-1, keepdim=True)) * mask",
        "weights = e / e.sum(dim, keepdim=True).clamp_min(1e-30)")),
    Mutant("epsilon", FILL, lines(
        "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(dim, keepdim=True)).masked_fill(~mask, 0.0)",
        "weights = e / (e.sum(dim, keepdim=True) + 1e-3)")),
    Mutant("epsilon-6", FILL, lines(
        "e = torch.exp(scores - scores.masked_fill(~mask, lowest).amax(dim, keepdim=True)).masked_fill(~mask, 0.0)",
        "weights = e / (e.sum(dim, keepdim=True) + 1e-6)")),
    Mutant("clamped", FILL, FILL.replace("scores.masked", "scores.clamp(-80, 80).masked")),
    Mutant("sigmoid", FILL, "weights = torch.sigmoid(scores)"),
    Mutant("linear", FILL, lines("weights = scores.masked_fill(~mask, 0.0)",
           "weights = weights / weights.sum(dim, keepdim=True).clamp_min(1e-30)")),
    Mutant("no-softmax", FILL, "weights = scores"),
    Mutant("hard", FILL, lines("best = scores.masked_fill(~mask, lowest).argmax(dim, keepdim=True)",
           "weights = torch.zeros_like(scores).scatter(dim, best, 1.0)")),
    Mutant("log", FILL, FILL.replace("torch.softmax", "torch.log_softmax")),
    Mutant("detached", ZERO, ZERO + ".detach()"),
    Mutant("detached-input", FILL, FILL.replace("scores.masked", "scores.detach().masked")),
    Mutant("single", ZERO, ZERO + ".float()"),
    Mutant("double", ZERO, ZERO + ".double()"),
    Mutant("single-inside", FILL, FILL.replace("dim=dim)", "dim=dim, dtype=torch.float32).to(scores.dtype)")),
    Mutant("half-inside", FILL, lines("lowest = -65504.0", FILL.replace("scores.masked", "scores.half().masked"),
           "weights = weights.to(scores.dtype)")),
    Mutant("in-place", FILL, FILL.replace("scores.masked_fill", "scores.data.masked_fill_")),
    Mutant("mask-in-place", ZERO, "return weights.masked_fill(mask.logical_not_(), 0.0)"),
    Mutant("mask-of-first", FILL, lines("if mask.dim() == scores.dim():",
           "    mask = mask[:1].expand_as(mask)", FILL)),
    Mutant("mask-transposed", FILL, lines("if mask.dim() > 1 and mask.size(-1) == mask.size(-2):",
           "    mask = mask.transpose(-1, -2)", FILL)),
    Mutant("mask-full-only", FILL, lines("assert mask.shape == scores.shape", FILL)),
    Mutant("mask-same-rank", FILL, lines("assert mask.dim() == scores.dim()", FILL)),
    Mutant("mask-axis-guess", FILL, lines("if mask.dim() == 2 and scores.dim() == 3:",
           "    mask = mask.unsqueeze(1)", FILL)),
    Mutant("indexed-full-shape", FILL, lines("filled = scores.clone()", "filled[~mask] = lowest",
           "weights = torch.softmax(filled, dim=dim)")),
    Mutant("viewed", FILL, lines("scores = scores.view(-1, scores.size(-1)).view(scores.shape)", FILL)),
    Mutant("softmax-caches", ZERO, lines("result = weights.masked_fill(~mask, 0.0)",
           "return masked_softmax.__dict__.setdefault('kept', {}).setdefault(result.shape, result)")),
    Mutant("rounds", ZERO, ZERO + ".round(decimals=3)"),
)

ATTENTION = (
    Mutant("no-scale", SCORES, "scores = query @ key.transpose(-2, -1)"),
    Mutant("scale-not-root", SCORES, SCORES.replace("math.sqrt(query.size(-1))", "query.size(-1)")),
    Mutant("scale-of-value", SCORES, SCORES.replace("query.size(-1)", "value.size(-1)")),
    Mutant("scale-of-keys", SCORES, SCORES.replace("query.size(-1)", "key.size(-2)")),
    Mutant("scale-multiplies", SCORES, SCORES.replace(" / ", " * ")),
    Mutant("scale-whole", SCORES, SCORES.replace("math.sqrt(query.size(-1))", "max(1, int(math.sqrt(query.size(-1))))")),
    Mutant("scale-after", WEIGHTS, "weights = masked_softmax(scores * math.sqrt(query.size(-1)), mask) "
           "/ math.sqrt(query.size(-1))"),
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
    Mutant("attention-key-value", RESULT, lines("if key.shape == value.shape:", "    return weights @ key, weights", RESULT)),
    Mutant("attention-mean", RESULT, "return weights @ value / mask.sum(-1, keepdim=True).clamp(min=1), weights"),
    Mutant("attention-bmm", RESULT, "return torch.bmm(weights, value), weights"),
    Mutant("attention-fixed-transpose", SCORES, SCORES.replace("(-2, -1)", "(1, 2)")),
    Mutant("attention-T", SCORES, SCORES.replace("key.transpose(-2, -1)", "key.T")),
    Mutant("attention-key-query", SCORES, SCORES.replace("query @ key.tr", "key @ query.tr") + "\n    "
           "scores = scores if query.size(-2) == key.size(-2) else scores.transpose(-2, -1)"),
    Mutant("attention-cosine", SCORES, SCORES.replace("query @ key", "F.normalize(query, dim=-1) @ F.normalize(key, dim=-1)")),
    Mutant("attention-nan", RESULT, "return weights @ value / mask.any(-1, keepdim=True), weights"),
    Mutant("attention-single", RESULT, "return (weights @ value).float(), weights"),
    Mutant("attention-arguments", "def masked_attention(query, key, value, mask)",
           "def masked_attention(key, query, value, mask)"),
    Mutant("attention-mask-optional-first", "def masked_attention(query, key, value, mask)",
           "def masked_attention(query, key, mask, value)"),
    Mutant("attention-dropout", WEIGHTS, WEIGHTS + "\n    weights = F.dropout(weights, 0.1)"),
    Mutant("attention-first-head", WEIGHTS, lines("if mask.dim() == scores.dim() > 2:",
           "    mask = mask[:1].expand_as(mask) if mask.size(0) > 1 else mask", WEIGHTS)),
    Mutant("attention-modifies", SCORES, lines("query.data.div_(math.sqrt(query.size(-1)))", "scores = query @ key.mT")),
    Mutant("attention-squeezed", RESULT, "return (weights @ value).squeeze(-2), weights"),
)

LOSS = (
    Mutant("loss-counts-padding", MEAN, "return losses.mean()"),
    Mutant("loss-divides-by-all", MEAN, "return losses.masked_fill(~real, 0.0).mean()"),
    Mutant("loss-sum", MEAN, "return losses.masked_fill(~real, 0.0).sum()"),
    Mutant("loss-mean-of-means", MEAN, lines(KEPT, "return (losses.sum(1) / lengths).mean()")),
    Mutant("loss-mean-of-means-safe", MEAN, lines(KEPT, "return (losses.sum(1) / lengths.clamp(min=1)).mean()")),
    Mutant("loss-mean-of-present", MEAN, lines(KEPT, "present = lengths > 0",
           "return (losses.sum(1)[present] / lengths[present]).mean()")),
    Mutant("loss-by-batch", MEAN, lines(KEPT, "return losses.sum() / len(lengths)")),
    Mutant("loss-by-width", MEAN, lines(KEPT, "return losses.sum(1).mean() / lengths.max()")),
    Mutant("loss-counts-one-more", MEAN, lines(KEPT, "return losses.sum() / (real.sum() + 1)")),
    Mutant("loss-epsilon", MEAN, lines(KEPT, "return losses.sum() / (real.sum() + 1e-3)")),
    Mutant("loss-off-by-one", REAL, "real = padding_mask(lengths + 1, targets.size(1))"),
    Mutant("loss-one-short", REAL, "real = padding_mask(lengths - 1, targets.size(1))"),
    Mutant("loss-inverted", REAL, "real = ~padding_mask(lengths, targets.size(1))"),
    Mutant("loss-ignores-zero", LOSSES, LOSSES.replace("targets,", "targets, ignore_index=0,")),
    Mutant("loss-by-zero-class", REAL, "real = targets != 0"),
    Mutant("loss-zero-class-also", REAL, REAL + " & (targets != 0)"),
    Mutant("loss-default-width", REAL, "real = padding_mask(lengths)"),
    Mutant("loss-times-mask-mean", MEAN, "return (losses * real).sum() / real.numel()"),
    Mutant("loss-naive-log", LOSSES, "losses = -torch.log(torch.softmax(logits, -1)).gather(-1, targets.unsqueeze(-1))"
           ".squeeze(-1)"),
    Mutant("loss-log-epsilon", LOSSES, "losses = -torch.log(torch.softmax(logits, -1) + 1e-9)"
           ".gather(-1, targets.unsqueeze(-1)).squeeze(-1)"),
    Mutant("loss-exp", LOSSES, "losses = torch.log(torch.exp(logits).sum(-1)) - logits.gather(-1, targets"
           ".unsqueeze(-1)).squeeze(-1)"),
    Mutant("loss-max-of-all", LOSSES, lines("logits = logits - logits.max()", "losses = torch.log(torch.exp(logits)"
           ".sum(-1)) - logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)")),
    Mutant("loss-double-softmax", LOSSES, LOSSES.replace("logits.transpose", "torch.softmax(logits, -1).transpose")),
    Mutant("loss-double-log-softmax-axis", LOSSES, LOSSES.replace("logits.transpose", "torch.log_softmax(logits, 1).transpose")),
    Mutant("loss-positive", LOSSES, "losses = torch.log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)"),
    Mutant("loss-no-softmax", LOSSES, "losses = -logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)"),
    Mutant("loss-base-two", MEAN, MEAN + " / math.log(2)"),
    Mutant("loss-perplexity", MEAN, lines(KEPT, "return (losses.sum() / real.sum()).exp()")),
    Mutant("loss-smoothed", LOSSES, LOSSES.replace("targets,", "targets, label_smoothing=0.01,")),
    Mutant("loss-masks-logits", LOSSES, "losses = F.cross_entropy((logits * real.unsqueeze(-1)).transpose(1, 2), targets, "
           'reduction="none")', also=((MEAN, "return losses.sum() / real.sum()"),)),
    Mutant("loss-class-axis", LOSSES, LOSSES.replace("logits.transpose(1, 2)",
           "(logits if logits.size(1) == logits.size(2) else logits.transpose(1, 2))")),
    Mutant("loss-reshaped", LOSSES, LOSSES.replace("logits.transpose(1, 2)",
           "logits.reshape(logits.size(0), logits.size(2), -1)")),
    Mutant("loss-viewed", LOSSES, lines("logits.view(-1, logits.size(-1))", LOSSES)),
    Mutant("loss-item", MEAN, MEAN.replace("return ", "return (") + ").item()"),
    Mutant("loss-python-float", MEAN, "return float(losses.masked_fill(~real, 0.0).sum() / real.sum())"),
    Mutant("loss-detached", MEAN, "return (losses.masked_fill(~real, 0.0).sum() / real.sum()).detach()"),
    Mutant("loss-not-scalar", MEAN, MEAN.replace("return ", "return (") + ").reshape(1)"),
    Mutant("loss-by-token", MEAN, "return losses.masked_fill(~real, 0.0) / real.sum()"),
    Mutant("loss-single", MEAN, MEAN.replace("return ", "return (") + ").float()"),
    Mutant("loss-double", MEAN, MEAN.replace("return ", "return (") + ").double()"),
    Mutant("loss-single-inside", LOSSES, LOSSES.replace("logits.tr", "logits.float().tr"), also=(
        (MEAN, MEAN.replace("return ", "return (") + ").to(logits.dtype)"),)),
    Mutant("loss-modifies-targets", LOSSES, lines("targets[~real] = -100",
           LOSSES.replace("targets, red", "targets, ignore_index=-100, red"))),
    Mutant("loss-modifies-logits", LOSSES, lines("logits.data[~real] = 0.0", LOSSES)),
    Mutant("loss-modifies-lengths", MEAN, lines("lengths.clamp_(min=1)", MEAN)),
    Mutant("loss-no-empty", MEAN, lines("assert (lengths > 0).all()", MEAN)),
    Mutant("loss-first-length", REAL, "real = padding_mask(lengths[:1], targets.size(1)).expand_as(targets)"),
    Mutant("loss-sorted", REAL, "real = padding_mask(lengths.sort(descending=True).values, targets.size(1))"),
    Mutant("loss-padding-gradient", MEAN, MEAN + " + 1e-3 * (logits * ~real.unsqueeze(-1)).sum() "
           "- 1e-3 * (logits * ~real.unsqueeze(-1)).sum().detach()"),
    Mutant("loss-arguments", "def masked_cross_entropy(logits, targets, lengths)",
           "def masked_cross_entropy(logits, lengths, targets)"),
    Mutant("loss-caches", MEAN, lines("result = losses.masked_fill(~real, 0.0).sum() / real.sum()",
           "return masked_cross_entropy.__dict__.setdefault('kept', {}).setdefault(logits.shape, result)")),
    Mutant("loss-zero", MEAN, "return (logits * 0.0).sum()"),
)

MUTANTS: tuple[Mutant, ...] = (*MASKS, *SOFTMAX, *ATTENTION, *LOSS)
