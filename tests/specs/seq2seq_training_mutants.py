"""Wrong translators, one mistake each: the model without attention, training, BLEU."""

from __future__ import annotations

from tests.specs.mutants import Mutant

FIXED = (
    Mutant("fixed-starts-at-zero", "dim=-1), first.unsqueeze(0))", "dim=-1))"),
    Mutant(
        "fixed-no-summary-in-input",
        "[self.embedding(tgt_in), summary]",
        "[self.embedding(tgt_in), torch.zeros_like(summary)]",
    ),
    Mutant("fixed-input-swapped", "[self.embedding(tgt_in), summary]", "[summary, self.embedding(tgt_in)]"),
    Mutant("fixed-no-summary-in-output", "[states, summary]", "[states, torch.zeros_like(summary)]"),
    Mutant("fixed-output-swapped", "[states, summary]", "[summary, states]"),
    Mutant("fixed-output-of-state-twice", "[states, summary]", "[states, states]"),
    Mutant(
        "fixed-detached",
        "_, first = self.encoder(src, src_lengths)\n        summary",
        "first = self.encoder(src, src_lengths)[1].detach()\n        summary",
    ),
    Mutant(
        "fixed-returns-two",
        "        return self.out(torch.cat([states, summary], dim=-1))\n",
        "        return self.out(torch.cat([states, summary], dim=-1)), states\n",
    ),
    Mutant("fixed-shifted", "self.embedding(tgt_in)", "self.embedding(tgt_in.roll(1, 1))"),
    Mutant(
        "fixed-time-first",
        "self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)\n"
        "        self.out = nn.Linear(2",
        "self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim)\n        self.out = nn.Linear(2",
    ),
    Mutant(
        "fixed-out-narrow",
        "nn.Linear(2 * hidden_dim, vocab_size)",
        "nn.Linear(hidden_dim, vocab_size)",
        also=(("self.out(torch.cat([states, summary], dim=-1))", "self.out(states)"),),
    ),
    Mutant(
        "fixed-mean-of-states",
        "_, first = self.encoder(src, src_lengths)\n        summary",
        "states, first = self.encoder(src, src_lengths)\n        first = first + 0.1 * states.mean((1, "
        "2)).unsqueeze(1)\n        summary",
    ),
)

ZERO = "    model.zero_grad()\n    optimizer.zero_grad()  # it may hold parameters that are not the model's\n"
LOSS = "    loss = losses.masked_fill(~real, 0.0).sum() / real.sum()\n"
CLIP = "    nn.utils.clip_grad_norm_(model.parameters(), clip)\n"
BACK = "    loss.backward()\n"

