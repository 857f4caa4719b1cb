"""Assignment 6. Runs in the evening, on a laptop."""
import collections
import math
import random
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

# ---------------------------------------------------------------- given
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
        encoded, _ = self.encoder(self.src_embedding(src) + sinusoids(src.size(1), self.emb_dim))
        last = encoded[torch.arange(len(src)), src_lengths - 1]
        words = self.tgt_embedding(tgt_in) + sinusoids(tgt_in.size(1), self.emb_dim)
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
            torch.cat([x, sinusoids(x.size(1), self.emb_dim).expand(len(x), -1, -1)], dim=-1) for x in (states, encoded)
        )
        scores = queries @ self.W_a(keys).transpose(1, 2)
        real = torch.arange(src.size(1)) < src_lengths.unsqueeze(1)
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


# ---------------------------------------------------------------- data and training
def copy_task(length, count, vocab_size, seed):
    rng = random.Random(seed)
    rows = [[rng.randrange(3, vocab_size) for _ in range(length)] for _ in range(count)]
    src = torch.tensor(rows, dtype=torch.int64)
    tgt_in = F.pad(src, (1, 0), value=BOS)
    tgt_out = F.pad(src, (0, 1), value=EOS)
    return src, tgt_in, tgt_out


def copy_accuracy(predicted, src):
    B, T = src.shape
    right = 0
    for j in range(T):
        if j < predicted.shape[1]:
            right += int((predicted[:, j] == src[:, j]).sum())
    return right / (B * T)


def batches(order, size):
    for start in range(0, len(order), size):
        yield order[start : start + size]


def train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size, clip=1.0):
    losses = []
    for batch in batches(order, batch_size):
        optimizer.zero_grad()
        for p in model.parameters():
            p.grad = None  # also those that the optimizer does not know
        logits = model(src[batch], src_lengths[batch], tgt_in[batch])
        token_loss = F.cross_entropy(logits.transpose(1, 2), tgt_out[batch], reduction="none")
        real = torch.arange(tgt_out.shape[1])[None, :] < tgt_lengths[batch][:, None]
        loss = (token_loss * real).sum() / real.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip)
        optimizer.step()
        losses.append(float(loss))
    return losses


@torch.no_grad()
def decode(model, src, src_lengths, steps):
    words = torch.full((src.shape[0], 1), BOS, dtype=torch.int64)
    for _ in range(steps):
        logits = model(src, src_lengths, words)
        words = torch.cat([words, logits[:, -1:].argmax(-1)], dim=1)
    return words[:, 1:]


def train_copier(kind, seed, train_lengths, vocab_size, updates=60):
    torch.manual_seed(seed)
    model = kind(vocab_size, vocab_size)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    rng = random.Random(seed)
    ordered = sorted(train_lengths)
    # short rows first, then longer ones too; the whole range twice
    plan = [ordered[:n] for n in range(1, len(ordered) + 1)] + [ordered]
    for allowed in plan:
        for _ in range(updates):
            n = rng.choice(allowed)
            src, tgt_in, tgt_out = copy_task(n, 32, vocab_size, rng.getrandbits(40))
            lengths = torch.full((32,), n)
            train_epoch(model, optimizer, src, lengths, tgt_in, tgt_out, lengths + 1, torch.randperm(32), 32)
    return model


def copy_curves(seed, lengths, train_lengths, vocab_size=13):
    curves = torch.zeros(2, len(lengths))
    for row, kind in enumerate([FixedContext, WithAttention]):
        model = train_copier(kind, seed, train_lengths, vocab_size)
        for column, n in enumerate(lengths):
            src, _, _ = copy_task(n, 64, vocab_size, 10**12 + 1000 * seed + n)  # never used in training
            curves[row, column] = copy_accuracy(decode(model, src, torch.full((64,), n), n), src)
    return curves


# ---------------------------------------------------------------- BLEU
def ngrams(tokens, n):
    return collections.Counter(zip(*(tokens[k:] for k in range(n))))


def corpus_bleu(pairs):
    if not pairs:
        return 0.0
    hits, totals = [0] * 4, [0] * 4
    c = r = 0
    for candidate, reference in pairs:
        c, r = c + len(candidate), r + len(reference)
        for n in range(1, 5):
            mine, theirs = ngrams(candidate, n), ngrams(reference, n)
            hits[n - 1] += sum(min(k, theirs[g]) for g, k in mine.items())
            totals[n - 1] += sum(mine.values())
    if min(hits) == 0:
        return 0.0
    precision = sum(math.log(h / t) for h, t in zip(hits, totals)) / 4
    brevity = 0.0 if c > r else 1 - r / c
    return 100 * math.exp(precision + brevity)


def bleu_by_length(candidates, references, source_lengths, buckets):
    scores = []
    for first, last in buckets:
        chosen = [k for k, n in enumerate(source_lengths) if first <= n and n <= last]
        scores.append(corpus_bleu([(candidates[k], references[k]) for k in chosen]))
    return scores


