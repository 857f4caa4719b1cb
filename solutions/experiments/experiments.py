# %% [markdown]
# # Assignment 6: Experiments
#
# You measure what the other assignments claim: accuracy against length with and without attention, BLEU for short and
# long sentences, the time of two scores, and what single heads of a trained model do. You write the measurements. The
# models and the data are given.
#
# | sitting | you write | time |
# |---|---|---|
# | 1 | `copy_task`, `copy_accuracy`, `train_epoch`, `copy_curves` | about 2 and a half hours |
# | 2 | `bleu_by_length`, `translation_bleu`, `attention_times` | about 2 hours |
# | 3 | `split_projection`, `CrossAttention`, `head_ablation`, `mean_attention_map` | about 1 and a half hours |
#
# The README beside this file has the shapes, a worked example and the rules.

# %%
import math
import random
import statistics
import time
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

# %% [markdown]
# ## Given: ids, models and a corpus
#
# Use this part, and do not change it. The grader always uses its own copy. Use the models only by `forward`.

# %%
PAD, BOS, EOS = 0, 1, 2  # ids of every vocabulary; words and symbols start at 3
LENGTHS = (5, 10, 20, 40, 80)
BUCKETS = ((5, 7), (8, 10), (11, 15))  # source lengths in words, both ends included


def sinusoids(length, dim):
    """Return sinusoids (length, dim), which say where a position is. A helper of the given models."""
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, dim, 2) / dim)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class FixedContext(nn.Module):
    """A GRU encoder, and a GRU decoder that sees the encoder's last state at every step."""

    def __init__(self, src_vocab, tgt_vocab, emb_dim=32, hidden_dim=64):
        """Make two embeddings, two GRUs and the output layer."""
        super().__init__()
        self.emb_dim = emb_dim
        self.src_embedding = nn.Embedding(src_vocab, emb_dim)
        self.tgt_embedding = nn.Embedding(tgt_vocab, emb_dim)
        self.encoder = nn.GRU(emb_dim, hidden_dim, batch_first=True)
        self.decoder = nn.GRU(emb_dim + hidden_dim, hidden_dim, batch_first=True)
        self.out = nn.Linear(2 * hidden_dim, tgt_vocab)

    def states(self, src, src_lengths, tgt_in):
        """Return encoder states (B, T_s, H), the last real one (B, H) and decoder states (B, T_t, H)."""
        encoded, _ = self.encoder(self.src_embedding(src) + sinusoids(src.size(1), self.emb_dim).to(src.device))
        last = encoded[torch.arange(len(src), device=src.device), src_lengths - 1]
        words = self.tgt_embedding(tgt_in) + sinusoids(tgt_in.size(1), self.emb_dim).to(src.device)
        inputs = torch.cat([words, last.unsqueeze(1).expand(-1, tgt_in.size(1), -1)], dim=-1)
        return encoded, last, self.decoder(inputs, last.unsqueeze(0).contiguous())[0]

    def forward(self, src, src_lengths, tgt_in):
        """(B, T_s) int, (B,) int, (B, T_t) int -> logits (B, T_t, tgt_vocab)."""
        _, last, states = self.states(src, src_lengths, tgt_in)
        return self.out(torch.cat([states, last.unsqueeze(1).expand_as(states)], dim=-1))


class WithAttention(FixedContext):
    """The same sizes, and attention over all encoder states. Queries and keys also carry their positions."""

    def __init__(self, src_vocab, tgt_vocab, emb_dim=32, hidden_dim=64):
        """Make the same layers, and ``W_a`` for the scores."""
        super().__init__(src_vocab, tgt_vocab, emb_dim, hidden_dim)
        self.W_a = nn.Linear(hidden_dim + emb_dim, hidden_dim + emb_dim, bias=False)

    def attend(self, src, src_lengths, tgt_in):
        """Return encoder states, decoder states and weights (B, T_t, T_s)."""
        encoded, _, states = self.states(src, src_lengths, tgt_in)
        queries, keys = (
            torch.cat([x, sinusoids(x.size(1), self.emb_dim).to(x.device).expand(len(x), -1, -1)], dim=-1)
            for x in (states, encoded)
        )
        scores = queries @ self.W_a(keys).transpose(1, 2)
        real = torch.arange(src.size(1), device=src.device) < src_lengths.unsqueeze(1)
        return encoded, states, scores.masked_fill(~real.unsqueeze(1), -math.inf).softmax(dim=-1)

    def forward(self, src, src_lengths, tgt_in):
        """(B, T_s) int, (B,) int, (B, T_t) int -> logits (B, T_t, tgt_vocab)."""
        encoded, states, weights = self.attend(src, src_lengths, tgt_in)
        return self.out(torch.cat([states, weights @ encoded], dim=-1))

    def attention_weights(self, src, src_lengths, tgt_in):
        """Return the weights (B, T_t, T_s)."""
        return self.attend(src, src_lengths, tgt_in)[2]


