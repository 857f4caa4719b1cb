"""Wrong translators, one mistake each: greedy decoding and beam search."""

from __future__ import annotations

from tests.specs.mutants import Mutant

TOKEN = "        token = torch.full_like(src[:, 0], self.bos_id)\n"
WHILE_G = "        while len(words) < max_len and not ended.all():\n"
STEP_G = "            logits, *carry, _ = self.decoder.step(token, *carry, states, mask)\n"
PICK = "            token = logits.argmax(dim=-1).masked_fill(ended, self.pad_id)\n"
ENDED = "            ended = ended | (token == self.eos_id)\n"
RESULT_G = "        return torch.stack(words, dim=1)\n"

FIRST = "        totals[:, 0] = 0.0\n"
WHILE_B = "        while words.size(2) <= max_len and not ended[:, 0].all():\n"
LOG = "torch.log_softmax(logits.double(), dim=-1)"
FREEZE = "            log_probs = torch.where(ended.unsqueeze(2), only_pad, log_probs)\n"
BEST = "            totals, best = candidates.topk(beam_size, dim=1)  # sorted, best first\n"
PARENT = "            parent, word = best // logits.size(1), best % logits.size(1)\n"
WORDS = "            words = torch.cat([words[rows, parent], word.unsqueeze(2)], dim=2)\n"
ENDED_B = "            ended = ended[rows, parent] | (word == self.eos_id)\n"
CARRY = "            carry = [x[(rows * beam_size + parent).flatten()] for x in carry]\n"
RESULT_B = "        return words[:, 0, 1:]\n"

GREEDY = (
    Mutant(
        "greedy-argument-renamed",
        "def greedy_decode(self, src, src_lengths, max_len)",
        "def greedy_decode(self, src, lengths, max_len)",
        also=(
            (
                "        states, mask, carry = self.start(src, src_lengths)\n        token",
                "        states, mask, carry = self.start(src, lengths)\n        token",
            ),
        ),
    ),
    Mutant("starts-from-pad", TOKEN, TOKEN.replace("self.bos_id", "self.pad_id")),
    Mutant("starts-from-one", TOKEN, TOKEN.replace("self.bos_id", "1")),
    Mutant("starts-from-source", TOKEN, "        token = src[:, 0].clone()\n"),
    Mutant("eos-not-final", ".masked_fill(ended, self.pad_id)", ""),
    Mutant("eos-filled-with-eos", "masked_fill(ended, self.pad_id)", "masked_fill(ended, self.eos_id)"),
    Mutant("filled-with-zero", "masked_fill(ended, self.pad_id)", "masked_fill(ended, 0)"),
    Mutant(
        "eos-dropped",
        RESULT_G,
        "        out = torch.stack(words, dim=1)\n"
        "        return out.masked_fill(out == self.eos_id, self.pad_id)\n",
    ),
    Mutant("eos-is-two", ENDED, ENDED.replace("self.eos_id", "2")),
    Mutant("never-stops", WHILE_G, "        while len(words) < max_len:\n"),
    Mutant("stops-at-first-eos", WHILE_G, WHILE_G.replace("ended.all()", "ended.any()")),
    Mutant("one-word-too-many", WHILE_G, WHILE_G.replace("len(words) < max_len", "len(words) <= max_len")),
    Mutant(
        "one-word-too-few",
        WHILE_G,
        WHILE_G.replace("len(words) < max_len", "len(words) < max(1, max_len - 1)"),
    ),
    Mutant(
        "bos-kept",
        RESULT_G,
        "        first = torch.full_like(words[0], self.bos_id)\n"
        "        return torch.stack([first, *words], dim=1)\n",
    ),
    Mutant("time-first-words", RESULT_G, "        return torch.stack(words, dim=0)\n"),
    Mutant("float-words", RESULT_G, "        return torch.stack(words, dim=1).float()\n"),
    Mutant("ended-forgotten", ENDED, "            ended = token == self.eos_id\n"),
    Mutant("pad-never-chosen", PICK, "            logits[:, self.pad_id] = -1e9\n" + PICK),
    Mutant("special-never-chosen", PICK, "            logits[:, [self.pad_id, self.bos_id]] = -1e9\n" + PICK),
    Mutant(
        "pad-ends-too",
        ENDED,
        "            ended = ended | (token == self.eos_id) | (token == self.pad_id)\n",
    ),
    Mutant(
        "bos-fed-for-ever",
        STEP_G,
        STEP_G.replace("step(token", "step(torch.full_like(token, self.bos_id)"),
    ),
    Mutant("greedy-state-not-carried", STEP_G, STEP_G.replace("*carry, _", "*_")),
    Mutant("sampled", "logits.argmax(dim=-1)", "torch.multinomial(logits.softmax(-1), 1).squeeze(1)"),
    Mutant("second-best", "logits.argmax(dim=-1)", "logits.topk(2).indices[:, 1]"),
    Mutant("argmin", "logits.argmax", "logits.argmin"),
    Mutant("greedy-trains", TOKEN, TOKEN + "        self.train()\n"),
    Mutant("greedy-evals", TOKEN, TOKEN + "        self.eval()\n"),
    Mutant("encoder-evals", TOKEN, TOKEN + "        self.encoder.eval()\n"),
    Mutant("returns-lists", RESULT_G, "        return torch.stack(words, dim=1).tolist()\n"),
    Mutant(
        "width-of-max-len",
        RESULT_G,
        "        out = torch.stack(words, dim=1)\n"
        "        return F.pad(out, (0, max_len - out.size(1)), value=self.pad_id)\n",
    ),
)

