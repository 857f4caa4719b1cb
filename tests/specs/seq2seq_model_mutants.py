"""Wrong translators, one mistake each: the decoders' steps and the model around them."""

from __future__ import annotations

from tests.specs.mutants import Mutant

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
CARRY = (
    "        carry = [first, torch.zeros_like(first)]"
    " if isinstance(self.decoder, LuongDecoder) else [first]\n"
)
START = "        return states, real_tokens(src, src_lengths), carry\n"
FORCED = "        for token in tgt_in.unbind(dim=1):\n"
STEP = "            logits, *carry, weights = self.decoder.step(token, *carry, states, mask)\n"
STACK = "        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)\n"
KEEP = "        self.encoder, self.decoder = encoder, decoder\n"
IDS = "        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id\n"

DECODERS = (
    Mutant(
        "query-after-step",
        STEP_B,
        f"""        {SCORE_B}
        context, weights = attend(scores, mask, encoder_states)
        inputs = torch.cat([self.embedding(token), context], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
        {SCORE_B}
        context, weights = attend(scores, mask, encoder_states)
""",
    ),
    Mutant(
        "context-missing-from-output",
        OUT_B,
        OUT_B.replace("[state, context]", "[state, torch.zeros_like(context)]"),
    ),
    Mutant("output-order-swapped", OUT_B, OUT_B.replace("[state, context]", "[context, state]")),
    Mutant(
        "old-state-in-output",
        OUT_B,
        OUT_B.replace("[state,", "[old,"),
        also=(("        scores = self.v(", "        old = state\n        scores = self.v("),),
    ),
    Mutant("input-order-swapped", "[self.embedding(token), context]", "[context, self.embedding(token)]"),
    Mutant(
        "context-missing-from-input",
        "[self.embedding(token), context]",
        "[self.embedding(token), torch.zeros_like(context)]",
    ),
    Mutant(
        "state-not-carried-in-step",
        "state.unsqueeze(0).contiguous()",
        "torch.zeros_like(state).unsqueeze(0)",
    ),
    Mutant(
        "state-not-returned",
        OUT_B,
        OUT_B.replace("state, weights", "old, weights"),
        also=(("        scores = self.v(", "        old = state\n        scores = self.v("),),
    ),
    Mutant(
        "missing-decoder-term",
        "self.W_s(state).unsqueeze(1) + self.W_h(encoder_states)",
        "self.W_h(encoder_states) + 0 * self.W_s(state).unsqueeze(1)",
    ),
    Mutant(
        "missing-encoder-term",
        "self.W_s(state).unsqueeze(1) + self.W_h(encoder_states)",
        "self.W_s(state).unsqueeze(1) + 0 * self.W_h(encoder_states)",
    ),
    Mutant(
        "missing-tanh",
        "torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))",
        "(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))",
    ),
    Mutant("wrong-activation", "torch.tanh(self.W_s", "torch.relu(self.W_s"),
    Mutant("extra-bias", "self.v = nn.Linear(attn_dim, 1, bias=False)", "self.v = nn.Linear(attn_dim, 1)"),
    Mutant(
        "out-without-bias",
        "nn.Linear(hidden_dim + enc_dim, vocab_size)\n",
        "nn.Linear(hidden_dim + enc_dim, vocab_size, bias=False)\n",
    ),
    Mutant(
        "context-from-projections",
        "context, weights = attend(scores, mask, encoder_states)\n        inputs",
        "context, weights = attend(scores, mask, encoder_states.roll(1, 1))\n        inputs",
    ),
    Mutant("squeeze-drops-batch", SCORE_B, SCORE_B.replace(".squeeze(-1)", ".squeeze()")),
    Mutant(
        "log-probs-for-logits",
        OUT_B,
        OUT_B.replace(
            "self.out(torch.cat([state, context], dim=-1))",
            "self.out(torch.cat([state, context], dim=-1)).log_softmax(-1)",
        ),
    ),
    Mutant(
        "probabilities-for-logits",
        "self.out(attentional), state",
        "self.out(attentional).softmax(-1), state",
    ),
    Mutant("returns-swapped-step", OUT_B, OUT_B.replace(", state, weights", ", weights, state")),
    Mutant(
        "mask-argument-renamed",
        "def step(self, token, state, encoder_states, mask):",
        "def step(self, token, state, mask, encoder_states):",
    ),
    Mutant("query-before-step", GRU_L + SCORE_L, SCORE_L + GRU_L),
    Mutant("no-input-feeding", INPUT_L, INPUT_L.replace("fed]", "torch.zeros_like(fed)]")),
    Mutant("feeds-state", INPUT_L, INPUT_L.replace("fed]", "state]")),
    Mutant(
        "general-transposed",
        "self.W_a(encoder_states), state.unsqueeze(2)",
        "encoder_states, (state @ self.W_a.weight).roll(1, 1).unsqueeze(2)",
    ),
    Mutant(
        "cosine-not-dot",
        "self.W_a(encoder_states), state.unsqueeze(2)",
        "F.normalize(self.W_a(encoder_states), dim=-1), F.normalize(state, dim=-1).unsqueeze(2)",
    ),
    Mutant("concat-order-swapped", "[context, state]", "[state, context]"),
    Mutant(
        "attentional-missing-tanh",
        JOIN_L,
        "        attentional = self.W_c(torch.cat([context, state], dim=-1))\n",
    ),
    Mutant("out-of-state", OUT_L, OUT_L.replace("self.out(attentional)", "self.out(state)")),
    Mutant("returns-swapped-luong", OUT_L, OUT_L.replace("state, attentional", "attentional, state")),
    Mutant("fed-not-returned", OUT_L, OUT_L.replace("state, attentional", "state, fed")),
    Mutant(
        "luong-scale",
        "state.unsqueeze(2)).squeeze(2)",
        "state.unsqueeze(2)).squeeze(2) / state.size(-1) ** 0.5",
    ),
    Mutant(
        "luong-weights-detached",
        OUT_L,
        OUT_L.replace("attentional, weights", "attentional, weights.detach()"),
    ),
    Mutant("luong-state-changed", GRU_L, GRU_L + "        fed.zero_()\n"),
    Mutant("embedding-detached", "[self.embedding(token), fed]", "[self.embedding(token).detach(), fed]"),
    Mutant("rounded-state", "attentional = torch.tanh(", "attentional = torch.tanh(0.999 * "),
)