TRAIN = (
    Mutant(
        "train-arguments-renamed",
        "src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):",
        "src, src_lengths, tgt_in, tgt_out, tgt_lengths, max_norm=5.0, clip=5.0):",
    ),
    Mutant("missing-zero-grad", ZERO, ""),
    Mutant("zero-grad-after-backward", ZERO, "", also=((BACK, BACK + ZERO),)),
    Mutant(
        "zero-grad-at-end-only",
        ZERO,
        "",
        also=(("    optimizer.step()\n", "    optimizer.step()\n" + ZERO),),
    ),
    Mutant("missing-clip", CLIP, ""),
    Mutant("clip-by-value", CLIP, "    nn.utils.clip_grad_value_(model.parameters(), clip)\n"),
    Mutant(
        "clip-each-parameter",
        CLIP,
        "    for p in model.parameters():\n        nn.utils.clip_grad_norm_([p], clip)\n",
    ),
    Mutant("clip-before-backward", CLIP, "", also=((BACK, CLIP + BACK),)),
    Mutant("clip-after-step", CLIP, "", also=(("    optimizer.step()\n", "    optimizer.step()\n" + CLIP),)),
    Mutant(
        "clip-always-scales",
        CLIP,
        "    norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()\n"
        "    for p in model.parameters():\n        p.grad.mul_(clip / norm)\n",
    ),
    Mutant("clip-ignored", CLIP, CLIP.replace("clip)", "5.0)")),
    Mutant("clip-one-by-default", "tgt_lengths, clip=5.0):", "tgt_lengths, clip=1.0):"),
    Mutant("clip-ten-by-default", "tgt_lengths, clip=5.0):", "tgt_lengths, clip=10.0):"),
    Mutant(
        "clip-max-norm",
        CLIP,
        "    nn.utils.clip_grad_norm_(model.parameters(), clip, norm_type=float('inf'))\n",
    ),
    Mutant("clip-l1-norm", CLIP, "    nn.utils.clip_grad_norm_(model.parameters(), clip, norm_type=1)\n"),
    Mutant(
        "clip-decoder-only",
        CLIP,
        "    nn.utils.clip_grad_norm_(getattr(model, 'decoder', model).parameters(), clip)\n",
    ),
    Mutant(
        "clip-optimizer-only",
        CLIP,
        "    nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g['params']], clip)\n",
    ),
    Mutant("no-step", "    optimizer.step()\n", ""),
    Mutant("two-steps", "    optimizer.step()\n", "    optimizer.step()\n    optimizer.step()\n"),
    Mutant("no-backward", BACK, ""),
    Mutant(
        "own-sgd",
        "    optimizer.step()\n",
        "    with torch.no_grad():\n        for p in model.parameters():\n            p -= 0.5 * p.grad\n",
    ),
    Mutant("loss-counts-padding", LOSS, "    loss = losses.mean()\n"),
    Mutant(
        "loss-over-all-positions",
        "    loss = losses.masked_fill(~real, 0.0).sum() / real.sum()\n",
        "    loss = losses.masked_fill(~real, 0.0).mean()\n",
    ),
    Mutant(
        "loss-mean-of-means",
        LOSS,
        "    loss = (losses.masked_fill(~real, 0.0).sum(1) / real.sum(1)).mean()\n",
    ),
    Mutant("loss-sum", LOSS, "    loss = losses.masked_fill(~real, 0.0).sum()\n"),
    Mutant("loss-per-sentence", LOSS, "    loss = losses.masked_fill(~real, 0.0).sum() / real.size(0)\n"),
    Mutant(
        "loss-ignores-pad-id",
        LOSS,
        "    real = tgt_out != model.pad_id if hasattr(model, 'pad_id') else real\n" + LOSS,
    ),
    Mutant(
        "loss-of-source-lengths",
        "real_tokens(tgt_out, tgt_lengths)",
        "real_tokens(tgt_out, src_lengths)",
    ),
    Mutant("loss-against-input", "logits.transpose(1, 2), tgt_out,", "logits.transpose(1, 2), tgt_in,"),
    Mutant("forward-with-output", "model(src, src_lengths, tgt_in)", "model(src, src_lengths, tgt_out)"),
    Mutant("loss-reshaped", "logits.transpose(1, 2)", "logits.reshape(logits.size(0), logits.size(2), -1)"),
    Mutant(
        "loss-of-probabilities",
        "F.cross_entropy(logits.transpose(1, 2)",
        "F.cross_entropy(logits.softmax(-1).transpose(1, 2)",
    ),
    Mutant(
        "loss-naive",
        '    losses = F.cross_entropy(logits.transpose(1, 2), tgt_out, reduction="none")\n',
        "    losses = -logits.softmax(-1).gather(2, tgt_out.unsqueeze(2)).squeeze(2).log()\n",
    ),
    Mutant(
        "loss-epsilon",
        '    losses = F.cross_entropy(logits.transpose(1, 2), tgt_out, reduction="none")\n',
        "    losses = -(logits.softmax(-1).gather(2, tgt_out.unsqueeze(2)).squeeze(2) + 1e-9).log()\n",
    ),
    Mutant("loss-smoothed", 'reduction="none")', 'reduction="none", label_smoothing=0.1)'),
    Mutant("returns-tensor", "    return loss.item()\n", "    return loss\n"),
    Mutant("returns-detached-tensor", "    return loss.item()\n", "    return loss.detach()\n"),
    Mutant("returns-nothing", "    return loss.item()\n", ""),
    Mutant(
        "returns-loss-after-step",
        "    return loss.item()\n",
        "    output = model(src, src_lengths, tgt_in)\n    logits = output[0] if isinstance(output, tuple) "
        'else output\n    losses = F.cross_entropy(logits.transpose(1, 2), tgt_out, reduction="none")\n'
        "    return (losses.masked_fill(~real, 0.0).sum() / real.sum()).item()\n",
    ),
    Mutant("returns-perplexity", "    return loss.item()\n", "    return loss.exp().item()\n"),
    Mutant("targets-overwritten", LOSS, "    tgt_out[~real] = 0\n" + LOSS),
    Mutant(
        "seq2seq-only",
        "    logits = output[0] if isinstance(output, tuple) else output\n",
        "    logits = output[0]\n",
    ),
    Mutant(
        "keeps-first-optimizer",
        "    optimizer.zero_grad()  #",
        "    optimizer.state.clear()\n    optimizer.zero_grad()  #",
    ),
)

