# %% [markdown]
# ## Something that works: a look into two small networks
#
# Your instruments now look at real weights. First a small aligner learns to translate "big old house" into
# "maison grand vieux" (no endings here), and you watch its weights while it learns. Then two classifiers answer
# the same question equally well. Do the weights of both explain their answers?

# %%
import random

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from diagnostics import (
    FAILURES,
    PATTERNS,
    ablation_effects,
    alignment_error_rate,
    alignment_links,
    attention_geometry,
    classify_pattern,
    coverage,
    diagnose_failure,
    permutation_test,
    rank_agreement,
    sharpness,
)

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
NOUNS = {"house": "maison", "cat": "chat", "tree": "arbre", "road": "route", "song": "chanson", "king": "roi"}
ADJECTIVES = {"big": "grand", "old": "vieux", "red": "rouge", "sad": "triste", "new": "neuf", "far": "lointain"}
COMPOUNDS = {"potato": "pomme de terre", "railway": "chemin de fer", "rainbow": "arc en ciel"}
FILLERS = ("well", "um")
STEPS, BATCH, DIM = 600, 64, 48
TEMPERATURE = 4.0 * DIM


# %% [markdown]
# ### Sentences whose alignment is known
#
# An adjective comes after its noun in French, a compound has three words there, and fillers have none. The links of
# nouns and adjectives are sure. Those of a compound's three words are possible, and the first of them is sure.


# %%
def phrase():
    """Return pairs of a source word and its translation, in the order of the source; and the order of the target."""
    words = [(word, ADJECTIVES[word]) for word in random.sample(list(ADJECTIVES), random.choice((0, 0, 1, 2)))]
    noun = random.choice([*NOUNS, *COMPOUNDS])
    words.append((noun, NOUNS.get(noun) or COMPOUNDS[noun]))
    order = [len(words) - 1, *range(len(words) - 1)]
    if random.random() < 0.4:
        words.append((random.choice(FILLERS), ""))
    return words, order


def sentence():
    """Return source words, target words, and the source position of each target word."""
    source, target, links = [], [], []
    for _ in range(random.randint(1, 3)):
        words, order = phrase()
        for place in order:
            for part in words[place][1].split():
                target.append(part)
                links.append(len(source) + place)
        source += [word for word, _ in words]
    return source, target, links


SOURCE = sorted([*NOUNS, *ADJECTIVES, *COMPOUNDS, *FILLERS])
TARGET = ["<start>", *sorted([*NOUNS.values(), *ADJECTIVES.values()])]
TARGET += sorted({part for text in COMPOUNDS.values() for part in text.split()})


def padded(rows):
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def batch(count):
    """Return source words, target words and their inputs, lengths, and the sure and possible links."""
    sources, targets, links = zip(*(sentence() for _ in range(count)), strict=True)
    words = padded([[SOURCE.index(word) for word in one] for one in sources])
    given = padded([[TARGET.index(word) for word in one] for one in targets])
    lengths = torch.tensor([len(one) for one in sources]), torch.tensor([len(one) for one in targets])
    possible = torch.zeros(count, given.size(1), words.size(1), dtype=torch.bool)
    sure = possible.clone()
    for b, one in enumerate(links):
        for t, j in enumerate(one):
            possible[b, t, j] = True
            sure[b, t, j] = j not in one[:t]
    return words, given, *lengths, sure, possible


# %% [markdown]
# ### The aligner
#
# It predicts each word from its context alone. So it has to look at the right word.