class Vocabulary:
    def __init__(self, sentences):
        words = sorted(set(word for sentence in sentences for word in sentence))
        self.ids = {word: 3 + k for k, word in enumerate(words)}
        self.words = dict((k, word) for word, k in self.ids.items())
        self.unknown = 3 + len(words)
        self.size = self.unknown + 1

    def encode(self, sentence):
        return [self.ids.get(word, self.unknown) for word in sentence]

    def decode(self, ids):
        out = []
        for k in ids:
            if k == EOS:
                break
            out.append(self.words.get(k, f"#{k}"))
        return out


def padded(rows):
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows]), torch.tensor([len(row) for row in rows])


def translation_bleu(seed, epochs=20):
    corpus = toy_corpus(seed, 500)
    train, test = corpus[:400], corpus[400:]
    english, german = Vocabulary([e for e, _ in train]), Vocabulary([g for _, g in train])
    src, src_lengths = padded([english.encode(e) for e, _ in train])
    tgt_in, _ = padded([[BOS] + german.encode(g) for _, g in train])
    tgt_out, tgt_lengths = padded([german.encode(g) + [EOS] for _, g in train])
    test_src, test_lengths = padded([english.encode(e) for e, _ in test])
    table = []
    for kind in (FixedContext, WithAttention):
        torch.manual_seed(seed)
        model = kind(english.size, german.size)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
        for epoch in range(epochs):
            losses = train_epoch(
                model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, torch.randperm(len(train)), 32
            )
            if epoch % 5 == 4:
                print(kind.__name__, epoch + 1, round(sum(losses) / len(losses), 3))
        said = [german.decode(ids) for ids in decode(model, test_src, test_lengths, 20).tolist()]
        table.append(bleu_by_length(said, [g for _, g in test], [len(e) for e, _ in test], BUCKETS))
    return torch.tensor(table)


# ---------------------------------------------------------------- time
class Additive(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.W_s, self.W_h = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, 1, bias=False)

    def forward(self, s, h):
        a = self.v(torch.tanh(self.W_s(s)[:, None] + self.W_h(h))).softmax(dim=1)
        return (a * h).sum(dim=1)


class Dot(nn.Module):
    def forward(self, s, h):
        a = torch.bmm(h, s[:, :, None]).softmax(dim=1)
        return (a * h).sum(dim=1)


def attention_times(lengths, width=128, repeats=20):
    rows = []
    with torch.no_grad():
        for attention in (Additive(width), Dot()):
            row = []
            for n in lengths:
                s, h = torch.randn(1, width), torch.randn(1, n, width)
                for _ in range(3):
                    attention(s, h)
                taken = []
                for _ in range(repeats):
                    before = time.perf_counter()
                    attention(s, h)
                    taken.append(time.perf_counter() - before)
                row.append(statistics.median(taken))
            rows.append(row)
    return torch.tensor(rows, dtype=torch.float32)


# ---------------------------------------------------------------- heads
def split_projection(in_proj_weight):
    d = in_proj_weight.shape[1]
    return tuple(in_proj_weight[k * d : (k + 1) * d].clone() for k in range(3))


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.num_heads, self.d_h = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, memory, mask=None, head_mask=None):
        q, k, v = self.W_Q(query), self.W_K(memory), self.W_V(memory)
        results, weights = [], []
        for i in range(self.num_heads):
            columns = slice(i * self.d_h, (i + 1) * self.d_h)
            scores = q[..., columns] @ k[..., columns].transpose(1, 2) / math.sqrt(self.d_h)
            if mask is not None:
                hidden = ~mask[:, None, :]
                scores = scores.masked_fill(hidden, -1e30 if scores.dtype == torch.float32 else -1e300)
                a = scores.softmax(dim=-1).masked_fill(hidden, 0.0)
            else:
                a = scores.softmax(dim=-1)
            result = a @ v[..., columns]
            if head_mask is not None:
                result = result * head_mask[i]
            results.append(result)
            weights.append(a)
        return self.W_O(torch.cat(results, dim=-1)), torch.stack(weights, dim=1)


def head_ablation(model, src, tgt_in, tgt_out):
    def accuracy(head_mask):
        with torch.no_grad():
            logits = model(src, tgt_in, head_mask)
        return (logits.argmax(-1) == tgt_out).sum().to(logits.dtype) / tgt_out.numel()

    everything = torch.ones(model.num_heads, dtype=model.out.weight.dtype)
    whole = accuracy(everything)
    drops = []
    for i in range(model.num_heads):
        mask = everything.clone()
        mask[i] = 0
        drops.append(whole - accuracy(mask))
    return torch.stack(drops)


def mean_attention_map(attention, src_lengths, tgt_lengths):
    maps = attention.mean(dim=2).mean(dim=0)
    result = torch.zeros_like(maps)
    for b, (s, t) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        result[b, :t, :s] = maps[b, :t, :s]
    return result


if __name__ == "__main__":
    print(copy_curves(0, LENGTHS, LENGTHS))
    print(translation_bleu(0))
    print(attention_times((10, 100, 1000)))
