# %% [markdown]
# # Assignment 5: A translator
#
# Here you put everything together: an encoder, two decoders that attend to it, training, two ways to decode
# and one way to score the translations. In the end your own model learns to read dates. Tokens and lengths are
# int64. The lengths say which positions are real, never an id.
#
# The work comes in three sittings, each with its own checks. You can take a break of a week between them.
#
# | sitting | you write | time |
# |---|---|---|
# | 1 | `Encoder`, `BahdanauDecoder`, `LuongDecoder` | about 2 hours |
# | 2 | `Seq2Seq.forward`, `FixedContextSeq2Seq`, `train_step` | about 2 hours |
# | 3 | `greedy_decode` and `beam_search` of `Seq2Seq`, `corpus_bleu` | about 2 and a half hours |
#
# The README beside this file has the shapes, a worked example and the rules.

# %%
import math
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# %% [markdown]
# ## Sitting 1 begins: the encoder and one step of each decoder (about 2 hours)
#
# First two helpers that most of your code will use. They are not graded by themselves. You know both from masks
# and attention: which positions are real, and a weighted sum that ignores all others.


# %%
def attend(scores, mask, encoder_states):
    """Masked softmax and context; a helper: change or drop it as you like.

    (B, T_s) scores, (B, T_s) bool, (B, T_s, enc_dim) -> context (B, enc_dim), weights (B, T_s).
    """
    ### BEGIN SOLUTION: return the context and the weights
    hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)
    return torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1), weights
    ### END SOLUTION


def real_tokens(tokens, lengths):
    """(B, T), (B,) -> (B, T) bool, True at real tokens; a helper, like ``attend``."""
    ### BEGIN SOLUTION: return the mask
    positions = torch.arange(tokens.size(1), device=tokens.device)
    return positions < lengths.to(tokens.device).unsqueeze(1)
    ### END SOLUTION


# %% [markdown]
# ## 1. The encoder
#
# It reads the source in both directions, so that the state of a word depends on the words on both sides. With
# the last state of each direction it makes the decoder's first state:
#
# $$s_0 = \tanh(\mathrm{bridge}([\overrightarrow{h}_{last}; \overleftarrow{h}_{last}]))$$
#
# A short sentence has padding behind it. Which direction would read the padding first?


