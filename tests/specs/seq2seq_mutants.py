"""Wrong translators: one mistake each. The decoding and the training are in ``seq2seq_search_mutants``."""

from __future__ import annotations

from tests.specs.mutants import Mutant
from tests.specs.seq2seq_search_mutants import SEARCH_MUTANTS

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
SCORE_B = "scores = self.v(torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(-1)"
STEP_B = f"""        {SCORE_B}
        context, weights = attend(scores, mask, encoder_states)
        inputs = torch.cat([self.embedding(token), context], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
"""
OUT_B = "        return self.out(torch.cat([state, context], dim=-1)), state, weights\n"
INPUT_L = "        inputs = torch.cat([self.embedding(token), fed], dim=-1).unsqueeze(1)\n"
GRU_L = INPUT_L + "        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)\n"
SCORE_L = "        scores = torch.bmm(self.W_a(encoder_states), state.unsqueeze(2)).squeeze(2)\n"
JOIN_L = "        attentional = torch.tanh(self.W_c(torch.cat([context, state], dim=-1)))\n"
OUT_L = "        return self.out(attentional), state, attentional, weights\n"
CARRY = "        carry = [first, torch.zeros_like(first)] if isinstance(self.decoder, LuongDecoder) else [first]\n"
START = "        return states, real_tokens(src, src_lengths), carry\n"
FORCED = "        for token in tgt_in.unbind(dim=1):\n"
STEP = "            logits, *carry, weights = self.decoder.step(token, *carry, states, mask)\n"
STACK = "        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)\n"
KEEP = "        self.encoder, self.decoder = encoder, decoder\n"
IDS = "        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id\n"

ATTEND = (
    Mutant("mask-not-used", HIDDEN, "    hidden = scores\n", also=((".masked_fill(~mask, 0.0)", ""),)),
    Mutant("mask-inverted", "~mask", "mask"),
    Mutant("mask-after-softmax", HIDDEN, "    hidden = scores\n"),
    Mutant("mask-multiplies-scores", "scores.masked_fill(~mask, torch.finfo(scores.dtype).min)", "scores * mask"),
    Mutant("mask-multiplies-scores-only", HIDDEN + WEIGHTS, "    weights = torch.softmax(scores * mask, dim=-1)\n"),
    Mutant("mask-leaks", HIDDEN + WEIGHTS,
           "    weights = torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)\n"),
    Mutant("mask-leaks-slightly", HIDDEN + WEIGHTS,
           "    weights = torch.softmax(scores.masked_fill(~mask, -20.0), dim=-1)\n"),
    Mutant("mask-adds-little", HIDDEN + WEIGHTS,
           "    weights = torch.softmax(scores - 1e4 * ~mask, dim=-1)\n"),
    Mutant("nan-on-masked-row", HIDDEN + WEIGHTS,
           "    weights = torch.softmax(scores.masked_fill(~mask, float('-inf')), dim=-1)\n"),
    Mutant("uniform-on-masked-row", WEIGHTS, "    weights = torch.softmax(hidden, dim=-1)\n"),
    Mutant("nan-in-gradient", HIDDEN + WEIGHTS,
           "    weights = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)\n"
           "    weights = torch.where(mask, weights, torch.zeros_like(weights))\n"),
    Mutant("softmax-wrong-axis", "torch.softmax(hidden, dim=-1)", "torch.softmax(hidden, dim=0)"),
    Mutant("missing-softmax", "torch.softmax(hidden, dim=-1)", "scores"),
    Mutant("not-softmax", "torch.softmax(hidden, dim=-1)", "torch.sigmoid(scores)"),
    Mutant("softmax-unstable", HIDDEN + WEIGHTS,
           "    weights = torch.exp(scores) * mask\n    weights = weights / weights.sum(-1, keepdim=True)\n"),
    Mutant("softmax-of-all-maxima", HIDDEN + WEIGHTS,
           "    weights = torch.exp(scores - scores.max(-1, keepdim=True).values) * mask\n"
           "    weights = weights / weights.sum(-1, keepdim=True)\n"),
    Mutant("hard-attention", WEIGHTS, "    weights = F.one_hot(hidden.argmax(-1), hidden.size(-1)).to(scores.dtype)\n"),
    Mutant("uniform-attention", HIDDEN, "    hidden = torch.zeros_like(scores).masked_fill(~mask, -1e30)\n"),
    Mutant("scaled-scores", HIDDEN, HIDDEN.replace("scores.", "(scores / encoder_states.size(-1) ** 0.5).", 1)),
    Mutant("detached-weights", CONTEXT, CONTEXT.replace("weights\n", "weights.detach()\n")),
    Mutant("detached-context", "torch.bmm(weights.", "torch.bmm(weights.detach()."),
    Mutant("context-mean", CONTEXT, CONTEXT.replace(".squeeze(1)", ".squeeze(1) / encoder_states.size(1)")),
    Mutant("padding-off-by-one", REAL, REAL.replace("<", "<=")),
    Mutant("padding-short-by-one", REAL, REAL.replace("<", "< -1 +")),
    Mutant("mask-from-ids", REAL, "    return tokens != 0\n"),
    Mutant("float32-softmax", "torch.softmax(hidden, dim=-1)",
           "torch.softmax(hidden.float().clamp(min=-1e38), dim=-1).to(hidden.dtype)"),
    Mutant("mask-changed-in-place", HIDDEN + WEIGHTS,
           "    mask.logical_not_()\n"
           "    hidden = scores.masked_fill(mask, torch.finfo(scores.dtype).min)\n"
           "    weights = torch.softmax(hidden, dim=-1).masked_fill(mask, 0.0)\n"),
)

