# %% [markdown]
# ## Something that works: a language model, and the same one with a leak
#
# A small language model reads `cat>cat.` letter by letter and predicts each next letter. After `>` it must
# repeat the word. We train it twice from the same start with your masks, your attention and your loss:
#
# - once with your `causal_mask`;
# - once with a mask that is wrong by a single place: position $i$ also sees $i + 1$, which is the answer.
#
# Then both models write: they get `cat>` and continue on their own. Which one has the lower loss? Which one
# would you ship?

# %%
import math
import random
import string

import matplotlib.pyplot as plt
import torch
from torch import nn
from tqdm import tqdm

from masking import causal_mask, combine_masks, masked_attention, masked_cross_entropy, padding_mask

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
STEPS, BATCH, DIM, BLOCKS = 1200, 64, 32, 2
SHORTEST, LONGEST = 3, 6
SYMBOLS = string.ascii_lowercase + ">."
WIDTH = 2 * LONGEST + 2  # the longest text: a word, ">", the word again, "."


# %% [markdown]
# ### The two masks
#
# One row of a larger causal mask sees one place more. Nothing else differs between the two models.


# %%
def leaking_mask(length):
    """The mistake: position i sees j <= i + 1."""
    return causal_mask(length + 1)[1:, :-1]


# %% [markdown]
# ### The texts
#
# The words are random letters, so a model cannot know them by heart. Shorter texts are filled up with dots.
# Your `padding_mask` and your loss hide them.


# %%
def random_words(count):
    return ["".join(random.choices(string.ascii_lowercase, k=random.randint(SHORTEST, LONGEST))) for _ in range(count)]


def encode(texts):
    """Return token numbers (B, WIDTH), filled up with dots, and the lengths (B,)."""
    tokens = [[SYMBOLS.index(symbol) for symbol in text.ljust(WIDTH, ".")] for text in texts]
    return torch.tensor(tokens), torch.tensor([len(text) for text in texts])


def decode(tokens):
    return "".join(SYMBOLS[token] for token in tokens)


# %% [markdown]
# ### The model
#
# Two blocks of your attention, each with a small network behind it. All the rest is plumbing.


