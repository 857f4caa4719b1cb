"""Wrong submissions of ``masking``: masked_cross_entropy."""

from __future__ import annotations

from tests.specs.mutants import Mutant

REAL = "real = padding_mask(lengths, targets.size(1))"
LOSSES = 'losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)'
MEAN = "return losses.masked_fill(~real, 0.0).sum() / real.sum()"
KEPT = "losses = losses.masked_fill(~real, 0.0)"


def lines(*statements: str) -> str:
    """Several statements of a function's body."""
    return "\n    ".join(statements)


LOSS = (
    Mutant("loss-counts-padding", MEAN, "return losses.mean()"),
    Mutant("loss-divides-by-all", MEAN, "return losses.masked_fill(~real, 0.0).mean()"),
    Mutant("loss-sum", MEAN, "return losses.masked_fill(~real, 0.0).sum()"),
    Mutant("loss-mean-of-means", MEAN, lines(KEPT, "return (losses.sum(1) / lengths).mean()")),
    Mutant(
        "loss-mean-of-means-safe", MEAN, lines(KEPT, "return (losses.sum(1) / lengths.clamp(min=1)).mean()")
    ),
    Mutant(
        "loss-mean-of-present",
        MEAN,
        lines(KEPT, "present = lengths > 0", "return (losses.sum(1)[present] / lengths[present]).mean()"),
    ),
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
    Mutant(
        "loss-naive-log",
        LOSSES,
        "losses = -torch.log(torch.softmax(logits, -1)).gather(-1, targets.unsqueeze(-1)).squeeze(-1)",
    ),
    Mutant(
        "loss-log-epsilon",
        LOSSES,
        "losses = -torch.log(torch.softmax(logits, -1) + 1e-9).gather(-1, targets.unsqueeze(-1)).squeeze(-1)",
    ),
    Mutant(
        "loss-exp",
        LOSSES,
        "losses = torch.log(torch.exp(logits).sum(-1)) - logits.gather(-1, targets"
        ".unsqueeze(-1)).squeeze(-1)",
    ),
    Mutant(
        "loss-max-of-all",
        LOSSES,
        lines(
            "logits = logits - logits.max()",
            "losses = torch.log(torch.exp(logits)"
            ".sum(-1)) - logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)",
        ),
    ),
    Mutant(
        "loss-double-softmax",
        LOSSES,
        LOSSES.replace("logits.transpose", "torch.softmax(logits, -1).transpose"),
    ),
    Mutant(
        "loss-double-log-softmax-axis",
        LOSSES,
        LOSSES.replace("logits.transpose", "torch.log_softmax(logits, 1).transpose"),
    ),
    Mutant(
        "loss-positive",
        LOSSES,
        "losses = torch.log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)",
    ),
    Mutant("loss-no-softmax", LOSSES, "losses = -logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)"),
    Mutant("loss-base-two", MEAN, MEAN + " / math.log(2)"),
    Mutant("loss-perplexity", MEAN, lines(KEPT, "return (losses.sum() / real.sum()).exp()")),
    Mutant("loss-smoothed", LOSSES, LOSSES.replace("targets,", "targets, label_smoothing=0.01,")),
    Mutant(
        "loss-masks-logits",
        LOSSES,
        'losses = F.cross_entropy((logits * real.unsqueeze(-1)).transpose(1, 2), targets, reduction="none")',
        also=((MEAN, "return losses.sum() / real.sum()"),),
    ),
    Mutant(
        "loss-class-axis",
        LOSSES,
        LOSSES.replace(
            "logits.transpose(1, 2)",
            "(logits if logits.size(1) == logits.size(2) else logits.transpose(1, 2))",
        ),
    ),
    Mutant(
        "loss-reshaped",
        LOSSES,
        LOSSES.replace("logits.transpose(1, 2)", "logits.reshape(logits.size(0), logits.size(2), -1)"),
    ),
    Mutant("loss-viewed", LOSSES, lines("logits.view(-1, logits.size(-1))", LOSSES)),
    Mutant("loss-item", MEAN, MEAN.replace("return ", "return (") + ").item()"),
    Mutant("loss-python-float", MEAN, "return float(losses.masked_fill(~real, 0.0).sum() / real.sum())"),
    Mutant("loss-detached", MEAN, "return (losses.masked_fill(~real, 0.0).sum() / real.sum()).detach()"),
    Mutant("loss-not-scalar", MEAN, MEAN.replace("return ", "return (") + ").reshape(1)"),
    Mutant("loss-by-token", MEAN, "return losses.masked_fill(~real, 0.0) / real.sum()"),
    Mutant("loss-single", MEAN, MEAN.replace("return ", "return (") + ").float()"),
    Mutant("loss-double", MEAN, MEAN.replace("return ", "return (") + ").double()"),
    Mutant(
        "loss-single-inside",
        LOSSES,
        LOSSES.replace("logits.tr", "logits.float().tr"),
        also=((MEAN, MEAN.replace("return ", "return (") + ").to(logits.dtype)"),),
    ),
    Mutant(
        "loss-modifies-targets",
        LOSSES,
        lines("targets[~real] = -100", LOSSES.replace("targets, red", "targets, ignore_index=-100, red")),
    ),
    Mutant("loss-modifies-logits", LOSSES, lines("logits.data[~real] = 0.0", LOSSES)),
    Mutant("loss-modifies-lengths", MEAN, lines("lengths.clamp_(min=1)", MEAN)),
    Mutant("loss-no-empty", MEAN, lines("assert (lengths > 0).all()", MEAN)),
    Mutant("loss-first-length", REAL, "real = padding_mask(lengths[:1], targets.size(1)).expand_as(targets)"),
    Mutant("loss-sorted", REAL, "real = padding_mask(lengths.sort(descending=True).values, targets.size(1))"),
    Mutant(
        "loss-padding-gradient",
        MEAN,
        MEAN + " + 1e-3 * (logits * ~real.unsqueeze(-1)).sum() "
        "- 1e-3 * (logits * ~real.unsqueeze(-1)).sum().detach()",
    ),
    Mutant(
        "loss-arguments",
        "def masked_cross_entropy(logits, targets, lengths)",
        "def masked_cross_entropy(logits, lengths, targets)",
    ),
    Mutant(
        "loss-caches",
        MEAN,
        lines(
            "result = losses.masked_fill(~real, 0.0).sum() / real.sum()",
            "return masked_cross_entropy.__dict__.setdefault('kept', {}).setdefault(logits.shape, result)",
        ),
    ),
    Mutant("loss-zero", MEAN, "return (logits * 0.0).sum()"),
)