NOUNS = [  # English, gender, German
    tuple(noun.split())
    for noun in [
        "dog m Hund",
        "cat f Katze",
        "horse n Pferd",
        "man m Mann",
        "woman f Frau",
        "child n Kind",
        "teacher m Lehrer",
        "mouse f Maus",
        "girl n Mädchen",
        "king m König",
        "goat f Ziege",
        "sheep n Schaf",
    ]
]
ADJECTIVES = [("old", "alte"), ("small", "kleine"), ("young", "junge"), ("tired", "müde"), ("strange", "seltsame")]
VERBS = [("sees", "sieht"), ("hears", "hört"), ("follows", "verfolgt"), ("finds", "findet"), ("knows", "kennt")]
ALONE = [("sleeps", "schläft"), ("laughs", "lacht"), ("waits", "wartet"), ("sings", "singt")]
BINDERS = [("because", "weil"), ("although", "obwohl"), ("while", "während")]
ARTICLES = {"m": ("der", "den"), "f": ("die", "die"), "n": ("das", "das")}  # as subject, as object


def toy_corpus(seed, count=500):
    """Return ``count`` pairs (English words, German words). Each English side has 5 to 15 words.

    In German, the verb of a subordinate clause stands at its end.
    """
    chance = random.Random(seed)

    def noun_phrase(case):
        english, gender, german = chance.choice(NOUNS)
        chosen = chance.sample(ADJECTIVES, chance.choice((0, 0, 1, 1, 2)))
        ending = "n" if (gender, case) == ("m", 1) else ""
        words = [old for old, _ in chosen], [new + ending for _, new in chosen]
        return ["the", *words[0], english], [ARTICLES[gender][case], *words[1], german]

    def clause(at_end):
        subject = noun_phrase(0)
        if chance.random() < 0.3:
            verb, thing = chance.choice(ALONE), ([], [])
        else:
            verb, thing = chance.choice(VERBS), noun_phrase(1)
        rest = [*thing[1], verb[1]] if at_end else [verb[1], *thing[1]]
        return [*subject[0], verb[0], *thing[0]], [*subject[1], *rest]

    def sentence():
        english, german = clause(at_end=False)
        if chance.random() < 0.6:
            binder, more = chance.choice(BINDERS), clause(at_end=True)
            english, german = [*english, binder[0], *more[0]], [*german, binder[1], *more[1]]
        return english, german

    pairs = []
    while len(pairs) < count:
        pair = sentence()
        if 5 <= len(pair[0]) <= 15:
            pairs.append(pair)
    return pairs


class TinyTranslator(nn.Module):
    """A one-layer decoder without recurrence. Its cross-attention is your ``CrossAttention``."""

    def __init__(self, vocab_size, d_model, num_heads):
        """Make an embedding for both sides, the cross-attention and the output layer."""
        super().__init__()
        self.num_heads = num_heads
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.cross = CrossAttention(d_model, num_heads)
        self.out = nn.Linear(d_model, vocab_size)

    def forward(self, src, tgt_in, head_mask=None):
        """(B, T_s) int, (B, T_t) int, (num_heads,) float or None -> logits (B, T_t, vocab_size)."""
        memory, query = (
            self.embedding(ids) + sinusoids(ids.size(1), self.embedding.embedding_dim).to(self.embedding.weight)
            for ids in (src, tgt_in)
        )
        output, _ = self.cross(query, memory, src != PAD, head_mask)
        return self.out(query + output)


# %% [markdown]
# ## Sitting 1 begins: copying, with and without attention (about 2 and a half hours)
#
# ## 1. The copy task
#
# The source is a row of random symbols, and the target is the same row. Nothing but memory helps: no symbol can be
# guessed from the others. The decoder reads `[BOS, src]` and must say `[src, EOS]`.


