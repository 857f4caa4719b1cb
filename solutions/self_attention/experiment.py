# %% [markdown]
# ## Something that works: a model that learns to add
#
# Two layers of **your** attention learn to add two-digit numbers, written as characters: `37+58=590`. The answer
# stands backwards, ones first, as you add on paper. Nobody tells the model what a digit is worth, or that 1 is
# carried: it only sees examples. Your `sinusoidal_positions` tell it where each character stands, and a mask keeps it
# from reading the answer before it has written it. Afterwards you look at every head, and switch each one off in turn.

# %%
import torch
from torch import nn
from tqdm import tqdm

from self_attention import MultiHeadAttention, attention_entropy, sinusoidal_positions

SEED = 0
STEPS, BATCH, WIDTH, HEADS, LAYERS = 1200, 128, 64, 4, 2
TOKENS = "0123456789+="
PLACES = ("ones", "tens", "hundreds")
torch.manual_seed(SEED)


# %% [markdown]
# There are 10,000 sums of two two-digit numbers. The model trains on 8,000 of them. The other 2,000 are the test:
# it never sees them while it learns, so it cannot know them by heart.


# %%
def written(pairs):
    """Return the characters of some sums, (N, 9): the numbers 100 a + b give the digits of a, +, those of b, =, a + b."""
    a, b = pairs // 100, pairs % 100
    plus, equals = (torch.full_like(pairs, TOKENS.index(sign)) for sign in "+=")
    total = a + b
    digits = [a // 10, a % 10, plus, b // 10, b % 10, equals, total % 10, total // 10 % 10, total // 100]
    return torch.stack(digits, dim=1)


sums = written(torch.randperm(10_000))
train, test = sums[:8_000], sums[8_000:]


# %% [markdown]
# The plumbing: each layer is your attention, then a small network for each position. The residual connections
# (`x + ...`) and the layer norms keep the gradients healthy. At each position the model predicts the next character,
# so position $i$ may look at position $j$ only if $j \le i$.


# %%
class Layer(nn.Module):
    """Your attention and a feed-forward network, each added to what was there before."""

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
    """Reads the characters of a sum and predicts, at each position, the next one."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(TOKENS), WIDTH)
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.out = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(TOKENS)))

    def forward(self, characters):
        length = characters.size(1)
        x = self.embedding(characters) + sinusoidal_positions(length, WIDTH)
        before = torch.arange(length) <= torch.arange(length).unsqueeze(1)  # True: may be attended to
        maps = []
        for layer in self.layers:
            x, weights = layer(x, before)
            maps.append(weights)
        return self.out(x), maps


# %%
def answers(model, characters):
    """Return the logits of the three digits of the answer, (N, 3, tokens). The last one is predicted, never read."""
    logits, _ = model(characters[:, :-1])
    return logits[:, -len(PLACES) :]


def accuracy(model):
    """Return the share of test sums that are right in all places, and the share for each place."""
    with torch.no_grad():
        right = answers(model, test).argmax(dim=-1) == test[:, -len(PLACES) :]
    return right.all(dim=1).float().mean().item(), right.float().mean(dim=0).tolist()


model = Adder()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
# A short warm-up, then smaller and smaller steps: without it, training is less reliable.
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

whole, _ = accuracy(model)
print(f"sums it never saw, all digits right: {whole:.1%}")


# %% [markdown]
# ### Switch off one head at a time
#
# Head $i$ reaches the rest of the model only through its own columns of $W_O$. With these columns at 0, the head is
# silent, and everything else is as before. Which head does the model need for which digit?


# %%
def without_head(model, layer, head):
    """Return the accuracies with one head switched off. Its columns of W_O come back afterwards."""
    columns = model.layers[layer].attention.W_O.weight.data[:, head * WIDTH // HEADS : (head + 1) * WIDTH // HEADS]
    kept = columns.clone()
    columns.zero_()
    result = accuracy(model)
    columns.copy_(kept)
    return result


print(f"\n{'switched off':<18}{'whole sum':>10}" + "".join(f"{place:>10}" for place in PLACES))
rows = [("nothing", accuracy(model))]
rows += [
    (f"layer {layer + 1}, head {head}", without_head(model, layer, head))
    for layer in range(LAYERS)
    for head in range(HEADS)
]
for name, (all_right, places) in rows:
    print(f"{name:<18}{all_right:>10.1%}" + "".join(f"{share:>10.1%}" for share in places))


# %% [markdown]
# ### Look at the heads
#
# One sum with a carry. Each row is a digit that the model is about to write, each column a character that it may
# read. Your `attention_entropy` says how sharp the rows of a head are.

# %%
import matplotlib.pyplot as plt

example = written(torch.tensor([3758]))
with torch.no_grad():
    _, maps = model(example[:, :-1])
characters = [TOKENS[token] for token in example[0].tolist()]

figure, axes = plt.subplots(LAYERS, HEADS, figsize=(2.9 * HEADS, 2.1 * LAYERS), sharey=True, layout="constrained")
for layer, row in enumerate(axes):
    for head, panel in enumerate(row):
        weights = maps[layer][0, head, -len(PLACES) :]
        panel.imshow(weights, vmin=0, vmax=1, cmap="Blues")
        panel.set_title(f"layer {layer + 1}, head {head}: {attention_entropy(weights).mean():.2f} nats", fontsize=9)
        panel.set_xticks(range(len(characters) - 1), characters[:-1])
        panel.set_yticks(range(len(PLACES)), [f"{place}: {digit}" for place, digit in zip(PLACES, characters[-3:])])
figure.supxlabel("character that is read")
figure.supylabel("digit to write")
figure.savefig("experiment.png")

# %% [markdown]
# ### Now you
#
# - Which heads look at the two digits that are to be added? Which ones look one place to the right, for the carry?
# - Take the positions away (`x = self.embedding(characters)`). Predict first: which digit suffers least, and why?
# - Write the answer forwards, hundreds first. Is it easier or harder to learn?
# - Try one layer, or one head. How few are enough?
