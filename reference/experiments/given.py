# mypy: ignore-errors
"""The given code, as students have it: a test holds it to the solution's."""

import math
import random

import torch
from torch import nn

from reference.experiments.cross import CrossAttention

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