ENCODER = (
    Mutant("padding-changes-state", ENCODE, """        states, last = self.rnn(self.embedding(src))
        states = states * real_tokens(src, lengths).unsqueeze(-1)
"""),
    Mutant("padded-embedding-zeroed", ENCODE, """        mask = real_tokens(src, lengths).unsqueeze(-1)
        states, last = self.rnn(self.embedding(src) * mask)
        states = states * mask
"""),
    Mutant("states-not-zero-at-padding", ENCODE, """        states, _ = self.rnn(self.embedding(src))
        packed = pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        good, last = self.rnn(packed)
        good, _ = pad_packed_sequence(good, batch_first=True, total_length=src.size(1))
        states = torch.where(real_tokens(src, lengths).unsqueeze(-1), good, states)
"""),
    Mutant("width-of-longest", "total_length=src.size(1)", "total_length=None"),
    Mutant("padded-with-minus-one", "total_length=src.size(1))", "total_length=src.size(1), padding_value=-1.0)"),
    Mutant("sorted-assumed", "enforce_sorted=False", "enforce_sorted=True"),
    Mutant("sorted-not-undone", ENCODE, """        sorted_lengths, order = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.embedding(src[order]), sorted_lengths, batch_first=True)
        outputs, last = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        states = states[order.argsort()]
"""),
    Mutant("sorted-undone-by-order", ENCODE, """        sorted_lengths, order = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.embedding(src[order]), sorted_lengths, batch_first=True)
        outputs, last = self.rnn(packed)
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        states, last = states[order], last[:, order]
"""),
    Mutant("lengths-from-ids", "lengths.cpu()", "(src != 0).sum(1).clamp(min=1).cpu()"),
    Mutant("wrong-final-state-last-column", "torch.cat([last[0], last[1]], dim=-1)", "states[:, -1]"),
    Mutant("wrong-final-state-last-word", "torch.cat([last[0], last[1]], dim=-1)",
           "states[torch.arange(src.size(0)), lengths - 1]"),
    Mutant("wrong-final-state-first-word", "torch.cat([last[0], last[1]], dim=-1)", "states[:, 0]"),
    Mutant("wrong-final-state-forward-only", "torch.cat([last[0], last[1]], dim=-1)",
           "torch.cat([last[0], last[0]], dim=-1)"),
    Mutant("wrong-final-state-swapped", "[last[0], last[1]]", "[last[1], last[0]]"),
    Mutant("wrong-final-state-view", "torch.cat([last[0], last[1]], dim=-1)", "last.reshape(src.size(0), -1)"),
    Mutant("wrong-final-state-mean", "torch.cat([last[0], last[1]], dim=-1)", "states.mean(1)"),
    Mutant("missing-tanh-in-bridge", "torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))",
           "self.bridge(torch.cat([last[0], last[1]], dim=-1))"),
    Mutant("wrong-activation-in-bridge", "torch.tanh(self.bridge", "torch.relu(self.bridge"),
    Mutant("missing-bridge", "torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))", "last[0]"),
    Mutant("bridge-without-bias", "nn.Linear(2 * hidden_dim, hidden_dim)\n",
           "nn.Linear(2 * hidden_dim, hidden_dim, bias=False)\n"),
    Mutant("one-direction", ", bidirectional=True", ""),
    Mutant("two-layers", "hidden_dim, batch_first=True, bidirectional=True", "hidden_dim, num_layers=2, batch_first=True, bidirectional=True"),
    Mutant("lstm", "nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)",
           "nn.LSTM(emb_dim, hidden_dim, batch_first=True, bidirectional=True)"),
    Mutant("dropout", "            self.embedding(src), lengths.cpu()", "            F.dropout(self.embedding(src), 0.3, self.training), lengths.cpu()"),
    Mutant("dropout-always", "            self.embedding(src), lengths.cpu()", "            F.dropout(self.embedding(src), 0.3), lengths.cpu()"),
    Mutant("padding-idx", "nn.Embedding(vocab_size, emb_dim)", "nn.Embedding(vocab_size, emb_dim, padding_idx=0)"),
    Mutant("sparse-embedding-scaled", "            self.embedding(src), lengths.cpu()", "            self.embedding(src) * 1.001, lengths.cpu()"),
    Mutant("detached-encoder", BRIDGE, BRIDGE.replace("return states", "return states.detach()")),
    Mutant("detached-first-state", BRIDGE, BRIDGE.replace("last[1]], dim=-1)))", "last[1]], dim=-1))).detach()")),
    Mutant("returns-swapped-encoder", BRIDGE, "        return torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1))), states\n"),
    Mutant("encoder-no-grad", ENCODE, "        with torch.no_grad():\n" + "".join(f"    {line}\n" for line in ENCODE.splitlines())),
    Mutant("src-clamped-in-place", "        packed = pack", "        src[~real_tokens(src, lengths)] = 0\n        packed = pack"),
    Mutant("first-state-squeezed", BRIDGE, BRIDGE.replace("last[1]], dim=-1)))", "last[1]], dim=-1))).squeeze(0)")),
)

