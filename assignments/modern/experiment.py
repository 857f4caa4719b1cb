# %% [markdown]
# ## Something that works: a small language model with a cache
#
# Your `TransformerBlock` becomes a language model of letters. It reads a random word of eight letters that is written
# again and again, and predicts the next letter. Nobody tells it that the word repeats. Then it writes on by itself:
# once with your cache, once without. Does it write the same, and what does the cache save?

# %%
import time

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from modern import TransformerBlock, attention_costs, streamed_attention, visible_pairs

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
LETTERS, WORD, REPEATS = 12, 8, 3
WIDTH, HEADS, BLOCKS, HIDDEN = 32, 4, 2, 64
STEPS, BATCH = 250, 64


# %% [markdown]
# ### The model
#
# Two of your blocks, with an embedding before and a layer after them. `write_on` goes through the parts of a block by
# itself, because the cache belongs to the attention inside.


# %%
class Model(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.letters = nn.Embedding(LETTERS, WIDTH)
        self.blocks = nn.ModuleList(TransformerBlock(WIDTH, HEADS, groups, HIDDEN) for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.out = nn.Linear(WIDTH, LETTERS)

    def forward(self, text):
        """Return the logits of the next letter at each position: (B, T) -> (B, T, LETTERS)."""
        x = self.letters(text)
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))

    def extend(self, text, caches):
        """Return the logits at new letters, and the longer caches of all blocks."""
        x, longer = self.letters(text), []
        for block, (keys, values) in zip(self.blocks, caches, strict=True):
            output, keys, values = block.attention.extend(block.norm1(x), keys, values)
            x = x + output
            x = x + block.W_2(F.gelu(block.W_1(block.norm2(x))))
            longer.append((keys, values))
        return self.out(self.norm(x)), longer


def texts(count):
    """Return words that repeat: (count, WORD * REPEATS)."""
    return torch.randint(LETTERS, (count, WORD)).repeat(1, REPEATS)


def train(groups):
    torch.manual_seed(SEED)
    model = Model(groups)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in tqdm(range(STEPS), desc=f"{groups} groups"):
        text = texts(BATCH)
        loss = F.cross_entropy(model(text)[:, :-1].flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


@torch.no_grad()
def accuracy(model):
    """Return the share of right letters from the second time on that a word is read."""
    text = texts(500)
    guessed = model(text)[:, WORD - 1 : -1].argmax(dim=-1)
    return (guessed == text[:, WORD:]).float().mean().item()


# %% [markdown]
# ### Writing on
#
# Without a cache, each new letter costs a pass over the whole text. With it, each letter is read once.


# %%
@torch.no_grad()
def write_on(model, text, count, cached):
    """Return the text with ``count`` more letters, each the most likely one."""
    d_h = WIDTH // HEADS
    groups = model.blocks[0].attention.W_K.out_features // d_h
    nothing = torch.zeros(len(text), groups, 0, d_h)
    caches, new = [(nothing, nothing)] * BLOCKS, text
    for _ in range(count):
        if cached:
            logits, caches = model.extend(new, caches)
        else:
            logits = model(text)
        new = logits[:, -1:].argmax(dim=-1)
        text = torch.cat([text, new], dim=1)
    return text


def timed(*args):
    start = time.process_time()
    written = write_on(*args)
    return written, time.process_time() - start


start = texts(4)[:, : 2 * WORD]
curves, rows = {}, []
for groups in (4, 2, 1):
    model, curves[groups] = train(groups)
    with_cache, quick = timed(model, start, 200, True)
    without, slow = timed(model, start, 200, False)
    length = with_cache.size(1)
    _, _, cache = attention_costs(1, HEADS, groups, 1, length, WIDTH // HEADS)
    rows.append((groups, accuracy(model), cache * BLOCKS, slow / quick))
    same = "the same" if torch.equal(with_cache, without) else "another"
    print(f"{groups} groups: {rows[-1][1]:.1%} right, cache of {cache * BLOCKS:,} bytes a sentence,")
    print(f"          {same} text with the cache, {slow / quick:.1f} times as fast")

# %% [markdown]
# ### Long texts
#
# What would a text of 65,536 letters cost? Your formulas say it without running anything. And your
# `streamed_attention` computes the same numbers as a table of all scores.

# %%
length, d_h = 65_536, WIDTH // HEADS
_, matrix, cache = attention_costs(1, HEADS, 1, length, length, d_h)
print(f"all weights: {matrix / 2**30:.0f} GiB, the cache of one group: {cache / 2**20:.0f} MiB")
pairs = visible_pairs(length, 128, 256)
print(f"a window of 128 and a stride of 256 look at {pairs / length**2:.2%} of all pairs")
query, key, value = (torch.randn(1, 1024, d_h) for _ in range(3))
dense = torch.softmax(query @ key.transpose(1, 2) / d_h**0.5, dim=-1) @ value
gap = (streamed_attention(query, key, value, 100) - dense).abs().max()
print(f"streams and the table differ by at most {gap:.0e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
for groups, losses in curves.items():
    left.plot(losses, label=f"{groups} groups")
left.set(xlabel="step", ylabel="loss", title="Learning")
left.legend()
right.bar([str(groups) for groups, *_ in rows], [cache / 1024 for _, _, cache, _ in rows])
right.set(xlabel="groups", ylabel="KiB a sentence", title="The cache after 216 letters")
figure.tight_layout()
figure.savefig("experiment.png", dpi=120)
print("The figure is in experiment.png.")


# %% [markdown]
# ### Try more
#
# - Make the words longer than those that it learned from. From which length on does the model fail, and why?
# - Leave out `apply_rotary` in your layer. Does the model still learn?
# - Put `window_attention` with a radius of 4 in place of the attention of the first block. What is lost?
