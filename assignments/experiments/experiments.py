# Assignment 6: Experiments
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# experiments.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check experiments.py

import math
import random
import statistics
import time
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

# ---- Given: ids, models and a corpus


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


# ---- Sitting 1 begins: copying, with and without attention (about 2 and a half hours)


def copy_task(length, count, vocab_size, seed):
    """Return ``src`` (count, length), ``tgt_in`` and ``tgt_out`` (count, length + 1), all int64.

    ``src`` has ids from 3 to ``vocab_size - 1``, evenly spread. The same seed gives the same numbers. The global
    random state is neither used nor changed.
    """
    # Your code here: return the three tensors.
    raise NotImplementedError


def copy_accuracy(predicted, src):
    """(B, L) int, (B, T) int -> the share of the B * T positions of ``src`` that are right, a Python float.

    A column that ``predicted`` lacks is wrong. Further columns do not count.
    """
    # Your code here: return the share.
    raise NotImplementedError


# ---- 2. One epoch


def train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size, clip=1.0):
    """Train for one pass over the N pairs, in the order of ``order`` (N,), in batches of ``batch_size``.

    Each batch: zero the gradients, forward(src, src_lengths, tgt_in), cross-entropy averaged over the first
    ``tgt_lengths[b]`` positions of the whole batch, backward, clip the global norm of the gradients to ``clip``, step.
    The last batch may be smaller. Returns each batch's loss before its step, a list of Python floats.
    """
    # Your code here: train, and return the losses.
    raise NotImplementedError


# ---- 3. Accuracy against length


def greedy(model, src, src_lengths, steps):
    """Return the best ids (B, steps), each step reading those before it. A helper: change or drop it as you like."""
    # Your code here: return the ids.
    raise NotImplementedError


def copy_curves(seed, lengths, train_lengths, vocab_size=13):
    """Train a FixedContext and a WithAttention on ``copy_task``, each for at most 30 CPU seconds, and test them.

    Returns:
        (2, len(lengths)) float32: ``copy_accuracy`` of greedy decoding on at least 50 new sequences of each length;
        row 0 FixedContext, row 1 WithAttention. The same seed gives the same result.
    """
    # Your code here: return the two curves.
    raise NotImplementedError


# ---- Sitting 1 ends here, and sitting 2 begins (the commands that check them are in README.md)


def bleu_by_length(candidates, references, source_lengths, buckets):
    """Return the corpus BLEU (0 to 100) of the pairs in each bucket, a list of Python floats.

    Token lists, token lists, ints and pairs (first, last). BLEU: 4-gram, no smoothing, brevity penalty. A pair lies in
    a bucket if its source length does, ends included. A bucket without a pair has 0.0.
    """

    # Your code here: return one score a bucket.
    raise NotImplementedError


# ---- 5. Two translators


def translation_bleu(seed, epochs=20):
    """Train both models on ``toy_corpus(seed, 500)`` with Adam and ``train_epoch``, and score the last 100 pairs.

    The vocabularies come from the first 400 pairs alone; an unknown word is one id more.

    Returns:
        (2, 3) float32: ``bleu_by_length`` of greedy decoding in BUCKETS; row 0 FixedContext, row 1 WithAttention.
    """

    # Your code here: return the scores.
    raise NotImplementedError


# ---- 6. The price of a score


def attention_times(lengths, width=128, repeats=20):
    """Return the seconds (2, len(lengths)), float32, of one forward pass of attention: one query, T source positions.

    Row 0 is additive attention, row 1 dot-product attention. Each figure is the median of ``repeats`` timed passes,
    after at least one that is not timed, without gradients.
    """
    # Your code here: return the medians.
    raise NotImplementedError


# ---- Sitting 2 ends here, and sitting 3 begins (the commands that check them are in README.md)


def split_projection(in_proj_weight):
    """Split torch's fused projection (3 d, d) into W_Q, W_K and W_V, each (d, d), which share no memory with it."""
    # Your code here: return the three weights.
    raise NotImplementedError


class CrossAttention(nn.Module):
    """Multi-head attention of queries to a memory. Single heads can be switched off."""

    def __init__(self, d_model, num_heads):
        """Make ``W_Q``, ``W_K``, ``W_V`` and ``W_O``: d_model -> d_model, without bias.

        Raises ValueError if ``num_heads`` does not divide ``d_model``.
        """
        # Your code here: make the four layers.
        raise NotImplementedError

    def forward(self, query, memory, mask=None, head_mask=None):
        """(B, T_q, d_model), (B, T_k, d_model), mask (B, T_k) bool or None, head_mask (num_heads,) float or None.

        Head i uses columns i*d_h .. (i+1)*d_h of each projection. Its result is multiplied by ``head_mask[i]`` before
        ``W_O``, its weights are not.

        Returns:
            output (B, T_q, d_model) and weights (B, num_heads, T_q, T_k).
        """
        # Your code here: return the output and the weights.
        raise NotImplementedError


# ---- 8. What does a head do?


def head_ablation(model, src, tgt_in, tgt_out):
    """Return how much accuracy each head is worth, (num_heads,), in the dtype of the logits.

    ``model`` is a TinyTranslator. Entry i is the accuracy of the argmax over all B * T_t positions with every head,
    minus that with head i masked by 0. No gradients; the model is unchanged.
    """

    # Your code here: return one difference a head.
    raise NotImplementedError


def mean_attention_map(attention, src_lengths, tgt_lengths):
    """(layers, B, heads, T_t, T_s), (B,), (B,) int -> (B, T_t, T_s): the mean over layers and heads.

    Exactly 0 from row ``tgt_lengths[b]`` and from column ``src_lengths[b]`` on. Rows are not normalised again.
    """
    # Your code here: return one map a sentence.
    raise NotImplementedError


# ---- Sitting 3 ends here (the command that checks it is in README.md)
