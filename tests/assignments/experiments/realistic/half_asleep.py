import math, random, time
from collections import Counter
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

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


# my part from here

def copy_task(length, count, vocab_size, seed):
    g = torch.Generator()
    g.manual_seed(seed)
    src = torch.randint(low=3, high=vocab_size, size=(count, length), generator=g)
    ones = torch.ones(count, 1, dtype=torch.long)
    return src, torch.cat((BOS * ones, src), 1), torch.cat((src, EOS * ones), 1)

def copy_accuracy(predicted, src):
    n = min(predicted.shape[1], src.shape[1])
    same = predicted[:, :n] == src[:, :n]
    return same.float().mean().item() if n else 0.0

def train_epoch(model, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, order, batch_size, clip=1.0):
    out = []
    for i in range(0, order.numel(), batch_size):
        b = order[i:i + batch_size]
        logits = model(src[b], src_lengths[b], tgt_in[b])
        y = tgt_out[b].clone()
        for row, n in zip(y, tgt_lengths[b].tolist()):
            row[n:] = -100
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=-100)
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        out.append(loss.item())
    return out

def greedy(model, src, n, steps):
    y = torch.full((len(src), 1), BOS)
    with torch.no_grad():
        while y.shape[1] <= steps:
            y = torch.cat([y, model(src, n, y)[:, -1].argmax(1)[:, None]], 1)
    return y[:, 1:]

def copy_curves(seed, lengths, train_lengths, vocab_size=13):
    res = []
    for M in FixedContext, WithAttention:
        torch.manual_seed(seed)
        m = M(vocab_size, vocab_size)
        opt = torch.optim.Adam(m.parameters(), 0.008)
        r = random.Random(seed)
        ls = sorted(train_lengths)
        for k in list(range(len(ls))) + [len(ls) - 1]:
            for _ in range(60):
                n = r.choice(ls[:k + 1])
                src, a, b = copy_task(n, 32, vocab_size, r.randrange(10 ** 9))
                N = torch.full((32,), n)
                train_epoch(m, opt, src, N, a, b, N + 1, torch.arange(32), 32)
        row = []
        for n in lengths:
            src = copy_task(n, 100, vocab_size, 2 * 10 ** 9 + seed)[0]
            row.append(copy_accuracy(greedy(m, src, torch.full((100,), n), n), src))
        res.append(row)
    return torch.tensor(res)

def bleu_by_length(candidates, references, source_lengths, buckets):
    def ng(x, n):
        return Counter(tuple(x[i:i + n]) for i in range(len(x) - n + 1))
    def bleu(cs, rs):
        if not cs: return 0.0
        s = 0.0
        for n in (1, 2, 3, 4):
            hit = sum(sum((ng(c, n) & ng(r, n)).values()) for c, r in zip(cs, rs))
            tot = sum(max(0, len(c) - n + 1) for c in cs)
            if hit == 0: return 0.0
            s += 0.25 * math.log(hit / tot)
        c, r = sum(map(len, cs)), sum(map(len, rs))
        return 100.0 * math.exp(s) * (1.0 if c >= r else math.exp(1 - r / c))
    out = []
    for a, z in buckets:
        idx = [i for i, n in enumerate(source_lengths) if a <= n <= z]
        out.append(bleu([candidates[i] for i in idx], [references[i] for i in idx]))
    return out