# %%
class Aligner(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(len(SOURCE), DIM)
        self.encoder = nn.GRU(DIM, DIM, batch_first=True, bidirectional=True)
        self.keys = nn.Linear(2 * DIM, DIM)
        self.inputs = nn.Embedding(len(TARGET), DIM)
        self.decoder = nn.GRU(DIM, DIM, batch_first=True)
        self.out = nn.Linear(2 * DIM, len(TARGET))

    def forward(self, words, given, src_lengths):
        """Return logits (B, T_t, V) and weights (B, T_t, T_s)."""
        values = self.words(words)
        packed = nn.utils.rnn.pack_padded_sequence(values, src_lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        before = F.pad(given, (1, 0))[:, :-1]  # <start>, and each word but the last
        queries, _ = self.decoder(self.inputs(before))
        scores = queries @ self.keys(states).transpose(1, 2) / DIM**0.5
        real = torch.arange(words.size(1)) < src_lengths.unsqueeze(1)
        weights = torch.softmax(scores.masked_fill(~real.unsqueeze(1), -1e9), dim=-1)
        return self.out(torch.cat([weights @ values, self.inputs(before)], dim=-1)), weights


def diagnosis(weights, src_lengths, tgt_lengths, sure, possible):
    """Return the mean entropy, the alignment error rate, and how many sentences have each pattern and failure."""
    entropy, _ = sharpness(weights, tgt_lengths)
    rate = alignment_error_rate(alignment_links(weights, src_lengths, tgt_lengths), sure, possible)
    patterns = classify_pattern(weights, src_lengths, tgt_lengths).bincount(minlength=len(PATTERNS))
    failures = diagnose_failure(weights, src_lengths, tgt_lengths).bincount(minlength=len(FAILURES))
    return entropy.mean().item(), rate, patterns, failures


random.seed(SEED)
torch.manual_seed(SEED)
aligner = Aligner()
optimizer = torch.optim.Adam(aligner.parameters(), lr=3e-3)
words, given, *lengths, sure, possible = batch(500)  # unseen: sentences are drawn anew in each step
history = []
for step in tqdm(range(STEPS + 1), desc="aligner"):
    if step % 20 == 0:
        with torch.no_grad():
            logits, weights = aligner(words, given, lengths[0])
        real = torch.arange(given.size(1)) < lengths[1].unsqueeze(1)
        right = ((logits.argmax(-1) == given) & real).sum() / real.sum()
        history.append((step, right.item(), *diagnosis(weights, *lengths, sure, possible)))
    inputs, wanted, source_lengths, target_lengths, _, _ = batch(BATCH)
    logits, _ = aligner(inputs, wanted, source_lengths)
    real = torch.arange(wanted.size(1)) < target_lengths.unsqueeze(1)
    loss = F.cross_entropy(logits[real], wanted[real])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for step, right, entropy, rate, patterns, failures in (history[0], history[5], history[-1]):
    print(f"step {step:>4}: words {right:.1%}, entropy {entropy:.2f}, alignment error rate {rate:.1%}")
    print("           patterns:", ", ".join(f"{name} {n}" for name, n in zip(PATTERNS, patterns.tolist(), strict=True)))
    print("           failures:", ", ".join(f"{name} {n}" for name, n in zip(FAILURES, failures.tolist(), strict=True)))

received, _ = coverage(weights, *lengths)
kinds = {"nouns": NOUNS, "adjectives": ADJECTIVES, "compounds": COMPOUNDS, "fillers": FILLERS}
real = torch.arange(words.size(1)) < lengths[0].unsqueeze(1)
for name, members in kinds.items():
    chosen = real & torch.isin(words, torch.tensor([SOURCE.index(word) for word in members]))
    print(f"one of the {name} receives {received[chosen].mean():.2f} in total")

# %% [markdown]
# ### Two classifiers
#
# Each sentence has one noun, at any place: which one is it? Both classifiers read the same words. One attends to the
# words themselves. In the other, the words first read each other, by self-attention without projections as in your
# `attention_geometry`. Both answer almost without a mistake.


# %%
class Classifier(nn.Module):
    def __init__(self, mixed):
        super().__init__()
        self.mixed = mixed
        self.words = nn.Embedding(len(SOURCE), DIM)
        self.score = nn.Sequential(nn.Linear(DIM, DIM), nn.Tanh(), nn.Linear(DIM, 1))
        self.out = nn.Linear(DIM, len(NOUNS))

    def forward(self, words):
        """Return weights (B, T) and states (B, T, DIM)."""
        states = self.words(words)
        if self.mixed:
            states = torch.softmax(states @ states.transpose(1, 2) / TEMPERATURE, dim=-1) @ states
        return torch.softmax(self.score(states).squeeze(-1), dim=-1), states


def questions(count, length=8):
    """Return sentences of other words with one noun each, and which noun it is."""
    others = torch.tensor([SOURCE.index(word) for word in (*ADJECTIVES, *COMPOUNDS, *FILLERS)])
    words = others[torch.randint(len(others), (count, length))]
    answers = torch.randint(len(NOUNS), (count,))
    nouns = torch.tensor([SOURCE.index(word) for word in NOUNS])
    words[torch.arange(count), torch.randint(length, (count,))] = nouns[answers]
    return words, answers


def train(mixed, steps=500):
    torch.manual_seed(SEED)
    model = Classifier(mixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in tqdm(range(steps), desc="mixed" if mixed else "words"):
        words, answers = questions(BATCH)
        weights, states = model(words)
        loss = F.cross_entropy(model.out((weights.unsqueeze(-1) * states).sum(1)), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


# %% [markdown]
# ### Do the weights explain the answer?
#
# Your `permutation_test` lets the weights change places. Your `ablation_effects` leaves out one word after the
# other, and `rank_agreement` compares the order of these effects with that of the weights.

# %%
found = {}
for name, mixed in {"words": False, "mixed": True}.items():
    model = train(mixed)
    with torch.no_grad():
        words, answers = questions(500)
        weights, states = model(words)
        right = (model.out((weights.unsqueeze(-1) * states).sum(1)).argmax(-1) == answers).float().mean()
        layer = weights, states, model.out.weight, model.out.bias
        orders = torch.stack([torch.randperm(words.size(1)) for _ in range(51)])
        _, median = permutation_test(*layer, orders)
        effects = ablation_effects(*layer)
        agreement = rank_agreement(weights, effects)
        before, after, gain = attention_geometry(model.words(words), TEMPERATURE)
    found[name] = median
    print(f"{name:>5}: right {right:.1%}, largest weight {weights.amax(1).mean():.2f}, ", end="")
    print(f"permuted weights move the answer by {median.median():.2f}, Kendall's tau {agreement.mean():.2f}")
    if mixed:
        others = ~torch.eye(words.size(1), dtype=torch.bool)
        print(
            f"       similarity of two words {before[:, others].mean():.2f}, mixed {after[:, others].mean():.2f}",
            end="",
        )
        print(f", gain {gain.mean():.2f}")

# %%
figure, (left, middle, last) = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
steps = [one[0] for one in history]
left.plot(steps, [one[2] for one in history], label="mean entropy (nats)")
left.plot(steps, [one[3] for one in history], label="alignment error rate")
left.set(title="The aligner learns", xlabel="step", ylim=(0, None))
left.legend()
counts = torch.stack([one[4] for one in history])
middle.stackplot(steps, counts.T, labels=PATTERNS)
middle.set(title="Its patterns", xlabel="step", ylabel="sentences")
middle.legend(loc="lower right")
last.hist([found["words"], found["mixed"]], bins=20, range=(0, 1), label=["words", "mixed"])
last.set(title="How far permuted weights move the answer", xlabel="total variation", ylabel="sentences")
last.legend()
figure.savefig("experiment.png")

# %% [markdown]
# ### Try more
#
# - Take `self.inputs(before)` out of the aligner's prediction. Which words can it no longer tell apart, and what
#   happens to the alignment error rate?
# - Multiply the classifier's scores by 5. Your `temperature_curve` says what becomes of the entropy. Does the
#   permutation test change?
# - Set `TEMPERATURE` to 10. How alike are the mixed words then, and what do permuted weights change?