# %%
class Block(nn.Module):
    """Your attention with one head, then a small network, each added to its input."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(DIM)
        self.project = nn.Linear(DIM, 3 * DIM)
        self.join = nn.Linear(DIM, DIM)
        self.network = nn.Sequential(nn.LayerNorm(DIM), nn.Linear(DIM, 2 * DIM), nn.ReLU(), nn.Linear(2 * DIM, DIM))

    def forward(self, x, mask):
        query, key, value = self.project(self.norm(x)).chunk(3, dim=-1)
        output, weights = masked_attention(query, key, value, mask)
        x = x + self.join(output)
        return x + self.network(x), weights


class LanguageModel(nn.Module):
    """Predicts the next symbol at every place. ``attention_mask`` makes a (T, T) mask from a length."""

    def __init__(self, attention_mask):
        super().__init__()
        self.attention_mask = attention_mask
        self.symbols = nn.Embedding(len(SYMBOLS), DIM)
        self.places = nn.Embedding(WIDTH, DIM)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.out = nn.Linear(DIM, len(SYMBOLS))

    def forward(self, tokens, lengths):
        """Return logits for the next symbol (B, T, V), and the weights of each block (B, T, T)."""
        length = tokens.size(1)
        mask = combine_masks(padding_mask(lengths, length), self.attention_mask(length))
        x = self.symbols(tokens) + self.places(torch.arange(length))
        maps = []
        for block in self.blocks:
            x, weights = block(x, mask)
            maps.append(weights)
        return self.out(x), maps


# %% [markdown]
# ### Training and writing
#
# In training, all places of a text are predicted at once (teacher forcing). In writing, there is no next
# letter yet: the model adds one letter, reads it, and goes on.


# %%
def train(attention_mask, name):
    """Return a trained model and its loss at each step."""
    random.seed(SEED)
    torch.manual_seed(SEED)  # the same start and the same words for both models
    model = LanguageModel(attention_mask)
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=STEPS)
    losses = []
    for _ in tqdm(range(STEPS), desc=name):
        tokens, lengths = encode([f"{word}>{word}." for word in random_words(BATCH)])
        logits, _ = model(tokens[:, :-1], lengths - 1)  # the last symbol has no next one
        loss = masked_cross_entropy(logits, tokens[:, 1:], lengths - 1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return model, losses


@torch.no_grad()
def write(model, words):
    """Return what the model writes after ``word>``, up to its first dot."""
    tokens, lengths = encode([f"{word}>" for word in words])
    row = torch.arange(len(words))
    for _ in range(LONGEST + 1):
        logits, _ = model(tokens, lengths)
        tokens[row, lengths] = logits[row, lengths - 1].argmax(dim=-1)
        lengths = lengths + 1
    texts = [decode(line) for line in tokens]
    return [text[len(word) + 1 :].partition(".")[0] for text, word in zip(texts, words, strict=True)]


# %% [markdown]
# ### What comes out
#
# The letters before `>` are random, so no honest model can predict them. That gives a lower limit for the loss:
# $\ln 26$ for each random letter, and a little for the length of the word. Compare both losses with it.

# %%
letters = (SHORTEST + LONGEST) / 2 - 1  # random ones to predict in a text; the first is given
limit = (letters * math.log(26) + math.log(LONGEST - SHORTEST + 1)) / (SHORTEST + LONGEST + 1)
models = {"causal": train(causal_mask, "causal"), "leaking": train(leaking_mask, "leaking")}
random.seed(SEED + 1)
unseen, shown = random_words(500), ["masked", "window", "query"]

print(f"No honest model can get below a loss of {limit:.3f}.")
for name, (model, losses) in models.items():
    right = sum(text == word for text, word in zip(write(model, unseen), unseen, strict=True)) / len(unseen)
    loss = torch.tensor(losses[-100:]).mean()
    print(f"{name:>8}: training loss {loss:.3f}, words written correctly {right:.1%}")
    for word, text in zip(shown, write(model, shown), strict=True):
        print(f"          {word}> continues with {text + '.'!r}")

# %% [markdown]
# Each row of a map shows where the second block looks to predict the **next** symbol. The causal model finds the
# next letter in the first copy of the word. Where does the leaking model find it?

# %%
text = "masked>masked"
figure, (left, *places) = plt.subplots(1, 3, figsize=(14, 4.5), layout="constrained")
for (name, (model, losses)), axes in zip(models.items(), places, strict=True):
    left.plot(losses, label=f"{name} mask", linewidth=1)
    with torch.no_grad():
        _, maps = model(*encode([text]))
    axes.imshow(maps[-1][0, : len(text), : len(text)], vmin=0, vmax=1)
    axes.set(title=f"{name} mask: attention weights", xlabel="symbol that is read", ylabel="symbol that reads")
    axes.set_xticks(range(len(text)), text)
    axes.set_yticks(range(len(text)), text)
left.axhline(limit, color="gray", linestyle="--", label="limit for honest models")
left.set(title="Training loss", xlabel="step", ylabel="loss per symbol (nats)", ylim=(0, None))
left.legend()
figure.savefig("experiment.png")
print("The figure is in experiment.png.")

# %% [markdown]
# ### Try more
#
# - Draw `maps[0]` in place of `maps[-1]`. What does the causal model need to find out in its first block?
# - Train with `lambda length: causal_mask(length) & window_mask(length, 3)`. Now no symbol looks back more than three
#   places. Up to which length can the model still copy words? Predict it first, and remember that there are two blocks.
# - Write a mask with which position $i$ sees $i + 2$ but not $i + 1$. Does the loss fall below the limit? And with
#   `BLOCKS = 1`? Explain the difference.
