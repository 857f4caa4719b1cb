# %% [markdown]
# ## Something that works: a network meets its bound
#
# A small network squeezes random tokens into a context of 4 numbers with 2 bits each, and another one reads them back.
# Your functions say beforehand how many tokens fit. Then a recurrence shows how a gradient shrinks on its way.

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from bottleneck import bits_per_token, context_capacity, decay_along, longest_lossless, mutual_information, reach

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
WORDS, WIDTH, BITS = 4, 4, 2
LENGTHS = (2, 3, 4, 6, 8)
STEPS, BATCH, HIDDEN = 1500, 256, 128


# %% [markdown]
# ### A context with a number of bits that we know
#
# Each number of the context is rounded to one of $2^2$ levels. The rounding has no derivative, so the gradient passes
# it as if it were not there.


# %%
class Squeeze(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(length * WORDS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, WIDTH))
        self.decoder = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, length * WORDS))

    def forward(self, tokens):
        """(B, T) int -> logits (B, T, WORDS)."""
        numbers = torch.sigmoid(self.encoder(F.one_hot(tokens, WORDS).float().flatten(1)))
        levels = 2**BITS
        rounded = (numbers * levels).floor().clamp(max=levels - 1) / (levels - 1)
        context = numbers + (rounded - numbers).detach()
        return self.decoder(2 * context - 1).view(*tokens.shape, WORDS)


def measure(length):
    """Return the share of tokens that come back unchanged, and the bits that their positions got through in total."""
    torch.manual_seed(SEED)
    model = Squeeze(length)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in tqdm(range(STEPS), desc=f"{length} tokens", leave=False):
        tokens = torch.randint(WORDS, (BATCH, length))
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tokens = torch.randint(WORDS, (20000, length))
    with torch.no_grad():
        found = model(tokens).argmax(-1)
    through = 0.0
    for position in range(length):
        pairs = tokens[:, position] * WORDS + found[:, position]
        joint = pairs.bincount(minlength=WORDS**2).view(WORDS, WORDS) / len(tokens)
        through += mutual_information(joint.double()).item()
    return (found == tokens).float().mean().item(), through


capacity, most = context_capacity(WIDTH, BITS), longest_lossless(WIDTH, BITS, WORDS)
print(f"the context holds {capacity} bits, a token has {bits_per_token(WORDS):.0f}: {most} tokens fit")
measured = [measure(length) for length in LENGTHS]
for length, (right, through) in zip(LENGTHS, measured, strict=True):
    asked = length * bits_per_token(WORDS)
    print(f"{length} tokens, {asked:>2.0f} bits: {right:.1%} right, {through:.2f} bits through")

# %% [markdown]
# ### The way back
#
# A recurrence with random matrices of three scales and small random inputs. How much of a gradient can arrive after
# 5, 20 and 50 steps? And how far would a fixed factor reach that loses as much in each step?

# %%
torch.manual_seed(SEED)
dim, steps = 32, 50
curves = {}
for scale in (0.5, 1.0, 1.5):
    weight = scale * torch.randn(dim, dim, dtype=torch.float64) / dim**0.5
    inputs = 0.1 * torch.randn(steps + 1, dim, dtype=torch.float64)
    states = [torch.zeros(dim, dtype=torch.float64)]
    for one in inputs:
        states.append(torch.tanh(weight @ states[-1] + one))
    decay = decay_along(torch.stack(states[1:]), weight).flip(0)
    curves[scale] = decay
    factor = (decay[steps] / decay[steps // 2]).item() ** (1 / (steps - steps // 2))
    far = f"reach {reach(factor)} steps" if factor < 1 else "no end in sight"
    print(f"scale {scale}: after 5 steps {decay[5]:.2g}, 20 {decay[20]:.2g}, 50 {decay[50]:.2g}; {far}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
asked = [length * bits_per_token(WORDS) for length in LENGTHS]
left.plot(asked, [through for _, through in measured], marker="o", label="bits that got through")
left.plot(asked, asked, linestyle=":", label="all of them")
left.axhline(capacity, linestyle="--", color="grey", label="capacity")
left.set(title="A context of 8 bits", xlabel="bits of the sentence", ylabel="bits")
left.legend()
for scale, decay in curves.items():
    right.semilogy(decay, label=f"scale {scale}")
right.set(title="What a gradient keeps", xlabel="steps back", ylabel="largest singular value")
right.legend()
figure.savefig("experiment.png")

# %% [markdown]
# ### Try more
#
# - Give the context 3 bits a number. Where does the curve bend now? Ask your `longest_lossless` first.
# - Let the first token be the same as the second. Does the network find out that it needs fewer bits?
