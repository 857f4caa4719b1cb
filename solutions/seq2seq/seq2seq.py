# %% [markdown]
# # Assignment 5: A translator
#
# Here you put everything together: an encoder, two decoders that attend to it, training, two ways to decode
# and one way to score the translations. Tokens and lengths are int64. The lengths say which positions are
# real, never an id.

# %%
import math
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# %% [markdown]
# ## 1. Attention under a mask, and the encoder
#
# Reuse your masked softmax. Then read the source in both directions, so that the state of a word depends on
# the words on both sides. The backward direction must start at the sentence's last *word*, not at the
# padding.


# %%
def attend(scores, mask, encoder_states):
    """Masked softmax and context; a helper: change or drop it as you like.

    (B, T_s) scores, (B, T_s) bool, (B, T_s, enc_dim) -> context (B, enc_dim), weights (B, T_s).
    """
    ### BEGIN SOLUTION: weights exactly 0 where the mask is False, then the weighted sum
    hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)
    return torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1), weights
    ### END SOLUTION


def real_tokens(tokens, lengths):
    """(B, T), (B,) -> (B, T) bool, True at real tokens; a helper, like ``attend``."""
    ### BEGIN SOLUTION: compare positions with lengths, on the device of the tokens
    positions = torch.arange(tokens.size(1), device=tokens.device)
    return positions < lengths.to(tokens.device).unsqueeze(1)
    ### END SOLUTION