BEAM = (
    Mutant(
        "beam-arguments-required",
        "def beam_search(self, src, src_lengths, beam_size, max_len):",
        "def beam_search(self, src, src_lengths, beam_size, max_len, alpha=0.0, *, limit):",
    ),
    Mutant(
        "beam-arguments-renamed",
        "def beam_search(self, src, src_lengths, beam_size, max_len):\n",
        "def beam_search(self, src, src_lengths, width, max_len):\n",
        also=(("        batch = src.size(0)\n", "        batch, beam_size = src.size(0), width\n"),),
    ),
    Mutant(
        "greedy-not-beam",
        WHILE_B,
        "        return self.greedy_decode(src, src_lengths, max_len)\n" + WHILE_B,
    ),
    Mutant("beam-all-alike", FIRST, "        totals[:] = 0.0\n"),
    Mutant("beam-keeps-worst", "candidates.topk(beam_size, dim=1)", "(-candidates).topk(beam_size, dim=1)"),
    Mutant("probabilities-added", LOG, "torch.softmax(logits.double(), dim=-1)"),
    Mutant("logits-added", LOG, "logits.double()"),
    Mutant("naive-log-softmax", LOG, "torch.log(logits.exp() / logits.exp().sum(-1, keepdim=True)).double()"),
    Mutant(
        "totals-not-kept",
        "(totals.unsqueeze(2) + log_probs)",
        "(totals.unsqueeze(2).clamp(-1e-9) + log_probs)",
    ),
    Mutant(
        "length-normalised-steps",
        "(totals.unsqueeze(2) + log_probs)",
        "(totals.unsqueeze(2) + log_probs / words.size(2))",
    ),
    Mutant("parent-ignored-in-words", WORDS, WORDS.replace("words[rows, parent]", "words")),
    Mutant("parent-ignored-in-state", CARRY, ""),
    Mutant("parent-ignored-in-ended", ENDED_B, "            ended = ended | (word == self.eos_id)\n"),
    Mutant("parent-of-first-sentence", CARRY, "            carry = [x[parent.flatten()] for x in carry]\n"),
    Mutant(
        "fed-not-reordered",
        CARRY,
        "            carry = [carry[0][(rows * beam_size + parent).flatten()], *carry[1:]]\n",
    ),
    Mutant("ended-not-frozen", FREEZE, ""),
    Mutant(
        "ended-dropped",
        FREEZE,
        "            log_probs = log_probs.masked_fill(ended.unsqueeze(2), -math.inf)\n",
        also=((" and not ended[:, 0].all()", ""), (RESULT_B, RESULT_B)),
    ),
    Mutant("beam-eos-not-final", ENDED_B, "            ended = torch.zeros_like(ended)\n"),
    Mutant("beam-freezes-with-eos", "only_pad[:, :, self.pad_id]", "only_pad[:, :, self.eos_id]"),
    Mutant("beam-freezes-with-zero", "only_pad[:, :, self.pad_id]", "only_pad[:, :, 0]"),
    Mutant("beam-stops-when-any-ended", "not ended[:, 0].all()", "not ended[:, 0].any()"),
    Mutant("beam-stops-when-some-beam-ended", "not ended[:, 0].all()", "not ended.any(1).all()"),
    Mutant("beam-returns-last", RESULT_B, "        return words[:, -1, 1:]\n"),
    Mutant(
        "beam-returns-random-order",
        BEST,
        BEST + "            totals, best = totals.flip(1), best.flip(1)\n",
        also=((" and not ended[:, 0].all()", ""),),
    ),
    Mutant("beam-returns-bos", RESULT_B, "        return words[:, 0]\n"),
    Mutant("beam-returns-all", RESULT_B, "        return words[:, :, 1:]\n"),
    Mutant(
        "beam-prefers-finished",
        RESULT_B,
        "        totals = totals + 1e3 * ended\n"
        "        return words[torch.arange(batch), totals.argmax(1), 1:]\n",
        also=((" and not ended[:, 0].all()", ""),),
    ),
    Mutant(
        "beam-prefers-cut",
        RESULT_B,
        "        totals = totals - 1e3 * ended\n"
        "        return words[torch.arange(batch), totals.argmax(1), 1:]\n",
        also=((" and not ended[:, 0].all()", ""),),
    ),
    Mutant(
        "length-normalised",
        RESULT_B,
        "        count = (words[:, :, 1:] == self.eos_id).int().cumsum(2)\n"
        "        count = ((count == 0).sum(2) + 1).clamp(max=words.size(2) - 1)\n"
        "        return words[torch.arange(batch), (totals / count).argmax(1), 1:]\n",
        also=((" and not ended[:, 0].all()", ""),),
    ),
    Mutant(
        "beam-starts-from-eos",
        "torch.full((batch, beam_size, 1), self.bos_id",
        "torch.full((batch, beam_size, 1), self.eos_id",
    ),
    Mutant("beam-one-word-too-many", "words.size(2) <= max_len", "words.size(2) <= max_len + 1"),
    Mutant("beam-one-word-too-few", "words.size(2) <= max_len", "words.size(2) < max_len"),
    Mutant(
        "beam-repeat-not-interleave",
        "x.repeat_interleave(beam_size, dim=0)",
        "x.repeat(beam_size, *[1] * (x.dim() - 1))",
    ),
    Mutant(
        "beam-cut-to-vocabulary",
        "        batch = src.size(0)\n",
        "        batch = src.size(0)\n        assert beam_size <= self.decoder.out.out_features\n",
    ),
    Mutant("beam-of-logits-size", PARENT, PARENT.replace("logits.size(1)", "beam_size")),
    Mutant(
        "beam-always-three",
        "        batch = src.size(0)\n",
        "        batch = src.size(0)\n        beam_size = 3\n",
    ),
    Mutant(
        "beam-per-parent",
        BEST,
        """            best_each = log_probs.topk(1, dim=2).indices
            few = torch.full_like(log_probs, -math.inf).scatter(2, best_each, log_probs.gather(2, best_each))
            totals, best = (totals.unsqueeze(2) + few).flatten(1).topk(beam_size, dim=1)
            totals = totals.clamp(min=-1e9)
""",
    ),
    Mutant(
        "beam-evals",
        "        batch = src.size(0)\n",
        "        batch = src.size(0)\n        self.eval()\n",
    ),
    Mutant("beam-float32-totals-of-half", LOG, "torch.log_softmax(logits.half(), dim=-1).double()"),
    Mutant(
        "beam-changes-source",
        "        batch = src.size(0)\n",
        "        batch = src.size(0)\n        src.masked_fill_(~real_tokens(src, src_lengths), 0)\n",
    ),
    Mutant("beam-duplicates-first", "        totals[:, 0] = 0.0\n", "        totals[:, :2] = 0.0\n"),
)