MODEL = (
    Mutant(
        "attribute-names",
        KEEP,
        "        self.enc, self.dec = encoder, decoder\n",
        also=(
            ("self.encoder(", "self.enc("),
            ("self.decoder.", "self.dec."),
            ("self.decoder,", "self.dec,"),
            (
                "class FixedContextSeq2Seq(nn.Module):",
                "class FixedContextSeq2Seq(nn.Module):\n    enc = property(lambda self: self.encoder)\n",
            ),
        ),
    ),
    Mutant(
        "kept-as-list",
        KEEP,
        "        self.both = [encoder, decoder]\n",
        also=(
            ("self.decoder", "self.both[1]"),
            (
                "class FixedContextSeq2Seq",
                "Seq2Seq.encoder = property(lambda self: self.both[0])\n\n\nclass FixedContextSeq2Seq",
            ),
        ),
    ),
    Mutant(
        "constructor-order",
        "def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):",
        "def __init__(self, encoder, decoder, bos_id, eos_id, pad_id):",
    ),
    Mutant(
        "extra-argument-required",
        'def forward(self, src, src_lengths, tgt_in):\n        """Teacher forcing: step',
        'def forward(self, src, src_lengths, tgt_in, tgt_lengths):\n        """Teacher forcing: step',
    ),
    Mutant("fed-starts-from-state", CARRY, CARRY.replace("torch.zeros_like(first)", "first")),
    Mutant("state-starts-at-zero", CARRY, "        first = torch.zeros_like(first)\n" + CARRY),
    Mutant("state-not-carried", STEP, STEP.replace("*carry, weights", "*_, weights"), also=()),
    Mutant(
        "fed-not-carried",
        STEP,
        STEP.replace("logits, *carry, weights", "logits, state, *_, weights")
        + "            carry[0] = state\n",
    ),
    Mutant(
        "teacher-forcing-shifted",
        FORCED,
        "        for token in torch.roll(tgt_in, 1, 1).unbind(dim=1):\n",
    ),
    Mutant(
        "teacher-forcing-ahead",
        FORCED,
        "        for token in torch.roll(tgt_in, -1, 1).unbind(dim=1):\n",
    ),
    Mutant(
        "bos-put-first",
        FORCED,
        "        for token in torch.cat([torch.full_like(tgt_in[:, :1], self.bos_id), tgt_in[:, :-1]], "
        "1).unbind(dim=1):\n",
    ),
    Mutant(
        "own-words-fed",
        STEP,
        STEP.replace("step(token,", "step(steps[-1][0].argmax(-1) if steps else token,"),
    ),
    Mutant("one-step-less", FORCED, "        for token in tgt_in[:, :-1].unbind(dim=1):\n"),
    Mutant(
        "stops-at-eos",
        FORCED,
        FORCED + "            if steps and (token == self.eos_id).any():\n                break\n",
    ),
    Mutant("time-first", STACK, STACK.replace("dim=1", "dim=0")),
    Mutant("weights-transposed", STACK, STACK.replace("all_weights, dim=1", "all_weights, dim=2")),
    Mutant(
        "weights-forgotten",
        STACK,
        "        return torch.stack(all_logits, dim=1)\n",
        also=(("output[0] if isinstance(output, tuple) else output", "output"),),
    ),
    Mutant(
        "returns-swapped",
        STACK,
        "        return torch.stack(all_weights, dim=1), torch.stack(all_logits, dim=1)\n",
        also=(("output[0] if isinstance(output, tuple)", "output[1] if isinstance(output, tuple)"),),
    ),
    Mutant(
        "weights-detached",
        STACK,
        STACK.replace("torch.stack(all_weights, dim=1)", "torch.stack(all_weights, dim=1).detach()"),
    ),
    Mutant(
        "log-softmax-logits",
        STACK,
        STACK.replace("torch.stack(all_logits, dim=1),", "torch.stack(all_logits, dim=1).log_softmax(-1),"),
    ),
    Mutant(
        "mask-all-true",
        START,
        START.replace("real_tokens(src, src_lengths)", "torch.ones_like(src, dtype=torch.bool)"),
    ),
    Mutant("mask-from-pad-id", START, START.replace("real_tokens(src, src_lengths)", "src != self.pad_id")),
    Mutant(
        "eval-and-stays",
        "        states, first = self.encoder(src, src_lengths)\n        carry",
        "        self.eval()\n        states, first = self.encoder(src, src_lengths)\n        carry",
    ),
    Mutant(
        "stateful-fed",
        CARRY,
        "        fed = getattr(self, 'fed', None)\n        if fed is None or fed.shape != first.shape:\n"
        "            fed = torch.zeros_like(first)\n        carry = [first, fed] if "
        "isinstance(self.decoder, LuongDecoder) else [first]\n",
        also=(
            (
                FORCED + STEP,
                FORCED
                + STEP
                + "            if len(carry) > 1:\n                self.fed = carry[1].detach()\n",
            ),
        ),
    ),
    Mutant(
        "cached-encoder",
        "        states, first = self.encoder(src, src_lengths)\n",
        "        if not hasattr(self, 'seen'):\n            self.seen = self.encoder(src, src_lengths)\n"
        "        states, first = self.seen\n",
    ),
    Mutant("bahdanau-only", CARRY, "        carry = [first]\n"),
    Mutant(
        "first-sentence-for-all",
        FORCED,
        "        for token in tgt_in[:1].expand_as(tgt_in).unbind(dim=1):\n",
    ),
    Mutant(
        "persistent-buffer",
        IDS + "        ### END SOLUTION\n\n    def start",
        IDS + "        self.register_buffer('ids', torch.tensor([pad_id, bos_id, eos_id]))\n"
        "        ### END SOLUTION\n\n    def start",
    ),
    Mutant("dtype-hardcoded", STACK, STACK.replace("all_logits, dim=1)", "all_logits, dim=1).float()")),
)
