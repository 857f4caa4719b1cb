# %% [markdown]
# ## Something that works: names that no vocabulary has
#
# A model reads a sentence and lists the names in it. Most names are new: they have no place in its vocabulary. Three
# models try, and all of them are built from your parts. One can only generate words. One can also copy, but forgets
# what it has read. The third one has your coverage as well.

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from variations import PointerGenerator, coverage_attention, coverage_loss

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
SENTENCE = "today zibbo and ada met kimbu near the old house then saw tilsa"  # write names of your own
END, UNKNOWN = 0, 1
TEXT = "today the old baker met and saw near a house then with in after said that"
COMMON, KNOWN = TEXT.split(), ["ada", "ben", "cem", "dia", "eva", "finn"]
VOCABULARY = ["<end>", "<unk>", *COMMON, *KNOWN]
V = len(VOCABULARY)
LENGTH, MOST = 14, 4  # words of a sentence; names in a training sentence
OTHERS = LENGTH  # ids for words that the vocabulary lacks: V to V + OTHERS - 1
WIDTH, STEPS, BATCH = 32, 400, 64


# %% [markdown]
# ### The task
#
# A sentence has common words and one to four names at random places. Three of ten names are known. The others get the
# ids V, V + 1, ... in the order of the sentence, as in every pointer-generator. The target is the list of names.


# %%
def sentences(count, fewest, most):
    """Return sentences (count, LENGTH), their lists of names (count, most + 1), and the lengths of these lists."""
    names = torch.randint(fewest, most + 1, (count,))
    is_name = torch.rand(count, LENGTH).argsort(dim=1) < names.unsqueeze(1)
    number = is_name.cumsum(dim=1) - 1  # 0 for the first name of a sentence
    known = len(COMMON) + 2 + torch.rand(count, len(KNOWN)).argsort(dim=1)
    known = known.gather(1, number.clamp(0, len(KNOWN) - 1))
    name = torch.where(torch.rand(count, LENGTH) < 0.3, known, V + number)
    source = torch.where(is_name, name, torch.randint(2, 2 + len(COMMON), (count, LENGTH)))
    target = torch.full((count, most + 1), END)
    row, place = is_name.nonzero(as_tuple=True)
    target[row, number[row, place]] = source[row, place]
    return source, target, names + 1


# %% [markdown]
# ### The model
#
# All new names have the same embedding. The decoder has no memory but the last word that it wrote, so after one new
# name it is where it was after the other. Without coverage, it cannot know which names it has listed.


