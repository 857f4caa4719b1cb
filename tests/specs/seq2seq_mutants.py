"""Wrong translators, one mistake each: the attention and the encoder; and all of them together."""

from __future__ import annotations

from tests.specs.mutants import Mutant
from tests.specs.seq2seq_model_mutants import DECODERS, MODEL
from tests.specs.seq2seq_search_mutants import BEAM, GREEDY
from tests.specs.seq2seq_training_mutants import BLEU, FIXED, TRAIN

HIDDEN = "    hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)\n"
WEIGHTS = "    weights = torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)\n"
CONTEXT = "    return torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1), weights\n"
REAL = "    return positions < lengths.to(tokens.device).unsqueeze(1)\n"
ENCODE = """        packed = pack_padded_sequence(
            self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, last = self.rnn(packed)  # last: (2, B, hidden_dim), forward and backward
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
"""
BRIDGE = "        return states, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))\n"

ATTEND = (
    Mutant("mask-not-used", HIDDEN, "    hidden = scores\n", also=((".masked_fill(~mask, 0.0)", ""),)),
    Mutant("mask-inverted", "~mask", "mask"),
    Mutant("mask-after-softmax", HIDDEN, "    hidden = scores\n"),
    Mutant(
        "mask-multiplies-scores",
        "scores.masked_fill(~mask, torch.finfo(scores.dtype).min)",
        "scores * mask",
    ),
    Mutant(
        "mask-multiplies-scores-only",
        HIDDEN + WEIGHTS,
        "    weights = torch.softmax(scores * mask, dim=-1)\n",
    ),
    Mutant(
        "mask-leaks",
        HIDDEN + WEIGHTS,
        "    weights = torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)\n",
    ),
    Mutant(
        "mask-leaks-slightly",
        HIDDEN + WEIGHTS,
        "    weights = torch.softmax(scores.masked_fill(~mask, -20.0), dim=-1)\n",
    ),
    Mutant(
        "mask-adds-little", HIDDEN + WEIGHTS, "    weights = torch.softmax(scores - 1e4 * ~mask, dim=-1)\n"
    ),
    Mutant(
        "nan-on-masked-row",
        HIDDEN + WEIGHTS,
        "    weights = torch.softmax(scores.masked_fill(~mask, float('-inf')), dim=-1)\n",
    ),
    Mutant("uniform-on-masked-row", WEIGHTS, "    weights = torch.softmax(hidden, dim=-1)\n"),
    Mutant(
        "nan-in-gradient",
        HIDDEN + WEIGHTS,
        "    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)\n"
        "    weights = torch.where(mask, weights, torch.zeros_like(weights))\n",
    ),
    Mutant("softmax-wrong-axis", "torch.softmax(hidden, dim=-1)", "torch.softmax(hidden, dim=0)"),
    Mutant("missing-softmax", "torch.softmax(hidden, dim=-1)", "scores"),
    Mutant("not-softmax", "torch.softmax(hidden, dim=-1)", "torch.sigmoid(scores)"),
    Mutant(
        "softmax-unstable",
        HIDDEN + WEIGHTS,
        "    weights = torch.exp(scores) * mask\n    weights = weights / weights.sum(-1, keepdim=True)\n",
    ),
    Mutant(
        "softmax-of-all-maxima",
        HIDDEN + WEIGHTS,
        "    weights = torch.exp(scores - scores.max(-1, keepdim=True).values) * mask\n"
        "    weights = weights / weights.sum(-1, keepdim=True)\n",
    ),
    Mutant(
        "hard-attention",
        WEIGHTS,
        "    weights = F.one_hot(hidden.argmax(-1), hidden.size(-1)).to(scores.dtype)\n",
    ),
    Mutant("uniform-attention", HIDDEN, "    hidden = torch.zeros_like(scores).masked_fill(~mask, -1e30)\n"),
    Mutant(
        "scaled-scores",
        HIDDEN,
        HIDDEN.replace("scores.", "(scores / encoder_states.size(-1) ** 0.5).", 1),
    ),
    Mutant("detached-weights", CONTEXT, CONTEXT.replace("weights\n", "weights.detach()\n")),
    Mutant("detached-context", "torch.bmm(weights.", "torch.bmm(weights.detach()."),
    Mutant("context-mean", CONTEXT, CONTEXT.replace(".squeeze(1)", ".squeeze(1) / encoder_states.size(1)")),
    Mutant("padding-off-by-one", REAL, REAL.replace("<", "<=")),
    Mutant("padding-short-by-one", REAL, REAL.replace("<", "< -1 +")),
    Mutant("mask-from-ids", REAL, "    return tokens != 0\n"),
    Mutant(
        "float32-softmax",
        "torch.softmax(hidden, dim=-1)",
        "torch.softmax(hidden.float().clamp(min=-1e38), dim=-1).to(hidden.dtype)",
    ),
    Mutant(
        "mask-changed-in-place",
        HIDDEN + WEIGHTS,
        "    mask.logical_not_()\n"
        "    hidden = scores.masked_fill(mask, torch.finfo(scores.dtype).min)\n"
        "    weights = torch.softmax(hidden, dim=-1).masked_fill(mask, 0.0)\n",
    ),
)