def translation_bleu(seed, epochs=20):
    data = toy_corpus(seed, 500)
    train, test = data[:400], data[400:]
    vocab = [{}, {}]
    for pair in train:
        for v, sentence in zip(vocab, pair):
            for w in sentence:
                v.setdefault(w, len(v) + 3)
    ids = lambda k, s: [vocab[k].get(w, len(vocab[k]) + 3) for w in s]
    tens = lambda rows: pad_sequence([torch.tensor(r) for r in rows], batch_first=True, padding_value=PAD)
    src = tens([ids(0, e) for e, _ in train])
    n = torch.tensor([len(e) for e, _ in train])
    tin, tout = tens([[BOS] + ids(1, g) for _, g in train]), tens([ids(1, g) + [EOS] for _, g in train])
    m = torch.tensor([len(g) + 1 for _, g in train])
    back = {i: w for w, i in vocab[1].items()}
    res = []
    for M in FixedContext, WithAttention:
        torch.manual_seed(seed)
        model = M(len(vocab[0]) + 4, len(vocab[1]) + 4)
        opt = torch.optim.Adam(model.parameters(), lr=5e-3)
        for _ in range(epochs):
            train_epoch(model, opt, src, n, tin, tout, m, torch.randperm(400), 32)
        x = tens([ids(0, e) for e, _ in test])
        xn = torch.tensor([len(e) for e, _ in test])
        said = []
        for row in greedy(model, x, xn, 20).tolist():
            if EOS in row: row = row[:row.index(EOS)]
            said.append([back.get(i, '<%d>' % i) for i in row])
        res.append(bleu_by_length(said, [g for _, g in test], xn.tolist(), BUCKETS))
    return torch.tensor(res)

def attention_times(lengths, width=128, repeats=20):
    A, B, v = torch.randn(width, width) / 11, torch.randn(width, width) / 11, torch.randn(width)
    def add(q, h):
        w = (torch.tanh(q @ A + h @ B) @ v).softmax(0)
        return w @ h
    def dot(q, h):
        return (h @ q).softmax(0) @ h
    out = torch.zeros(2, len(lengths))
    with torch.no_grad():
        for i, f in enumerate((add, dot)):
            for j, n in enumerate(lengths):
                q, h = torch.randn(width), torch.randn(n, width)
                ts = []
                for _ in range(repeats):
                    t = time.perf_counter(); f(q, h); ts.append(time.perf_counter() - t)
                # the average is less noisy
                out[i, j] = sum(ts) / len(ts)
    return out

def split_projection(in_proj_weight):
    q, k, v = in_proj_weight.clone().split(in_proj_weight.shape[1])
    return q.clone(), k.clone(), v.clone()

class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads: raise ValueError('heads')
        self.h = num_heads
        for name in 'QKVO':
            setattr(self, 'W_' + name, nn.Linear(d_model, d_model, bias=False))
    def forward(self, query, memory, mask=None, head_mask=None):
        B, Tq, D = query.shape
        f = lambda x: x.view(B, x.shape[1], self.h, D // self.h).transpose(1, 2)
        q, k, v = f(self.W_Q(query)), f(self.W_K(memory)), f(self.W_V(memory))
        s = q @ k.mT / (D // self.h) ** 0.5
        if mask is not None:
            m = mask[:, None, None]
            s = s.masked_fill(~m, torch.finfo(s.dtype).min)
        w = s.softmax(-1)
        if mask is not None: w = w * m
        o = w @ v
        if head_mask is not None: o = o * head_mask.view(1, -1, 1, 1)
        return self.W_O(o.transpose(1, 2).reshape(B, Tq, D)), w

def head_ablation(model, src, tgt_in, tgt_out):
    acc = []
    with torch.no_grad():
        for i in range(-1, model.num_heads):
            hm = torch.ones(model.num_heads).to(model.out.weight)
            if i >= 0: hm[i] = 0
            o = model(src, tgt_in, hm)
            acc.append((o.argmax(2) == tgt_out).to(o.dtype).mean())
    return acc[0] - torch.stack(acc[1:])

def mean_attention_map(attention, src_lengths, tgt_lengths):
    a = attention.mean((0, 2))
    r = torch.arange(a.shape[1], device=a.device)[None, :, None] < tgt_lengths.to(a.device)[:, None, None]
    c = torch.arange(a.shape[2], device=a.device)[None, None] < src_lengths.to(a.device)[:, None, None]
    return a * (r & c)