# %%
def copy_task(length, count, vocab_size, seed):
    """Return ``src`` (count, length), ``tgt_in`` and ``tgt_out`` (count, length + 1), all int64.

    ``src`` has ids from 3 to ``vocab_size - 1``, evenly spread. The same seed gives the same numbers. The global
    random state is neither used nor changed.
    """
    ### BEGIN SOLUTION: return the three tensors
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(EOS + 1, vocab_size, (count, length), generator=generator)
    bos, eos = torch.full((count, 1), BOS), torch.full((count, 1), EOS)
    return src, torch.cat([bos, src], dim=1), torch.cat([src, eos], dim=1)
    ### END SOLUTION


def copy_accuracy(predicted, src):
    """(B, L) int, (B, T) int -> the share of the B * T positions of ``src`` that are right, a Python float.

    A column that ``predicted`` lacks is wrong. Further columns do not count.
    """
    ### BEGIN SOLUTION: return the share
    width = min(predicted.size(1), src.size(1))
    return (predicted[:, :width] == src[:, :width]).sum().item() / src.numel()
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** A model says five symbols, and the source has ten. All five are right. What is the accuracy?

# %% tags=["notebook"]
if __name__ == "__main__":
    src, tgt_in, tgt_out = copy_task(length=10, count=4, vocab_size=13, seed=0)
    print(src[0], tgt_in[0], tgt_out[0], sep="\n")
    print(copy_accuracy(src[:, :5], src))

# %% [markdown]
# ## 2. One epoch
#
# An epoch passes over all pairs once, in the order that it is given. The loss of a batch is the cross-entropy,
# averaged over all real target positions of the batch together.


# %%
def train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size, clip=1.0):
    """Train for one pass over the N pairs, in the order of ``order`` (N,), in batches of ``batch_size``.

    Each batch: zero the gradients, forward(src, src_lengths, tgt_in), cross-entropy averaged over the first
    ``tgt_lengths[b]`` positions of the whole batch, backward, clip the global norm of the gradients to ``clip``, step.
    The last batch may be smaller. Returns each batch's loss before its step, a list of Python floats.
    """
    ### BEGIN SOLUTION: train, and return the losses
    found = []
    for chosen in order.split(batch_size):
        model.zero_grad()
        logits = model(src[chosen], src_lengths[chosen], tgt_in[chosen])
        real = torch.arange(tgt_out.size(1), device=tgt_out.device) < tgt_lengths[chosen].unsqueeze(1)
        loss = F.cross_entropy(logits[real], tgt_out[chosen][real])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        found.append(loss.item())
    return found
    ### END SOLUTION


# %% [markdown]
# ## 3. Accuracy against length
#
# Train both models from one seed, on the lengths of `train_lengths`. Then let each decode new rows greedily: every
# step reads the model's own words, never the target. Short rows first make the training much faster.


# %%
def greedy(model, src, src_lengths, steps):
    """Return the best ids (B, steps), each step reading those before it. A helper: change or drop it as you like."""
    ### BEGIN SOLUTION: return the ids
    said = torch.full((len(src), 1), BOS)
    with torch.no_grad():
        for _ in range(steps):
            best = model(src, src_lengths, said)[:, -1].argmax(dim=-1, keepdim=True)
            said = torch.cat([said, best], dim=1)
    return said[:, 1:]
    ### END SOLUTION


def copy_curves(seed, lengths, train_lengths, vocab_size=13):
    """Train a FixedContext and a WithAttention on ``copy_task``, each for at most 30 CPU seconds, and test them.

    Returns:
        (2, len(lengths)) float32: ``copy_accuracy`` of greedy decoding on at least 50 new sequences of each length;
        row 0 FixedContext, row 1 WithAttention. The same seed gives the same result.
    """
    ### BEGIN SOLUTION: return the two curves
    rows = []
    for kind in (FixedContext, WithAttention):
        torch.manual_seed(seed)
        model = kind(vocab_size, vocab_size)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.008)
        chance = random.Random(seed)
        for stage in (*range(1, len(train_lengths) + 1), len(train_lengths)):  # short rows first
            for _ in range(60):
                length = chance.choice(sorted(train_lengths)[:stage])
                src, tgt_in, tgt_out = copy_task(length, 32, vocab_size, chance.randrange(2**40))
                whole = torch.full((32,), length)
                train_epoch(model, optimizer, src, whole, tgt_in, tgt_out, whole + 1, torch.arange(32), 32)
        row = []
        for length in lengths:
            src, _, _ = copy_task(length, 50, vocab_size, chance.randrange(2**40))
            row.append(copy_accuracy(greedy(model, src, torch.full((50,), length), length), src))
        rows.append(row)
    return torch.tensor(rows)
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** How well does a model copy that only guesses? And a model that knows the first ten symbols of
# eighty, and guesses the others?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(copy_curves(seed=0, lengths=(5, 10), train_lengths=(5, 10)))