ENCODER = (
    Mutant(
        "padding-changes-state",
        ENCODE,
        """        states, last = self.rnn(self.embedding(src))
        states = states * real_tokens(src, lengths).unsqueeze(-1)
""",
    ),
    Mutant(
        "padded-embedding-zeroed",
        ENCODE,
        """        mask = real_tokens(src, lengths).unsqueeze(-1)
        states, last = self.rnn(self.embedding(src) * mask)
        states = states * mask
""",
    ),
    Mutant(
        "states-not-zero-at-padding",
        ENCODE,
        """        states, _ = self.rnn(self.embedding(src))
        packed = pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        good, last = self.rnn(packed)
        good, _ = pad_packed_sequence(good, batch_first=True, total_length=src.size(1))
        states = torch.where(real_tokens(src, lengths).unsqueeze(-1), good, states)
""",
    ),
    Mutant("width-of-longest", "total_length=src.size(1)", "total_length=None"),
    Mutant(
        "padded-with-minus-one",
        "total_length=src.size(1))",
        "total_length=src.size(1), padding_value=-1.0)",
    ),
    Mutant("sorted-assumed", "enforce_sorted=False", "enforce_sorted=True"),
    Mutant(
        "sorted-not-undone",
        ENCODE,
        """        sorted_lengths, order = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.embedding(src[order]), sorted_lengths, batch_first=True)
        outputs, last = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        states = states[order.argsort()]
""",
    ),
    Mutant(
        "sorted-undone-by-order",
        ENCODE,
        """        sorted_lengths, order = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.embedding(src[order]), sorted_lengths, batch_first=True)
        outputs, last = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        states, last = states[order], last[:, order]
""",
    ),
    Mutant("lengths-from-ids", "lengths.cpu()", "(src != 0).sum(1).clamp(min=1).cpu()"),
    Mutant("wrong-final-state-last-column", "torch.cat([last[0], last[1]], dim=-1)", "states[:, -1]"),
    Mutant(
        "wrong-final-state-last-word",
        "torch.cat([last[0], last[1]], dim=-1)",
        "states[torch.arange(src.size(0)), lengths - 1]",
    ),
    Mutant("wrong-final-state-first-word", "torch.cat([last[0], last[1]], dim=-1)", "states[:, 0]"),
    Mutant(
        "wrong-final-state-forward-only",
        "torch.cat([last[0], last[1]], dim=-1)",
        "torch.cat([last[0], last[0]], dim=-1)",
    ),
    Mutant("wrong-final-state-swapped", "[last[0], last[1]]", "[last[1], last[0]]"),
    Mutant(
        "wrong-final-state-view",
        "torch.cat([last[0], last[1]], dim=-1)",
        "last.reshape(src.size(0), -1)",
    ),
    Mutant("wrong-final-state-mean", "torch.cat([last[0], last[1]], dim=-1)", "states.mean(1)"),
    Mutant(
        "missing-tanh-in-bridge",
        "torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))",
        "self.bridge(torch.cat([last[0], last[1]], dim=-1))",
    ),
    Mutant("wrong-activation-in-bridge", "torch.tanh(self.bridge", "torch.relu(self.bridge"),
    Mutant("missing-bridge", "torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))", "last[0]"),
    Mutant(
        "bridge-without-bias",
        "nn.Linear(2 * hidden_dim, hidden_dim)\n",
        "nn.Linear(2 * hidden_dim, hidden_dim, bias=False)\n",
    ),
    Mutant("one-direction", ", bidirectional=True", ""),
    Mutant(
        "two-layers",
        "hidden_dim, batch_first=True, bidirectional=True",
        "hidden_dim, num_layers=2, batch_first=True, bidirectional=True",
    ),
    Mutant(
        "lstm",
        "nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)",
        "nn.LSTM(emb_dim, hidden_dim, batch_first=True, bidirectional=True)",
    ),
    Mutant(
        "dropout",
        "            self.embedding(src), lengths.cpu()",
        "            F.dropout(self.embedding(src), 0.3, self.training), lengths.cpu()",
    ),
    Mutant(
        "dropout-always",
        "            self.embedding(src), lengths.cpu()",
        "            F.dropout(self.embedding(src), 0.3), lengths.cpu()",
    ),
    Mutant(
        "padding-idx",
        "nn.Embedding(vocab_size, emb_dim)",
        "nn.Embedding(vocab_size, emb_dim, padding_idx=0)",
    ),
    Mutant(
        "sparse-embedding-scaled",
        "            self.embedding(src), lengths.cpu()",
        "            self.embedding(src) * 1.001, lengths.cpu()",
    ),
    Mutant("detached-encoder", BRIDGE, BRIDGE.replace("return states", "return states.detach()")),
    Mutant(
        "detached-first-state",
        BRIDGE,
        BRIDGE.replace("last[1]], dim=-1)))", "last[1]], dim=-1))).detach()"),
    ),
    Mutant(
        "returns-swapped-encoder",
        BRIDGE,
        "        return torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1))), states\n",
    ),
    Mutant(
        "encoder-no-grad",
        ENCODE,
        "        with torch.no_grad():\n" + "".join(f"    {line}\n" for line in ENCODE.splitlines()),
    ),
    Mutant(
        "src-clamped-in-place",
        "        packed = pack",
        "        src[~real_tokens(src, lengths)] = 0\n        packed = pack",
    ),
    Mutant(
        "first-state-squeezed",
        BRIDGE,
        BRIDGE.replace("last[1]], dim=-1)))", "last[1]], dim=-1))).squeeze(0)"),
    ),
)

MUTANTS: tuple[Mutant, ...] = (
    *ATTEND,
    *ENCODER,
    *DECODERS,
    *MODEL,
    *GREEDY,
    *BEAM,
    *FIXED,
    *TRAIN,
    *BLEU,
)