# %%
class Encoder(nn.Module):
    """Bidirectional GRU over the source; s_0 = tanh(bridge([last forward; last backward]))."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        """Make ``embedding``, ``rnn`` (bidirectional, batch first) and ``bridge``.

        bridge: Linear from 2 * hidden_dim to hidden_dim, with bias.
        """
        ### BEGIN SOLUTION: make the three layers
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
        ### BEGIN SOLUTION: return the states and the first state
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, last = self.rnn(packed)  # last: (2, B, hidden_dim), forward and backward
        states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        return states, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** Both sources begin with the words 7 and 8, and both lengths are 2. Behind the words stand
# other ids. Which of the three lines prints True? In the last one, both lengths are 4.

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    encoder = Encoder(vocab_size=11, emb_dim=4, hidden_dim=5)
    src = torch.tensor([[7, 8, 9, 10], [7, 8, 3, 3]])
    states, first = encoder(src, torch.tensor([2, 2]))
    print(torch.allclose(first[0], first[1]))
    print(torch.allclose(states[0], states[1]))
    states, first = encoder(src, torch.tensor([4, 4]))
    print(torch.allclose(states[0, :2], states[1, :2]))

# %% [markdown]
# ## 2. Bahdanau's decoder
#
# It attends with $s_{t-1}$, the state **before** the step, and the GRU reads the context:
#
# $$e_j = v^\top \tanh(W_s s_{t-1} + W_h h_j), \qquad c_t = \sum_j \alpha_j h_j$$
#
# $$s_t = \mathrm{GRU}([y_{t-1}; c_t], s_{t-1}), \qquad z_t = \mathrm{out}([s_t; c_t])$$
#
# $y_{t-1}$ is the embedding of the previous word, $c_t$ the context, and $z_t$ are the logits.


# %%
class BahdanauDecoder(nn.Module):
    """e_j = v^T tanh(W_s s_{t-1} + W_h h_j); s_t = GRU([y_{t-1}; c_t], s_{t-1})."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim, attn_dim):
        """Make ``embedding``, ``W_s``, ``W_h``, ``v`` (no bias), ``rnn`` and ``out`` (with bias).

        rnn: batch-first GRU(emb_dim + enc_dim, hidden_dim); out: hidden_dim + enc_dim -> vocab_size.
        """
        ### BEGIN SOLUTION: make the six layers
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
        ### BEGIN SOLUTION: return the logits, the new state and the weights
        scores = self.v(torch.tanh(self.W_s(state).unsqueeze(1) + self.W_h(encoder_states))).squeeze(-1)
        context, weights = attend(scores, mask, encoder_states)
        inputs = torch.cat([self.embedding(token), context], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
        return self.out(torch.cat([state, context], dim=-1)), state, weights
        ### END SOLUTION


# %% [markdown]
# ## 3. Luong's decoder
#
# It attends with $s_t$, the state **after** the step. The GRU reads no context. It reads the attentional state
# $\tilde{s}_{t-1}$ of the step before:
#
# $$s_t = \mathrm{GRU}([y_{t-1}; \tilde{s}_{t-1}], s_{t-1}), \qquad e_j = s_t^\top W_a h_j$$
#
# $$\tilde{s}_t = \tanh(W_c [c_t; s_t]), \qquad z_t = \mathrm{out}(\tilde{s}_t)$$


# %%
class LuongDecoder(nn.Module):
    """s_t = GRU([y_{t-1}; fed], s_{t-1}); e_j = s_t^T W_a h_j; attentional = tanh(W_c [c_t; s_t])."""

    def __init__(self, vocab_size, emb_dim, hidden_dim, enc_dim):
        """Make ``embedding``, ``W_a``, ``W_c`` (no bias), ``rnn`` and ``out`` (with bias).

        W_a: enc_dim -> hidden_dim; W_c: enc_dim + hidden_dim -> hidden_dim;
        rnn: batch-first GRU(emb_dim + hidden_dim, hidden_dim); out: hidden_dim -> vocab_size.
        """
        ### BEGIN SOLUTION: make the five layers
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
        ### BEGIN SOLUTION: return the logits, the new state, the attentional state and the weights
        inputs = torch.cat([self.embedding(token), fed], dim=-1).unsqueeze(1)
        state = self.rnn(inputs, state.unsqueeze(0).contiguous())[1].squeeze(0)
        scores = torch.bmm(self.W_a(encoder_states), state.unsqueeze(2)).squeeze(2)
        context, weights = attend(scores, mask, encoder_states)
        attentional = torch.tanh(self.W_c(torch.cat([context, state], dim=-1)))
        return self.out(attentional), state, attentional, weights
        ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** The first sentence has one real word, and the second has none. What are the weights? Is
# anything NaN?

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    decoder = LuongDecoder(vocab_size=11, emb_dim=4, hidden_dim=5, enc_dim=10)
    mask = torch.tensor([[False, True, False], [False, False, False]])
    logits, state, attentional, weights = decoder.step(
        torch.tensor([1, 1]), torch.randn(2, 5), torch.zeros(2, 5), torch.randn(2, 3, 10), mask
    )
    print(weights.detach())
    print(logits.isnan().any().item())

# %% [markdown]
# ## Sitting 1 ends here, and sitting 2 begins (the commands that check them are in README.md)
#
# **Sitting 1 ends.** This command checks it:
#
# ```console
# $ attngrade check --only Encoder --only BahdanauDecoder --only LuongDecoder
# ```
#
# In this notebook, the cells `%attngrade Encoder`, `%attngrade BahdanauDecoder` and `%attngrade LuongDecoder` run the
# same checks. When they pass, save your work and take a break.
#
# **Sitting 2 begins**: a model that can be trained, in about 2 hours. You write `__init__` and `forward` of `Seq2Seq`,
# then `FixedContextSeq2Seq` and `train_step`. Leave `greedy_decode` and `beam_search` as they are: they belong to
# sitting 3.
#
# ## 4. The model
#
# In training, each step reads the correct previous word, whatever the model predicted. This is called teacher
# forcing. In decoding (sitting 3), a step reads the word that the model itself chose.
#
# The two decoders take and return different things. Put the two `step` methods side by side. What is the same in
# both? What does one of them need that the other does not?


# %%
class Seq2Seq(nn.Module):
    """An encoder and either decoder, kept as ``encoder`` and ``decoder``."""

    def __init__(self, encoder, decoder, pad_id, bos_id, eos_id):
        """Keep the two models and the three special ids."""
        ### BEGIN SOLUTION: keep what you are given
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        ### END SOLUTION

    def start(self, src, src_lengths):
        """Return what decoding begins with. A helper: change or drop it as you like."""
        ### BEGIN SOLUTION: return what all steps need, and what only the first one starts from
        states, first = self.encoder(src, src_lengths)
        carry = [first, torch.zeros_like(first)] if isinstance(self.decoder, LuongDecoder) else [first]
        return states, real_tokens(src, src_lengths), carry
        ### END SOLUTION

    def forward(self, src, src_lengths, tgt_in):
        """Teacher forcing: step t reads ``tgt_in[:, t]`` of (B, T_t).

        Returns:
            logits (B, T_t, vocab_size) and weights (B, T_t, T_s).
        """
        ### BEGIN SOLUTION: return the logits and the weights of all steps
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
        ### BEGIN SOLUTION: return one sentence for each source (sitting 3)
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
        ### BEGIN SOLUTION: return the best sentence for each source (sitting 3)
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


# %% [markdown] tags=["notebook"]
# The cell `%attngrade Seq2Seq` above also asks for the two searches. In sitting 2, look at these lines of it:
# "Teacher forcing is right with both decoders", and the ones about weights and gradients.
#
# **Predict, then run.** Two calls differ only in the third word of `tgt_in`. For which of the five steps do the logits
# change?

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    model = Seq2Seq(Encoder(11, 4, 5), BahdanauDecoder(11, 4, 5, enc_dim=10, attn_dim=6), 0, 1, 2)
    src, src_lengths = torch.tensor([[3, 4, 5, 6]]), torch.tensor([4])
    one, _ = model(src, src_lengths, torch.tensor([[1, 3, 4, 5, 6]]))
    other, _ = model(src, src_lengths, torch.tensor([[1, 3, 9, 5, 6]]))
    print((one - other).abs().amax(dim=(0, 2)) > 1e-6)

# %% [markdown]
# ## 5. The bottleneck baseline
#
# The encoder is the same, but its first state $s_0$ is all that the decoder knows about the source:
#
# $$s_t = \mathrm{GRU}([y_{t-1}; s_0], s_{t-1}), \qquad z_t = \mathrm{out}([s_t; s_0])$$
#
# In teacher forcing, which input of step $t$ depends on the result of step $t - 1$? Is a loop needed here?


# %%
class FixedContextSeq2Seq(nn.Module):
    """No attention: every step reads [embedding; first state]."""

    def __init__(self, encoder, vocab_size, emb_dim, hidden_dim, pad_id, bos_id, eos_id):
        """Keep ``encoder``; make ``embedding``, ``rnn`` and ``out`` (with bias).

        rnn: batch-first GRU(emb_dim + hidden_dim, hidden_dim); out: 2 * hidden_dim -> vocab_size.
        """
        ### BEGIN SOLUTION: keep the encoder, and make the three layers
        super().__init__()
        self.encoder = encoder
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        ### END SOLUTION

    def forward(self, src, src_lengths, tgt_in):
        """Teacher forcing -> logits (B, T_t, vocab_size) = out([new state; first state])."""
        ### BEGIN SOLUTION: return the logits of all steps
        _, first = self.encoder(src, src_lengths)
        summary = first.unsqueeze(1).expand(-1, tgt_in.size(1), -1)
        states, _ = self.rnn(torch.cat([self.embedding(tgt_in), summary], dim=-1), first.unsqueeze(0))
        return self.out(torch.cat([states, summary], dim=-1))
        ### END SOLUTION


# %% [markdown]
# ## 6. One step of training
#
# The loss is the cross-entropy, averaged over all real target tokens of the batch together. Before the optimizer's
# step, the gradients of all parameters are clipped as if they were one long vector.


# %%
def train_step(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip=5.0):
    """Do one training step of a Seq2Seq or a FixedContextSeq2Seq.

    Zero the gradients, forward, cross-entropy averaged over all real target tokens of the batch,
    backward, clip the global norm of the gradients to ``clip``, step. Returns the loss, a float.
    """
    ### BEGIN SOLUTION: train for one step, and return the loss
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


# %% [markdown] tags=["notebook"]
# **Your first curve.** Both models learn to copy 12 random digits, with your `train_step`. Predict first: a model that
# only guesses has a loss of $\ln 10 = 2.3$. Where will the two curves be after 200 steps? It takes five to ten
# seconds.

# %% tags=["notebook"]
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
    torch.manual_seed(0)
    models = {
        "attention": Seq2Seq(Encoder(13, 16, 32), BahdanauDecoder(13, 16, 32, enc_dim=64, attn_dim=32), 0, 1, 2),
        "fixed context": FixedContextSeq2Seq(Encoder(13, 16, 32), 13, 16, 32, 0, 1, 2),
    }
    lengths = torch.full((32,), 12)
    for name, model in models.items():
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        losses = []
        for _ in range(200):
            digits = torch.randint(3, 13, (32, 12))
            tgt_in = torch.cat([torch.ones_like(digits[:, :1]), digits[:, :-1]], dim=1)  # bos is 1
            losses.append(train_step(model, optimizer, digits, lengths, tgt_in, digits, lengths))
        plt.plot(losses, label=name)
    plt.xlabel("training step")
    plt.ylabel("loss (nats per digit)")
    plt.legend()
    plt.show()

# %% [markdown]
# ## Sitting 2 ends here, and sitting 3 begins (the commands that check them are in README.md)
#
# **Sitting 2 ends.** This command checks it:
#
# ```console
# $ attngrade check --only seq2seq-interface --only seq2seq-forward --only seq2seq-weights --only seq2seq-gradients \
#     --only FixedContextSeq2Seq --only train_step
# ```
#
# In this notebook, look again at the cells `%attngrade Seq2Seq` (its searches still fail),
# `%attngrade FixedContextSeq2Seq` and `%attngrade train_step`. When they pass, save your work and take a break.
#
# **Sitting 3 begins**: two searches and a score, in about 2 and a half hours. Go back to the class `Seq2Seq` and write
# `greedy_decode`, then `beam_search`. Greedy decoding takes the best word each time. Beam search keeps the `beam_size`
# best beginnings. Then write `corpus_bleu` here.
#
# The cell `%attngrade Seq2Seq` below the class checks both searches.
#
# ## 7. How good is it?
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

    ### BEGIN SOLUTION: return the score
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


# %% [markdown] tags=["notebook"]
# **Predict, then run.** A perfect translation of two words, alone and beside a perfect translation of five words. Which
# scores do they get?

# %% tags=["notebook"]
if __name__ == "__main__":
    short, long = ["good", "morning"], ["how", "are", "you", "this", "morning"]
    print(corpus_bleu([short], [short]))
    print(corpus_bleu([short, long], [short, long]))

# %% [markdown]
# ## Sitting 3 ends here (the command that checks it is in README.md)
#
# ```console
# $ attngrade check --only Seq2Seq --only corpus_bleu
# ```
#
# In this notebook, the cells `%attngrade Seq2Seq` and `%attngrade corpus_bleu` run the same checks.
