# %% [markdown]
# ## Something that works: a model that learns to add
#
# Two layers of **your** attention learn to add two-digit numbers, written as characters: `37+58=590`. The answer
# stands backwards, ones first, as you add on paper. Nobody tells the model what a digit is worth, or when to carry
# a 1: it only sees examples. Your `sinusoidal_positions` tell it where each character stands. Your mask keeps it from
# reading the answer before it has written it. Afterwards you look at every head, and switch each one off in turn.

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn
from tqdm import tqdm

from self_attention import MultiHeadAttention, attention_entropy, sinusoidal_positions

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
STEPS, BATCH, WIDTH, HEADS, LAYERS = 1200, 128, 64, 4, 2
TOKENS = "0123456789+="
PLACES = ("ones", "tens", "hundreds")
torch.manual_seed(SEED)


# %% [markdown]
# ### The sums
#
# There are 10,000 sums of two two-digit numbers. The model trains on 8,000 of them. The other 2,000 are the test:
# the model never sees them while it learns, so it cannot know them by heart.


# %%
def written(pairs):
    """Return sums as characters: the number 3758 becomes the tokens of 37+58=590. (N,) -> (N, 9)."""
    a, b = pairs // 100, pairs % 100
    plus, equals = (torch.full_like(pairs, TOKENS.index(sign)) for sign in "+=")
    total = a + b
    digits = [a // 10, a % 10, plus, b // 10, b % 10, equals, total % 10, total // 10 % 10, total // 100]
    return torch.stack(digits, dim=1)


sums = written(torch.randperm(10_000))
train, test = sums[:8_000], sums[8_000:]


# %% [markdown]
# ### The model
#
# Each layer is your attention, then a small network for each position. The residual connections (`x + ...`) and the
# layer norms keep the gradients healthy. At each position the model predicts the next character, so position $i$ may
# look at position $j$ only if $j \le i$.


# %%
class Layer(nn.Module):
    """Your attention and a feed-forward network. Each adds its result to what was there before."""

    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(WIDTH, HEADS)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])

    def forward(self, x, mask):
        normed = self.norms[0](x)
        mixed, weights = self.attention(normed, normed, normed, mask)
        x = x + mixed
        return x + self.feed_forward(self.norms[1](x)), weights


class Adder(nn.Module):
    """Reads characters (N, T), and predicts at each position the next one: logits (N, T, tokens)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(TOKENS), WIDTH)
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.out = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(TOKENS)))

    def forward(self, characters):
        length = characters.size(1)
        x = self.embedding(characters) + sinusoidal_positions(length, WIDTH)
        place = torch.arange(length)
        mask = place <= place.unsqueeze(1)  # (T, T): True where a position may look
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask)
            maps.append(weights)
        return self.out(x), maps


# %% [markdown]
# ### Training


# %%
def answers(model, characters):
    """Return the logits of the three digits of the answer. The last digit is predicted, but never read."""
    logits, _ = model(characters[:, :-1])
    return logits[:, -len(PLACES) :]


@torch.no_grad()
def accuracy(model):
    """Return the share of test sums with every digit right, then the share for each place.

    The model reads the right digits before the one that it predicts. Where every digit is right, it would have
    written the same ones by itself.
    """
    right = answers(model, test).argmax(dim=-1) == test[:, -len(PLACES) :]
    return [right.all(dim=1).float().mean().item(), *right.float().mean(dim=0).tolist()]


model = Adder()
optimizer = torch.optim.Adam(model.parameters())
# The steps grow at first, then shrink to 0. The model reaches its last percent while they shrink.
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=STEPS, pct_start=0.1)

progress = tqdm(range(STEPS), desc="learning to add")
for _ in progress:
    batch = train[torch.randint(len(train), (BATCH,))]
    loss = nn.functional.cross_entropy(answers(model, batch).transpose(1, 2), batch[:, -len(PLACES) :])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    progress.set_postfix(loss=f"{loss.item():.3f}")

print(f"sums it never saw, every digit right: {accuracy(model)[0]:.1%}")


# %% [markdown]
# ### Switch off one head at a time
#
# A head reaches the rest of the model only through its own columns of $W_O$. With these columns at 0, the head is
# silent, and everything else is as before. Which heads does the model need, and for which digit?


# %%
@torch.no_grad()
def without_head(model, layer, head):
    """Return the accuracies with one head switched off. Its columns of W_O come back afterwards."""
    d_h = WIDTH // HEADS
    columns = model.layers[layer].attention.W_O.weight[:, head * d_h : (head + 1) * d_h]
    kept = columns.clone()
    columns.zero_()
    result = accuracy(model)
    columns.copy_(kept)
    return result


rows = {"nothing": accuracy(model)}
for layer in range(LAYERS):
    for head in range(HEADS):
        rows[f"layer {layer + 1}, head {head}"] = without_head(model, layer, head)

print(f"\n{'switched off':<16}" + "".join(f"{name:>11}" for name in ("whole sum", *PLACES)))
for name, shares in rows.items():
    print(f"{name:<16}" + "".join(f"{share:>11.1%}" for share in shares))


# %% [markdown]
# ### Look at the heads
#
# One sum with a carry. Each row is a digit that the model is about to write, each column a character that it may
# read. Your `attention_entropy` says how sharp the rows of a head are.

# %%
example = written(torch.tensor([3758]))
characters = [TOKENS[token] for token in example[0].tolist()]
with torch.no_grad():
    _, maps = model(example[:, :-1])

figure, axes = plt.subplots(LAYERS, HEADS, figsize=(11, 4.2), sharey=True, layout="constrained", squeeze=False)
for layer in range(LAYERS):
    for head in range(HEADS):
        panel, weights = axes[layer, head], maps[layer][0, head, -len(PLACES) :]
        image = panel.imshow(weights, vmin=0, vmax=1, cmap="Blues", aspect="auto")
        panel.set_title(f"layer {layer + 1}, head {head}: {attention_entropy(weights).mean():.2f} nats", fontsize=9)
        panel.set_xticks(range(len(characters) - 1), characters[:-1])
        panel.set_yticks(range(len(PLACES)), [f"{PLACES[i]}: {characters[i - 3]}" for i in range(len(PLACES))])
figure.colorbar(image, ax=axes, label="weight")
figure.supxlabel("character that the head reads")
figure.supylabel("digit to write next")
figure.savefig("experiment.png")
print("The figure is in experiment.png.")

# %% [markdown]
# ### Now you
#
# - Which heads look at digits that must be added? Layer 2 often reads `+` or `=`. What may stand there by then?
# - Take the positions away (`x = self.embedding(characters)`). First predict what happens. Can you explain it?
# - Write the answer forwards, hundreds first. Which digit is now the hardest, and why?
# - Try one layer, or one head. How little is enough?