class Encoder(nn.Module):
    """Bidirectional GRU over the source; s_0 = tanh(bridge([last forward; last backward]))."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        """Make ``embedding``, ``rnn`` (bidirectional, batch first) and ``bridge``.

        bridge: Linear from 2 * hidden_dim to hidden_dim, with bias.
        """
        ### BEGIN SOLUTION: super().__init__() first, then embedding, rnn and bridge
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)
        ### END SOLUTION

    def forward(self, src, lengths):
        """Encode (B, T_s) tokens of which the first ``lengths[b]`` are real, in any order.

        Returns:
            states (B, T_s, 2 * hidden_dim), zero at padding, and the decoder's first state
            (B, hidden_dim), the same whatever padding follows.
        """
        ### BEGIN SOLUTION: pack, run, unpack to the full width of src, bridge
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, last = self.rnn(packed)  # last: (2, B, hidden_dim), forward and backward
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        return states, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        ### END SOLUTION


# %% [markdown]
# ## 2. Two decoders
#
# Bahdanau attends with $s_{t-1}$, the state **before** the step, and feeds the context to the GRU. Luong runs
# the GRU first, attends with $s_t$, the state **after** it, and feeds the attentional state to the *next*
# step (input feeding).


# %%
class BahdanauDecoder(nn.Module):
    """e_j = v^T tanh(W_s s_{t-1} + W_h h_j); s_t = GRU([y_{t-1}; c_t], s_{t-1})."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        """Make ``embedding``, ``W_s``, ``W_h``, ``v`` (no bias), ``rnn`` and ``out`` (with bias).

        rnn: batch-first GRU(emb_dim + enc_dim, hidden_dim); out: hidden_dim + enc_dim -> vocab_size.
        """
        ### BEGIN SOLUTION: super().__init__() first, then the six layers
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_s = nn.Linear(hidden_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.rnn = nn.GRU(emb_dim + enc_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim + enc_dim, vocab_size)
        ### END SOLUTION

    def step(self, token, state, encoder_states, mask):
        """One word: (B,), (B, hidden_dim), (B, T_s, enc_dim), (B, T_s) bool.

        Returns:
            logits (B, vocab_size) = out([new state; context]), new state (B, hidden_dim) and
            weights (B, T_s).
        """
        ### BEGIN SOLUTION: attend with the old state, run the GRU, predict
        scores = self.v(torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(-1)
        context, weights = attend(scores, mask, encoder_states)
        inputs = torch.cat([self.embedding(token), context], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
        return self.out(torch.cat([state, context], dim=-1)), state, weights
        ### END SOLUTION


class LuongDecoder(nn.Module):
    """s_t = GRU([y_{t-1}; fed], s_{t-1}); e_j = s_t^T W_a h_j; attentional = tanh(W_c [c_t; s_t])."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        """Make ``embedding``, ``W_a``, ``W_c`` (no bias), ``rnn`` and ``out`` (with bias).

        W_a: enc_dim -> hidden_dim; W_c: enc_dim + hidden_dim -> hidden_dim;
        rnn: batch-first GRU(emb_dim + hidden_dim, hidden_dim); out: hidden_dim -> vocab_size.
        """
        ### BEGIN SOLUTION: super().__init__() first, then the five layers
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.W_a = nn.Linear(enc_dim, hidden_dim, bias=False)
        self.W_c = nn.Linear(enc_dim + hidden_dim, hidden_dim, bias=False)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(hidden_dim, vocab_size)
        ### END SOLUTION

    def step(self, token, state, fed, encoder_states, mask):
        """One word; ``fed`` (B, hidden_dim) is the previous attentional state, zeros at first.

        Returns:
            logits (B, vocab_size) = out(attentional), new state (B, hidden_dim),
            attentional (B, hidden_dim) and weights (B, T_s).
        """
        ### BEGIN SOLUTION: run the GRU, attend with the new state, combine, predict
        inputs = torch.cat([self.embedding(token), fed], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
        scores = torch.bmm(self.W_a(encoder_states), state.unsqueeze(2)).squeeze(2)
        context, weights = attend(scores, mask, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat([context, state], dim=-1)))
        return self.out(attentional), state, attentional, weights
        ### END SOLUTION


# %% [markdown]
# ## 3. The model, and two searches
#
# In training, each step reads the correct previous word (teacher forcing). In decoding, it reads the model's
# own previous word. Greedy decoding takes the best word each time, and beam search keeps the `beam_size` best
# beginnings. Both `step` methods of section 2 return `logits, *what the next step needs, weights`, so one
# loop works for either decoder.


# %%
class Seq2Seq(nn.Module):
    """An encoder and either decoder, kept as ``encoder`` and ``decoder``."""

    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        """Keep the two models and the three special ids."""
        ### BEGIN SOLUTION: super().__init__() first
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        ### END SOLUTION

    def start(self, src, src_lengths):
        """Return the source states, the mask and the first step's inputs. A helper."""
        ### BEGIN SOLUTION: Luong's decoder needs a second state, zeros at first
        states, first = self.encoder(src, src_lengths)
        carry = [first, torch.zeros_like(first)] if isinstance(self.decoder, LuongDecoder) else [first]
        return states, real_tokens(src, src_lengths), carry
        ### END SOLUTION

    def forward(self, src, src_lengths, tgt_in):
        """Teacher forcing: step t reads ``tgt_in[:, t]`` of (B, T_t).

        Returns:
            logits (B, T_t, vocab_size) and weights (B, T_t, T_s).
        """
        ### BEGIN SOLUTION: one step after the other, then stack
        states, mask, carry = self.start(src, src_lengths)
        steps = []
        for token in tgt_in.unbind(dim=1):
            logits, *carry, weights = self.decoder.step(token, *carry, states, mask)
            steps.append((logits, weights))
        all_logits, all_weights = zip(*steps, strict=True)
        return torch.stack(all_logits, dim=1), torch.stack(all_weights, dim=1)
        ### END SOLUTION

    @torch.no_grad()
    def greedy_decode(self, src, src_lengths, max_len):
        """Take the best word at every step, from ``bos_id`` on, until all sentences have ended.

        Returns:
            (B, L) int64, L <= max_len: without the first bos, with the eos, then pad_id.
        """
        ### BEGIN SOLUTION: argmax; pad where a sentence has ended
        states, mask, carry = self.start(src, src_lengths)
        token = torch.full_like(src[:, 0], self.bos_id)
        ended = torch.zeros_like(token, dtype=torch.bool)
        words = []
        while len(words) < max_len and not ended.all():
            logits, *carry, _ = self.decoder.step(token, *carry, states, mask)
            token = logits.argmax(dim=-1).masked_fill(ended, self.pad_id)
            ended = ended | (token == self.eos_id)
            words.append(token)
        return torch.stack(words, dim=1)
        ### END SOLUTION

    @torch.no_grad()
    def beam_search(self, src, src_lengths, beam_size, max_len):
        """Find the sentence with the greatest total log-probability, without a length bonus.

        Returns:
            (B, L) int64 as ``greedy_decode``: the best of the finished and of those cut at max_len.
        """
        ### BEGIN SOLUTION: batch and beam share the first axis; finished ones are extended by pad
        batch = src.size(0)
        states, mask, carry = self.start(src, src_lengths)
        states, mask, *carry = (x.repeat_interleave(beam_size, dim=0) for x in (states, mask, *carry))
        words = torch.full((batch, beam_size, 1), self.bos_id, device=src.device)
        ended = torch.zeros_like(words[:, :, 0], dtype=torch.bool)
        # All beams start equal, so only the first one may count. float64 keeps near ties apart.
        totals = torch.full_like(ended, -math.inf, dtype=torch.float64)
        totals[:, 0] = 0.0
        rows = torch.arange(batch, device=src.device).unsqueeze(1)
        # Totals only fall: once the best hypothesis has ended, nothing can overtake it.
        while words.size(2) <= max_len and not ended[:, 0].all():
            logits, *carry, _ = self.decoder.step(words[:, :, -1].flatten(), *carry, states, mask)
            log_probs = torch.log_softmax(logits.double(), dim=-1).unflatten(0, (batch, beam_size))
            only_pad = torch.full_like(log_probs, -math.inf)
            only_pad[:, :, self.pad_id] = 0.0
            log_probs = torch.where(ended.unsqueeze(2), only_pad, log_probs)
            candidates = (totals.unsqueeze(2) + log_probs).flatten(1)  # (B, beam_size * V)
            totals, best = candidates.topk(beam_size, dim=1)  # sorted, best first
            parent, word = best // logits.size(1), best % logits.size(1)
            words = torch.cat([words[rows, parent], word.unsqueeze(2)], dim=2)
            ended = ended[rows, parent] | (word == self.eos_id)
            carry = [x[(rows * beam_size + parent).flatten()] for x in carry]
        return words[:, 0, 1:]
        ### END SOLUTION


