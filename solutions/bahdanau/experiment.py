# %% [markdown]
# ## Something that works: a model that finds out where to look
#
# A small encoder-decoder learns to write words backwards: `stressed` becomes `desserts`. It sees words and answers,
# nothing else. Nobody tells it which letter to look at. **Your** attention has to find that out, and then the largest
# weight of each row shows it: the anti-diagonal of the heat map. **Your** `softmax_vjp` shows how it is found out.

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn
from tqdm import tqdm

from bahdanau import BahdanauAttention, softmax_vjp

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
STEPS, BATCH, WIDTH = 1500, 64, 64
LETTERS = "abcdefghijklmnopqrstuvwxyz"
START = len(LETTERS)  # the token that the decoder reads before its first letter
torch.manual_seed(SEED)


# %% [markdown]
# The task: random words of 4 to 10 letters. There are far too many to learn them by heart. All words of a batch have
# the same length, because this attention has no mask.


# %%
def random_words(count, length):
    """Return words as numbers from 0 to 25, (count, length)."""
    return torch.randint(len(LETTERS), (count, length))


def source_positions(length):
    """Return where each letter of the answer stands in the word: length - 1, ..., 1, 0."""
    return torch.arange(length).flip(0)


def reordered(words):
    """Return the answers, as large as ``words``."""
    return words[:, source_positions(words.size(1))]


# %% [markdown]
# The plumbing: the encoder is a GRU that reads in both directions. Before each letter, your attention reads the encoder
# states with the decoder's state, and `out` turns the context into a letter. It sees nothing but the context, so the
# decoder can only write what it looks at.


# %%
class Reverser(nn.Module):
    """An encoder, your attention, and a decoder that writes one letter for each letter of the word."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(LETTERS) + 1, WIDTH)
        self.encoder = nn.GRU(WIDTH, WIDTH // 2, bidirectional=True, batch_first=True)
        self.attention = BahdanauAttention(enc_dim=WIDTH, dec_dim=WIDTH, attn_dim=WIDTH)
        self.decoder = nn.GRUCell(2 * WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, len(LETTERS))

    def forward(self, words, answers=None):
        """Return logits, weights and encoder states, and the list of the contexts.

        In training, the decoder reads the right letters (``answers``). Without them it reads what it wrote itself.
        """
        states, last = self.encoder(self.embedding(words))
        state = torch.cat([last[0], last[1]], dim=-1)  # what each direction read last
        letter = torch.full((len(words),), START)
        logits, weights, contexts = [], [], []
        for step in range(words.size(1)):
            context, row = self.attention(state, states)
            state = self.decoder(torch.cat([self.embedding(letter), context], dim=-1), state)
            logits.append(self.out(context))
            weights.append(row)
            contexts.append(context)
            letter = logits[-1].argmax(dim=-1) if answers is None else answers[:, step]
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1), states, contexts


def loss_of(logits, answers):
    return nn.functional.cross_entropy(logits.flatten(0, 1), answers.flatten())


# %% [markdown]
# How does the model learn where to look? The loss pulls at the scores: where its gradient is most negative, a larger
# score would help most. Two steps of the chain rule lead there. The context is a weighted sum of the states, so the
# gradient of weight $j$ is the dot product of $\partial L / \partial c$ and $h_j$. Your `softmax_vjp` does the rest.


# %%
def pull_and_weight(model, length=8):
    """Return how often the strongest pull of the loss, and the largest weight, are at the right source position."""
    words = random_words(200, length)
    answers = reordered(words)
    logits, weights, states, contexts = model(words, answers)
    grad_contexts = torch.stack(torch.autograd.grad(loss_of(logits, answers), contexts), dim=1)
    grad_weights = grad_contexts @ states.transpose(1, 2)  # (B, T_t, T_s)
    grad_scores = softmax_vjp(weights, grad_weights)
    right = source_positions(length)
    return [(found == right).float().mean().item() for found in (grad_scores.argmin(-1), weights.argmax(-1))]


def test(model, lengths):
    """Return the share of rows whose largest weight is at the right position, and the share of words all right."""
    rows, whole = [], []
    for length in lengths:
        words = random_words(200, length)
        with torch.no_grad():
            logits, weights, *_ = model(words)
        rows.append((weights.argmax(dim=-1) == source_positions(length)).flatten())
        whole.append((logits.argmax(dim=-1) == reordered(words)).all(dim=1))
    return torch.cat(rows).float().mean().item(), torch.cat(whole).float().mean().item()


# %%
model = Reverser()
optimizer = torch.optim.Adam(model.parameters())
# A short warm-up, then smaller and smaller steps: the alignment gets sharper at the end.
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=STEPS, pct_start=0.1)
before = test(model, range(4, 11))

history = []  # step, pull, weight
progress = tqdm(range(STEPS), desc="learning to reverse")
for step in progress:
    if step <= 400 and step % 20 == 0:
        history.append((step, *pull_and_weight(model)))
    words = random_words(BATCH, int(torch.randint(4, 11, ())))
    answers = reordered(words)
    logits, *_ = model(words, answers)
    loss = loss_of(logits, answers)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    progress.set_postfix(loss=f"{loss.item():.3f}")

after = test(model, range(4, 11))
print(f"{'':<32}{'before':>8}{'after':>8}")
print(f"{'largest weight, right position':<32}{before[0]:>8.1%}{after[0]:>8.1%}")
print(f"{'whole words right':<32}{before[1]:>8.1%}{after[1]:>8.1%}")
rows, whole = test(model, [14])
print(f"\nWords of 14 letters, longer than any in training: {rows:.1%} of the rows, {whole:.1%} of the words")
step, pull, weight = history[3]
print(f"After {step} steps: strongest pull at the right position {pull:.1%}, largest weight {weight:.1%}")


# %% [markdown]
# ### Look at it
#
# Left: what your layer looks at while it writes. Each row is a letter that the model writes, from top to bottom, and
# each column a letter that it reads. Right: pull and weight in the first 400 steps. Which one comes first?

# %%
word = "stressed"
numbers = torch.tensor([[LETTERS.index(letter) for letter in word]])
with torch.no_grad():
    logits, weights, *_ = model(numbers)
written = [LETTERS[number] for number in logits[0].argmax(dim=-1).tolist()]
print(f"{word} -> {''.join(written)}")

figure, (heat, curves) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
image = heat.imshow(weights[0], vmin=0, vmax=1, cmap="Blues")
heat.set_xticks(range(len(word)), list(word))
heat.set_yticks(range(len(written)), written)
heat.set_xlabel("letter that is read (source position)")
heat.set_ylabel("letter that is written (target position)")
figure.colorbar(image, ax=heat, label="weight")
steps, pulls, shares = torch.tensor(history).T
curves.plot(steps, pulls, label="strongest pull (softmax_vjp)")
curves.plot(steps, shares, label="largest weight")
curves.axhline(1 / 8, color="gray", linestyle=":", label="chance")
curves.set_xlabel("training step")
curves.set_ylabel("share at the right position")
curves.set_ylim(0, 1)
curves.legend()
figure.savefig("experiment.png")
print("The figure is in experiment.png.")

# %% [markdown]
# ### Now you
#
# - Write `self.out(state)` in place of `self.out(context)`. Predict first: are the words still right? Is the largest
#   weight still at the right position? What does that say about reading attention as an explanation?
# - Change one line, in `source_positions`, so that the model must learn another order: `torch.arange(length).roll(2)`,
#   say. Draw the heat map on paper before you run it.
# - Words of 14 letters go wrong, although your attention takes any length. Which part of the model has to count, and
#   has never counted that far?