# %%
class Lister(nn.Module):
    def __init__(self, copies, penalty):
        super().__init__()
        self.copies, self.penalty = copies, penalty
        self.words = nn.Embedding(V, WIDTH)
        self.encoder = nn.GRU(WIDTH, WIDTH // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh())
        self.W_a = nn.Linear(WIDTH, WIDTH, bias=False)
        self.out = nn.Linear(2 * WIDTH, V)
        self.pointer = PointerGenerator(WIDTH, WIDTH, WIDTH)

    def embed(self, ids):
        return self.words(torch.where(ids < V, ids, UNKNOWN))

    def forward(self, source, before):
        """Return the distributions (B, T_t, V + OTHERS) after the words ``before``, the weights, and what was seen."""
        states, _ = self.encoder(self.embed(source))
        embedded = self.embed(before)
        asking = self.decoder(embedded)
        weights, seen = coverage_attention(asking @ self.W_a(states).mT, self.penalty)
        context = weights @ states
        generated = torch.softmax(self.out(torch.cat([context, asking], dim=-1)), dim=-1)
        if not self.copies:
            return F.pad(generated, (0, OTHERS)), weights, seen
        rows = [x.flatten(0, 1) for x in (context, asking, embedded, generated, weights)]  # each step is a row
        mixed, _ = self.pointer(*rows, source.repeat_interleave(before.size(1), dim=0), V + OTHERS)
        return mixed.unflatten(0, before.shape), weights, seen


def shifted(target):
    """Return what the decoder has written before each word."""
    return F.pad(target[:, :-1], (1, 0), value=END)


def train(copies, penalty):
    torch.manual_seed(SEED)
    model = Lister(copies, penalty)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in tqdm(range(STEPS), leave=False):
        source, target, lengths = sentences(BATCH, 1, MOST)
        wanted = target if copies else torch.where(target < V, target, UNKNOWN)
        chances = model(source, shifted(target))[0].gather(2, wanted.unsqueeze(2)).squeeze(2)
        real = torch.arange(target.size(1)) < lengths.unsqueeze(1)
        loss = -chances[real].clamp(min=1e-9).log().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@torch.no_grad()
def write(model, source, most):
    """Return the most likely words (B, most), one after the other, and the weights of all steps."""
    written = torch.full((len(source), 1), END)
    for _ in range(most):
        chances, weights, _ = model(source, written)
        written = torch.cat([written, chances[:, -1:].argmax(dim=-1)], dim=1)
    return written[:, 1:], weights


# %% [markdown]
# ### How many lists are right?
#
# A list is right if it has all names in the order of the sentence, and then ends. A word is a repeat if the list has it
# already. The overlap is your `coverage_loss`, measured on the right lists.


# %%
def listed(ids):
    """Return a list up to its end."""
    return ids[: ids.index(END)] if END in ids else ids


def measure(model, fewest, most):
    """Return the share of right lists, the share of repeats among written words, and the overlap."""
    torch.manual_seed(SEED + 1000)
    source, target, lengths = sentences(1000, fewest, most)
    got = [listed(ids) for ids in write(model, source, most + 1)[0].tolist()]
    right = sum(one == listed(other) for one, other in zip(got, target.tolist(), strict=True)) / len(got)
    names = [[word for word in one if word != UNKNOWN] for one in got]
    repeats = sum(len(one) - len(set(one)) for one in names) / max(1, sum(map(len, got)))
    with torch.no_grad():
        _, weights, seen = model(source, shifted(target))
    return right, repeats, coverage_loss(weights, seen, lengths).item()


models = {
    "generates": train(copies=False, penalty=10.0),
    "copies": train(copies=True, penalty=0.0),
    "copies, with coverage": train(copies=True, penalty=10.0),
}
for name, model in models.items():
    right, repeats, overlap = measure(model, 1, MOST)
    print(f"{name}: {right:.1%} of the lists are right, {repeats:.1%} of the words are repeats, overlap {overlap:.2f}")
for name in list(models)[1:]:
    right, repeats, _ = measure(models[name], 5, 6)
    print(f"{name}, 5 or 6 names: {right:.1%} right, {repeats:.1%} repeats")

# %% [markdown]
# ### Your own sentence
#
# Every word that is not in the vocabulary counts as a new name.

# %%
words = SENTENCE.lower().split()
new = list(dict.fromkeys(word for word in words if word not in VOCABULARY))
extended = VOCABULARY + new
source = torch.tensor([[extended.index(word) for word in words]])
maps = {}
print(SENTENCE)
for name, model in models.items():
    ids, weights = write(model, source, 6)
    found = [extended[word] for word in listed(ids[0].tolist())]
    maps[name] = [*found, "<end>"][:6], weights[0]
    print(f"  {name}: {' '.join(found)}")

# %%
figure, panels = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for panel, name in zip(panels, list(models)[1:], strict=True):
    found, weights = maps[name]
    panel.imshow(weights[: len(found)], cmap="Blues", vmin=0, vmax=1, aspect="auto")
    panel.set_xticks(range(len(words)), words, rotation=60, ha="right")
    panel.set_yticks(range(len(found)), found)
    panel.set(title=name)
figure.savefig("experiment.png", dpi=120)
print("The figure is in experiment.png.")

# %% [markdown]
# ### Try more
#
# - Which penalty is enough? Try 2 and 5, and look at the repeats.
# - Add `coverage_loss` to the loss, with a penalty of 0. Does it help this decoder? Why could it not?
# - Write a sentence in which one new name occurs twice. Which id do both places have, and what does the list say?