# %% [markdown]
# ## 4. The bottleneck baseline, and training
#
# The encoder is the same, but its first state is all that the decoder knows about the source. The input is
# known for all steps, so the GRU can run over all target positions in one call.


# %%
class FixedContextSeq2Seq(nn.Module):
    """No attention: every step reads [embedding; first state]."""

    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        """Keep ``encoder``; make ``embedding``, ``rnn`` and ``out`` (with bias).

        rnn: batch-first GRU(emb_dim + hidden_dim, hidden_dim); out: 2 * hidden_dim -> vocab_size.
        """
        ### BEGIN SOLUTION: super().__init__() first, then encoder, embedding, rnn and out
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        ### END SOLUTION

    def forward(self, src, src_lengths, tgt_in):
        """Teacher forcing -> logits (B, T_t, vocab_size) = out([new state; first state])."""
        ### BEGIN SOLUTION: the first state at every target position, one call of the GRU
        _, first = self.encoder(src, src_lengths)
        summary = first.unsqueeze(1).expand(-1, tgt_in.size(1), -1)
        states, _ = self.rnn(torch.cat([self.embedding(tgt_in), summary], dim=-1), first.unsqueeze(0))
        return self.out(torch.cat([states, summary], dim=-1))
        ### END SOLUTION


def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    """Do one training step of a Seq2Seq or a FixedContextSeq2Seq.

    Zero the gradients, forward, cross-entropy averaged over all real target tokens of the batch,
    backward, clip the global norm of the gradients to ``clip``, step. Returns the loss, a float.
    """
    ### BEGIN SOLUTION: the six steps in this order
    model.train()
    model.zero_grad()
    optimizer.zero_grad()  # it may hold parameters that are not the model's
    output = model(src, src_lengths, tgt_in)
    logits = output[0] if isinstance(output, tuple) else output
    real = real_tokens(tgt_out, tgt_lengths)
    losses = F.cross_entropy(logits.transpose(1, 2), tgt_out, reduction="none")
    loss = losses.masked_fill(~real, 0.0).sum() / real.sum()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.item()
    ### END SOLUTION


# %% [markdown]
# ## 5. How good is it?
#
# BLEU counts the n-grams of the candidates that also occur in their references, each at most as often as it
# occurs there. It counts over the whole corpus: $p_n$ = matches / n-grams of the candidates. $c$ and $r$ are
# the total lengths of candidates and references:
#
# $$\mathrm{BLEU} = 100 \, \min(1, e^{1 - r/c}) \, \exp\!\Big(\tfrac{1}{4} \sum_{n=1}^{4} \ln p_n\Big)$$


# %%
def corpus_bleu(candidates, references):
    """4-gram corpus BLEU, from 0 to 100, for token lists with one reference each; no smoothing.

    The result is 0.0 if an order has no match or the candidates have no n-gram of it. Tokens are any
    hashables.
    """

    ### BEGIN SOLUTION: pool the counts of all sentences, then one formula
    def count(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    log_precision = 0.0
    for n in range(1, 5):
        pairs = [(count(c, n), count(r, n)) for c, r in zip(candidates, references, strict=True)]
        matches = sum((c & r).total() for c, r in pairs)  # & keeps the smaller count
        if matches == 0:
            return 0.0
        log_precision += math.log(matches / sum(c.total() for c, _ in pairs)) / 4
    candidate_length, reference_length = sum(map(len, candidates)), sum(map(len, references))
    return 100.0 * math.exp(min(0.0, 1.0 - reference_length / candidate_length) + log_precision)
    ### END SOLUTION
