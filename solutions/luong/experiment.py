# %% [markdown]
# ## Something that works: a translator that finds the word order
#
# French puts most adjectives behind the noun: "the hungry grey wolf" is "le loup gris affamé". We train two small
# translators on such sentences. Nobody tells them which word belongs to which. They see an English sentence, its
# French translation, and a loss.
#
# - The first one uses your `LuongAttention`: it may look at every English word.
# - The second one uses your `local_weights`: it sees five words at most, and learns where to put this window.
#
# Both predict from your `AttentionalHidden`. Then we ask: does the largest weight of each French word lie on the
# English word that it translates?

# %%
import random

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from luong import AttentionalHidden, LuongAttention, local_weights

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
STEPS, BATCH = 800, 64
ENC_DIM, DEC_DIM = 48, 64
HALF_WIDTH = 2  # of the window in the second translator

ARTICLES = {"the": "le", "a": "un", "this": "ce", "every": "chaque"}
ADJECTIVES = {"black": "noir", "white": "blanc", "green": "vert", "grey": "gris"}
ADJECTIVES |= {"quick": "rapide", "calm": "calme", "sad": "triste", "hungry": "affamé"}
NOUNS = {"cat": "chat", "dog": "chien", "horse": "cheval", "wolf": "loup", "fox": "renard", "rabbit": "lapin"}
VERBS = {"sees": "voit", "follows": "suit", "hears": "entend", "finds": "trouve", "fears": "craint"}
JOINING = {"and": "et", "but": "mais"}
DICTIONARY = ARTICLES | ADJECTIVES | NOUNS | VERBS | JOINING
ENGLISH, FRENCH = [*DICTIONARY], ["<start>", *DICTIONARY.values()]


# %% [markdown]
# ### The sentences
#
# A sentence comes with an order: French word $t$ translates English word `order[t]`. Only the evaluation uses it.


# %%
def pick(words):
    return random.choice([*words])


def noun_phrase():
    """Return English words, and the order in which French says them: after the article, backwards."""
    words = [pick(ARTICLES), *random.sample([*ADJECTIVES], random.randint(0, 2)), pick(NOUNS)]
    return words, [0, *range(len(words) - 1, 0, -1)]


def sentence():
    """Return a sentence of one or two clauses, and its order."""
    pieces = [noun_phrase(), ([pick(VERBS)], [0]), noun_phrase()]
    if random.random() < 0.5:
        pieces += [([pick(JOINING)], [0]), noun_phrase(), ([pick(VERBS)], [0]), noun_phrase()]
    words, order = [], []
    for more, places in pieces:
        order += [len(words) + place for place in places]
        words += more
    return tuple(words), tuple(order)


def tensors(sentences):
    """Return the English words, the French words and the orders of sentences of one length: three (N, T)."""
    source = [[ENGLISH.index(word) for word in words] for words, _ in sentences]
    target = [[FRENCH.index(DICTIONARY[words[place]]) for place in order] for words, order in sentences]
    return torch.tensor(source), torch.tensor(target), torch.tensor([order for _, order in sentences])


def by_length(sentences):
    """Return the tensors for each length. This assignment has no masks, so a batch has sentences of one length."""
    groups = {}
    for one in sentences:
        groups.setdefault(len(one[0]), []).append(one)
    return [tensors(group) for group in groups.values()]


# %% [markdown]
# ### The translator
#
# The encoder reads the sentence in both directions. The decoder starts with an empty state. All that it knows about
# the English sentence comes through your attention.