# %% [markdown]
# ## Sitting 1 ends here, and sitting 2 begins (the commands that check them are in README.md)
#
# **Sitting 2 begins**: BLEU and time, in about 2 hours.
#
# ## 4. BLEU for short and for long sentences


# %%
def bleu_by_length(candidates, references, source_lengths, buckets):
    """Return the corpus BLEU (0 to 100) of the pairs in each bucket, a list of Python floats.

    Token lists, token lists, ints and pairs (first, last). BLEU: 4-gram, no smoothing, brevity penalty. A pair lies in
    a bucket if its source length does, ends included. A bucket without a pair has 0.0.
    """

    ### BEGIN SOLUTION: return one score a bucket
    def grams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    def bleu(pairs):
        total = 0.0
        for n in range(1, 5):
            counts = [(grams(candidate, n), grams(reference, n)) for candidate, reference in pairs]
            matches = sum((mine & theirs).total() for mine, theirs in counts)
            if not matches:
                return 0.0
            total += math.log(matches / sum(mine.total() for mine, _ in counts)) / 4
        c, r = (sum(map(len, side)) for side in zip(*pairs, strict=True))
        return 100.0 * math.exp(min(0.0, 1.0 - r / c) + total)

    triples = list(zip(candidates, references, source_lengths, strict=True))
    return [bleu([(c, r) for c, r, length in triples if first <= length <= last]) for first, last in buckets]
    ### END SOLUTION


# %% [markdown]
# ## 5. Two translators
#
# `toy_corpus` makes 500 pairs. The first 400 are for training, and the last 100 only for the test. A word that the
# training pairs do not have is unknown: all unknown words share one id.


# %%
def translation_bleu(seed, epochs=20):
    """Train both models on ``toy_corpus(seed, 500)`` with Adam and ``train_epoch``, and score the last 100 pairs.

    The vocabularies come from the first 400 pairs alone; an unknown word is one id more.

    Returns:
        (2, 3) float32: ``bleu_by_length`` of greedy decoding in BUCKETS; row 0 FixedContext, row 1 WithAttention.
    """

    ### BEGIN SOLUTION: return the scores
    def tensor(sentences, ids, before=(), after=()):
        known = [[ids.get(word, len(ids) + 3) for word in words] for words in sentences]
        rows = [torch.tensor([*before, *row, *after]) for row in known]
        lengths = torch.tensor([len(row) for row in rows])
        return pad_sequence(rows, batch_first=True, padding_value=PAD), lengths

    pairs = toy_corpus(seed, 500)
    english, german = zip(*pairs[:400], strict=True)
    vocabularies = [sorted({word for words in side for word in words}) for side in (english, german)]
    source_ids, target_ids = ({word: 3 + i for i, word in enumerate(words)} for words in vocabularies)
    src, src_lengths = tensor(english, source_ids)
    (tgt_in, _), (tgt_out, tgt_lengths) = tensor(german, target_ids, [BOS]), tensor(german, target_ids, (), [EOS])
    test_english, test_german = zip(*pairs[400:], strict=True)
    test, test_lengths = tensor(test_english, source_ids)
    rows = []
    for kind in (FixedContext, WithAttention):
        torch.manual_seed(seed)
        model = kind(len(source_ids) + 4, len(target_ids) + 4)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
        for _ in range(epochs):
            order = torch.randperm(len(src))
            train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size=32)
        candidates = []
        for said in greedy(model, test, test_lengths, 20).tolist():
            said = said[: said.index(EOS)] if EOS in said else said
            candidates.append([vocabularies[1][i - 3] if 3 <= i < 3 + len(target_ids) else f"<{i}>" for i in said])
        rows.append(bleu_by_length(candidates, test_german, test_lengths.tolist(), BUCKETS))
    return torch.tensor(rows)
    ### END SOLUTION


# %% [markdown]
# ## 6. The price of a score