DECODERS = (
    Mutant("query-after-step", STEP_B, f"""        {SCORE_B}
        context, weights = attend(scores, mask, encoder_states)
        inputs = torch.cat([self.embedding(token), context], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
        {SCORE_B}
        context, weights = attend(scores, mask, encoder_states)
"""),
    Mutant("context-missing-from-output", OUT_B, OUT_B.replace("[state, context]", "[state, torch.zeros_like(context)]")),
    Mutant("output-order-swapped", OUT_B, OUT_B.replace("[state, context]", "[context, state]")),
    Mutant("old-state-in-output", OUT_B, OUT_B.replace("[state,", "[old,"),
           also=(("        scores = self.v(", "        old = state\n        scores = self.v("),)),
    Mutant("input-order-swapped", "[self.embedding(token), context]", "[context, self.embedding(token)]"),
    Mutant("context-missing-from-input", "[self.embedding(token), context]",
           "[self.embedding(token), torch.zeros_like(context)]"),
    Mutant("state-not-carried-in-step", "state.unsqueeze(0).contiguous()", "torch.zeros_like(state).unsqueeze(0)"),
    Mutant("state-not-returned", OUT_B, OUT_B.replace("state, weights", "old, weights"),
           also=(("        scores = self.v(", "        old = state\n        scores = self.v("),)),
    Mutant("missing-decoder-term", "self.W_s(state).unsqueeze(1) + self.W_h(encoder_states)", "self.W_h(encoder_states) + 0 * self.W_s(state).unsqueeze(1)"),
    Mutant("missing-encoder-term", "self.W_s(state).unsqueeze(1) + self.W_h(encoder_states)", "self.W_s(state).unsqueeze(1) + 0 * self.W_h(encoder_states)"),
    Mutant("missing-tanh", "torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))", "(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))"),
    Mutant("wrong-activation", "torch.tanh(self.W_s", "torch.relu(self.W_s"),
    Mutant("extra-bias", "self.v = nn.Linear(attn_dim, 1, bias=False)", "self.v = nn.Linear(attn_dim, 1)"),
    Mutant("out-without-bias", "nn.Linear(hidden_dim + enc_dim, vocab_size)\n", "nn.Linear(hidden_dim + enc_dim, vocab_size, bias=False)\n"),
    Mutant("context-from-projections", "context, weights = attend(scores, mask, encoder_states)\n        inputs",
           "context, weights = attend(scores, mask, encoder_states.roll(1, 1))\n        inputs"),
    Mutant("squeeze-drops-batch", SCORE_B, SCORE_B.replace(".squeeze(-1)", ".squeeze()")),
    Mutant("log-probs-for-logits", OUT_B, OUT_B.replace("self.out(torch.cat([state, context], dim=-1))", "self.out(torch.cat([state, context], dim=-1)).log_softmax(-1)")),
    Mutant("probabilities-for-logits", "self.out(attentional), state", "self.out(attentional).softmax(-1), state"),
    Mutant("returns-swapped-step", OUT_B, OUT_B.replace(", state, weights", ", weights, state")),
    Mutant("mask-argument-renamed", "def step(self, token, state, encoder_states, mask):", "def step(self, token, state, mask, encoder_states):"),
    Mutant("query-before-step", GRU_L + SCORE_L, SCORE_L + GRU_L),
    Mutant("no-input-feeding", INPUT_L, INPUT_L.replace("fed]", "torch.zeros_like(fed)]")),
    Mutant("feeds-state", INPUT_L, INPUT_L.replace("fed]", "state]")),
    Mutant("general-transposed", "self.W_a(encoder_states), state.unsqueeze(2)", "encoder_states, (state @ self.W_a.weight).roll(1, 1).unsqueeze(2)"),
    Mutant("cosine-not-dot", "self.W_a(encoder_states), state.unsqueeze(2)", "F.normalize(self.W_a(encoder_states), dim=-1), F.normalize(state, dim=-1).unsqueeze(2)"),
    Mutant("concat-order-swapped", "[context, state]", "[state, context]"),
    Mutant("attentional-missing-tanh", JOIN_L, "        attentional = self.W_c(torch.cat([context, state], dim=-1))\n"),
    Mutant("out-of-state", OUT_L, OUT_L.replace("self.out(attentional)", "self.out(state)")),
    Mutant("returns-swapped-luong", OUT_L, OUT_L.replace("state, attentional", "attentional, state")),
    Mutant("fed-not-returned", OUT_L, OUT_L.replace("state, attentional", "state, fed")),
    Mutant("luong-scale", "state.unsqueeze(2)).squeeze(2)", "state.unsqueeze(2)).squeeze(2) / state.size(-1) ** 0.5"),
    Mutant("luong-weights-detached", OUT_L, OUT_L.replace("attentional, weights", "attentional, weights.detach()")),
    Mutant("luong-state-changed", GRU_L, GRU_L + "        fed.zero_()\n"),
    Mutant("embedding-detached", "[self.embedding(token), fed]", "[self.embedding(token).detach(), fed]"),
    Mutant("rounded-state", "attentional = torch.tanh(", "attentional = torch.tanh(0.999 * "),
)