# %%
class Translator(nn.Module):
    """An encoder, a decoder, and your attention between them: over the whole sentence, or ``local``."""

    def __init__(self, local):
        super().__init__()
        self.local = local
        self.english = nn.Embedding(len(ENGLISH), ENC_DIM)
        self.french = nn.Embedding(len(FRENCH), DEC_DIM)
        self.encoder = nn.GRU(ENC_DIM, ENC_DIM // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(DEC_DIM, DEC_DIM, batch_first=True)
        self.attention = LuongAttention(ENC_DIM, DEC_DIM, method="general")
        self.shift = nn.Sequential(nn.Linear(DEC_DIM, DEC_DIM), nn.Tanh(), nn.Linear(DEC_DIM, 1))
        self.hidden = AttentionalHidden(ENC_DIM, DEC_DIM)
        self.out = nn.Linear(DEC_DIM, len(FRENCH))

    def forward(self, source, previous):
        """Return logits (B, T_t, V), weights (B, T_t, T_s) and the window's centres (B, T_t).

        ``previous`` holds the French word before each one that is to be predicted.
        """
        states, _ = self.encoder(self.english(source))
        decoder_states, _ = self.decoder(self.french(previous))
        # A window starts on the diagonal. How far it moves from there, the decoder's state decides.
        centres = torch.arange(previous.size(1)) + self.shift(decoder_states).squeeze(-1)
        if self.local:
            scores = self.attention.score(decoder_states, states)
            # For local_weights, each French word is a row of its own: (B * T_t, T_s).
            weights = local_weights(scores.flatten(0, 1), centres.flatten(), HALF_WIDTH).view_as(scores)
            context = weights @ states
        else:
            context, weights = self.attention(decoder_states, states)
        return self.out(self.hidden(context, decoder_states)), weights, centres


def shifted(target):
    """Return the word before each French word: first <start>, then the translation itself."""
    return F.pad(target[:, :-1], (1, 0), value=FRENCH.index("<start>"))


# %% [markdown]
# ### Training and measuring


# %%
def train(local, groups):
    """Return a trained translator."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    model = Translator(local)
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=STEPS)
    sizes = [len(source) for source, _, _ in groups]
    for _ in tqdm(range(STEPS), desc="local" if local else "global"):
        source, target, _ = random.choices(groups, sizes)[0]
        rows = torch.randint(len(source), (BATCH,))
        logits, _, _ = model(source[rows], shifted(target[rows]))
        loss = F.cross_entropy(logits.flatten(0, 1), target[rows].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def translate(model, source):
    """Return the French words, each chosen after the ones before, and where the model looked for each of them."""
    previous = torch.full_like(source[:, :1], FRENCH.index("<start>"))
    for _ in range(source.size(1)):
        logits, weights, centres = model(source, previous)
        previous = torch.cat([previous, logits[:, -1:].argmax(dim=-1)], dim=1)
    return previous[:, 1:], weights, centres


def measure(model, groups):
    """Return three shares: sentences translated without a mistake, words aligned, and sentences aligned throughout."""
    translated, aligned = [], []
    for source, target, order in groups:
        words, weights, _ = translate(model, source)
        translated += (words == target).all(dim=1).tolist()
        aligned += (weights.argmax(dim=-1) == order).tolist()
    words = sum(map(sum, aligned)) / sum(map(len, aligned))
    return sum(translated) / len(translated), words, sum(map(all, aligned)) / len(aligned)


# %%
random.seed(SEED)
known = [sentence() for _ in range(8000)]
unseen = {sentence() for _ in range(1000)} - {*known}
models = {"global": train(False, by_length(known)), "local": train(True, by_length(known))}

print(f"{len(unseen)} new sentences")
for name, model in models.items():
    translated, words, sentences = measure(model, by_length(sorted(unseen)))
    print(f"{name:>6}: {translated:.1%} translated without a mistake; the largest weight lies on the right word")
    print(f"        for {words:.1%} of the words, and everywhere in {sentences:.1%} of the sentences")

# %% [markdown]
# Each row of a map is one French word, and its weights say where it looks. A circle marks the word that it translates.
# In the second map, the line is the window, and the dot is its centre.

# %%
text = "the hungry grey wolf follows a calm rabbit but every dog fears this sad horse"
english = text.split()
source, _, order = tensors([(english, [0, 3, 2, 1, 4, 5, 7, 6, 8, 9, 10, 11, 12, 14, 13])])
row = range(len(english))
figure, places = plt.subplots(1, 2, figsize=(14, 6.5), layout="constrained")
for axes, (name, model) in zip(places, models.items(), strict=True):
    words, weights, centres = translate(model, source)
    french = [FRENCH[word] for word in words[0]]
    print(f"{name:>6}: {' '.join(french)}")
    axes.imshow(weights[0], cmap="Blues", vmin=0, vmax=1)
    axes.plot(order[0], row, "o", markersize=15, markerfacecolor="none", color="tab:orange")
    if model.local:
        axes.errorbar(centres[0], row, xerr=HALF_WIDTH, fmt=".", linewidth=1, color="tab:green")
    axes.set(title=f"{name}: attention weights", xlabel="English word", ylabel="French word")
    axes.set(xlim=(-0.5, len(english) - 0.5))
    axes.set_xticks(row, english, rotation=60)
    axes.set_yticks(row, french)
figure.savefig("experiment.png")
print("The figure is in experiment.png.")

# %% [markdown]
# ### Try more
#
# Predict each time, then run.
#
# - Set `SEED = 2`: the same code with another start. What changes in the first map? What does not?
# - Set `HALF_WIDTH = 1`, so that the window holds three words at most. Can the local translator still translate? And
#   what happens to its alignment?
# - Write `states = self.english(source)` in place of the encoder's line. Now a state knows its own word, but not its
#   neighbours and not its place. Why does the global translator fail? Why does the local one fail less often?