# %%
def attention_times(lengths, width=128, repeats=20):
    """Return the seconds (2, len(lengths)), float32, of one forward pass of attention: one query, T source positions.

    Row 0 is additive attention, row 1 dot-product attention. Each figure is the median of ``repeats`` timed passes,
    after at least one that is not timed, without gradients.
    """
    ### BEGIN SOLUTION: return the medians
    W_s, W_h, v = (nn.Linear(width, size, bias=False) for size in (width, width, 1))

    def additive(query, states):
        weights = torch.softmax(v(torch.tanh(W_s(query).unsqueeze(1) + W_h(states))).squeeze(-1), dim=-1)
        return (weights.unsqueeze(1) @ states).squeeze(1)

    def dot(query, states):
        weights = torch.softmax((states @ query.unsqueeze(2)).squeeze(2), dim=-1)
        return (weights.unsqueeze(1) @ states).squeeze(1)

    def median(attention, length):
        query, states = torch.randn(1, width), torch.randn(1, length, width)
        passes = []
        for _ in range(1 + repeats):
            start = time.perf_counter()
            attention(query, states)
            passes.append(time.perf_counter() - start)
        return statistics.median(passes[1:])

    with torch.no_grad():
        return torch.tensor([[median(one, length) for length in lengths] for one in (additive, dot)])
    ### END SOLUTION


# %% [markdown]
# ## Sitting 2 ends here, and sitting 3 begins (the commands that check them are in README.md)
#
# **Sitting 3 begins**: heads, in about 1 and a half hours.
#
# ## 7. Cross-attention that takes the weights of others


# %%
def split_projection(in_proj_weight):
    """Split torch's fused projection (3 d, d) into W_Q, W_K and W_V, each (d, d), which share no memory with it."""
    ### BEGIN SOLUTION: return the three weights
    return tuple(one.clone() for one in in_proj_weight.chunk(3, dim=0))
    ### END SOLUTION


class CrossAttention(nn.Module):
    """Multi-head attention of queries to a memory. Single heads can be switched off."""

    def __init__(self, d_model, num_heads):
        """Make ``W_Q``, ``W_K``, ``W_V`` and ``W_O``: d_model -> d_model, without bias.

        Raises ValueError if ``num_heads`` does not divide ``d_model``.
        """
        ### BEGIN SOLUTION: make the four layers
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        ### END SOLUTION

    def forward(self, query, memory, mask=None, head_mask=None):
        """(B, T_q, d_model), (B, T_k, d_model), mask (B, T_k) bool or None, head_mask (num_heads,) float or None.

        Head i uses columns i*d_h .. (i+1)*d_h of each projection. Its result is multiplied by ``head_mask[i]`` before
        ``W_O``, its weights are not.

        Returns:
            output (B, T_q, d_model) and weights (B, num_heads, T_q, T_k).
        """
        ### BEGIN SOLUTION: return the output and the weights
        q, k, v = (
            project(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (B, heads, T, d_h)
            for project, x in ((self.W_Q, query), (self.W_K, memory), (self.W_V, memory))
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            seen = mask[:, None, None, :]
            scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~seen, 0.0)
        heads = weights @ v
        if head_mask is not None:
            heads = heads * head_mask[:, None, None]
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        ### END SOLUTION


# %% [markdown]
# ## 8. What does a head do?


# %%
def head_ablation(model, src, tgt_in, tgt_out):
    """Return how much accuracy each head is worth, (num_heads,), in the dtype of the logits.

    ``model`` is a TinyTranslator. Entry i is the accuracy of the argmax over all B * T_t positions with every head,
    minus that with head i masked by 0. No gradients; the model is unchanged.
    """

    ### BEGIN SOLUTION: return one difference a head
    @torch.no_grad()
    def accuracy(head_mask=None):
        logits = model(src, tgt_in, head_mask)
        return (logits.argmax(dim=-1) == tgt_out).to(logits.dtype).mean()

    masks = 1 - torch.eye(model.num_heads, dtype=model.out.weight.dtype, device=src.device)
    return torch.stack([accuracy() - accuracy(mask) for mask in masks])
    ### END SOLUTION


def mean_attention_map(attention, src_lengths, tgt_lengths):
    """(layers, B, heads, T_t, T_s), (B,), (B,) int -> (B, T_t, T_s): the mean over layers and heads.

    Exactly 0 from row ``tgt_lengths[b]`` and from column ``src_lengths[b]`` on. Rows are not normalised again.
    """
    ### BEGIN SOLUTION: return one map a sentence
    rows, columns = (torch.arange(size, device=attention.device) for size in attention.shape[-2:])
    real = (rows < tgt_lengths[:, None]).unsqueeze(2) & (columns < src_lengths[:, None]).unsqueeze(1)
    return attention.mean(dim=(0, 2)).masked_fill(~real, 0.0)
    ### END SOLUTION


# %% [markdown]
# ## Sitting 3 ends here (the command that checks it is in README.md)