MODEL = (
    Mutant("attribute-names", KEEP, "        self.enc, self.dec = encoder, decoder\n", also=(("self.encoder(", "self.enc("), ("self.decoder.", "self.dec."), ("self.decoder,", "self.dec,"), ("class FixedContextSeq2Seq(nn.Module):", "class FixedContextSeq2Seq(nn.Module):\n    enc = property(lambda self: self.encoder)\n"))),
    Mutant("kept-as-list", KEEP, "        self.both = [encoder, decoder]\n", also=(("self.decoder", "self.both[1]"), ("class FixedContextSeq2Seq", "Seq2Seq.encoder = property(lambda self: self.both[0])\n\n\nclass FixedContextSeq2Seq"))),
    Mutant("constructor-order", "def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):", "def __init__(self, encoder, decoder, bos_id, eos_id, pad_id):"),
    Mutant("extra-argument-required", "def forward(self, src, src_lengths, tgt_in):\n        \"\"\"Teacher forcing: step", "def forward(self, src, src_lengths, tgt_in, tgt_lengths):\n        \"\"\"Teacher forcing: step"),
    Mutant("fed-starts-from-state", CARRY, CARRY.replace("torch.zeros_like(first)", "first")),
    Mutant("state-starts-at-zero", CARRY, "        first = torch.zeros_like(first)\n" + CARRY),
    Mutant("state-not-carried", STEP, STEP.replace("*carry, weights", "*_, weights"), also=()),
    Mutant("fed-not-carried", STEP, STEP.replace("logits, *carry, weights", "logits, state, *_, weights") + "            carry[0] = state\n"),
    Mutant("teacher-forcing-shifted", FORCED, "        for token in torch.roll(tgt_in, 1, 1).unbind(dim=1):\n"),
    Mutant("teacher-forcing-ahead", FORCED, "        for token in torch.roll(tgt_in, -1, 1).unbind(dim=1):\n"),
    Mutant("bos-put-first", FORCED, "        for token in torch.cat([torch.full_like(tgt_in[:, :1], self.bos_id), tgt_in[:, :-1]], 1).unbind(dim=1):\n"),
    Mutant("own-words-fed", STEP, STEP.replace("step(token,", "step(steps[-1][0].argmax(-1) if steps else token,")),
    Mutant("one-step-less", FORCED, "        for token in tgt_in[:, :-1].unbind(dim=1):\n"),
    Mutant("stops-at-eos", FORCED, FORCED + "            if steps and (token == self.eos_id).any():\n                break\n"),
    Mutant("time-first", STACK, STACK.replace("dim=1", "dim=0")),
    Mutant("weights-transposed", STACK, STACK.replace("all_weights, dim=1", "all_weights, dim=2")),
    Mutant("weights-forgotten", STACK, "        return torch.stack(all_logits, dim=1)\n", also=(("output[0] if isinstance(output, tuple) else output", "output"),)),
    Mutant("returns-swapped", STACK, "        return torch.stack(all_weights, dim=1), torch.stack(all_logits, dim=1)\n", also=(("output[0] if isinstance(output, tuple)", "output[1] if isinstance(output, tuple)"),)),
    Mutant("weights-detached", STACK, STACK.replace("torch.stack(all_weights, dim=1)", "torch.stack(all_weights, dim=1).detach()")),
    Mutant("log-softmax-logits", STACK, STACK.replace("torch.stack(all_logits, dim=1),", "torch.stack(all_logits, dim=1).log_softmax(-1),")),
    Mutant("mask-all-true", START, START.replace("real_tokens(src, src_lengths)", "torch.ones_like(src, dtype=torch.bool)")),
    Mutant("mask-from-pad-id", START, START.replace("real_tokens(src, src_lengths)", "src != self.pad_id")),
    Mutant("eval-and-stays", "        states, first = self.encoder(src, src_lengths)\n        carry", "        self.eval()\n        states, first = self.encoder(src, src_lengths)\n        carry"),
    Mutant("stateful-fed", CARRY, "        fed = getattr(self, 'fed', None)\n        if fed is None or fed.shape != first.shape:\n            fed = torch.zeros_like(first)\n        carry = [first, fed] if isinstance(self.decoder, LuongDecoder) else [first]\n", also=((FORCED + STEP, FORCED + STEP + "            if len(carry) > 1:\n                self.fed = carry[1].detach()\n"),)),
    Mutant("cached-encoder", "        states, first = self.encoder(src, src_lengths)\n", "        if not hasattr(self, 'seen'):\n            self.seen = self.encoder(src, src_lengths)\n        states, first = self.seen\n"),
    Mutant("bahdanau-only", CARRY, "        carry = [first]\n"),
    Mutant("first-sentence-for-all", FORCED, "        for token in tgt_in[:1].expand_as(tgt_in).unbind(dim=1):\n"),
    Mutant("persistent-buffer", IDS + "        ### END SOLUTION\n\n    def start", IDS + "        self.register_buffer('ids', torch.tensor([pad_id, bos_id, eos_id]))\n        ### END SOLUTION\n\n    def start"),
    Mutant("dtype-hardcoded", STACK, STACK.replace("all_logits, dim=1)", "all_logits, dim=1).float()")),
)

MUTANTS: tuple[Mutant, ...] = (*ATTEND, *ENCODER, *DECODERS, *MODEL, *SEARCH_MUTANTS)