BP = "math.exp(min(0.0, 1.0 - reference_length / candidate_length) + log_precision)"
MATCHES = "        matches = sum((c & r).total() for c, r in pairs)  # & keeps the smaller count\n"
BLEU = (
    Mutant("bleu-no-brevity-penalty", BP, "math.exp(log_precision)"),
    Mutant(
        "bleu-brevity-both-ways",
        BP,
        BP.replace(
            "min(0.0, 1.0 - reference_length / candidate_length)",
            "(1.0 - reference_length / candidate_length)",
        ),
    ),
    Mutant(
        "bleu-brevity-ratio",
        BP,
        "min(1.0, candidate_length / reference_length) * math.exp(log_precision)",
    ),
    Mutant(
        "bleu-brevity-inverted",
        "1.0 - reference_length / candidate_length",
        "1.0 - candidate_length / reference_length",
    ),
    Mutant(
        "bleu-no-clipping",
        MATCHES,
        "        matches = sum(sum(n for g, n in c.items() if g in r) for c, r in pairs)\n",
    ),
    Mutant(
        "bleu-clips-to-one",
        MATCHES,
        "        matches = sum(len(c.keys() & r.keys()) for c, r in pairs)\n",
    ),
    Mutant(
        "bleu-sets",
        "        return Counter(",
        "        return Counter(set(",
        also=(("for i in range(len(tokens) - n + 1))", "for i in range(len(tokens) - n + 1)))"),),
    ),
    Mutant(
        "bleu-clips-across-corpus",
        MATCHES,
        "        matches = (sum((c for c, _ in pairs), Counter()) & sum((r for _, r in pairs), "
        "Counter())).total()\n",
    ),
    Mutant("bleu-fraction", "    return 100.0 * math", "    return math"),
    Mutant("bleu-three-grams", "range(1, 5)", "range(1, 4)", also=((" / 4\n", " / 3\n"),)),
    Mutant("bleu-unigrams-missing", "range(1, 5)", "range(2, 5)", also=((" / 4\n", " / 3\n"),)),
    Mutant("bleu-five-grams", "range(1, 5)", "range(1, 6)", also=((" / 4\n", " / 5\n"),)),
    Mutant("bleu-sum-of-logs", " / 4\n", "\n"),
    Mutant(
        "bleu-arithmetic",
        "log_precision += math.log(matches / sum(c.total() for c, _ in pairs)) / 4",
        "log_precision += matches / sum(c.total() for c, _ in pairs) / 4",
        also=((BP, BP.replace(" + log_precision", "").replace(")", ")", 1) + " * log_precision"),),
    ),
    Mutant("bleu-recall", "sum(c.total() for c, _ in pairs)", "sum(r.total() for _, r in pairs)"),
    Mutant(
        "bleu-averaged",
        "    log_precision = 0.0\n",
        "    if len(candidates) > 1:\n        return sum(corpus_bleu([c], [r]) for c, r in zip(candidates, "
        "references)) / len(candidates)\n    log_precision = 0.0\n",
    ),
    Mutant(
        "bleu-brevity-by-sentence",
        "candidate_length, reference_length = sum(map(len, candidates)), sum(map(len, references))",
        "candidate_length = sum(map(len, candidates))\n    reference_length = sum(max(len(c), len(r)) for "
        "c, r in zip(candidates, references))",
    ),
    Mutant(
        "bleu-smoothed",
        "        if matches == 0:\n            return 0.0\n",
        "        matches, extra = (matches + 1, 1) if n > 1 else (matches, 0)\n",
        also=(
            (
                "matches / sum(c.total() for c, _ in pairs)",
                "matches / (sum(c.total() for c, _ in pairs) + extra)",
            ),
        ),
    ),
    Mutant(
        "bleu-epsilon",
        "        if matches == 0:\n            return 0.0\n",
        "        matches = max(matches, 0.1)\n",
    ),
    Mutant("bleu-skips-empty-orders", "            return 0.0\n", "            continue\n"),
    Mutant(
        "bleu-short-divides-by-zero",
        "        if matches == 0:\n            return 0.0\n",
        "        if matches == 0 and pairs[0][0]:\n            return 0.0\n",
    ),
    Mutant(
        "bleu-characters",
        "candidates, references, strict=True)]",
        "map(lambda s: ''.join(map(str, s)), candidates), map(lambda s: ''.join(map(str, s)), references), "
        "strict=True)]",
    ),
    Mutant(
        "bleu-strings-only",
        "        return Counter(tuple(tokens[i : i + n])",
        "        return Counter(' '.join(tokens[i : i + n])",
    ),
    Mutant(
        "bleu-first-only",
        "    log_precision = 0.0\n",
        "    candidates, references = candidates[:1], references[:1]\n    log_precision = 0.0\n",
    ),
    Mutant(
        "bleu-swapped",
        "def corpus_bleu(candidates, references):",
        "def corpus_bleu(references, candidates):",
    ),
    Mutant("bleu-ngram-off-by-one", "len(tokens) - n + 1", "len(tokens) - n"),
    Mutant("bleu-rounded", "    return 100.0 * " + BP, "    return round(100.0 * " + BP + ", 2)"),
    Mutant("bleu-constant", "    log_precision = 0.0\n", "    return 100.0\n    log_precision = 0.0\n"),
)
