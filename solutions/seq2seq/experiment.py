# %% [markdown]
# ## Something that works: a reader of dates
#
# People write a date in many ways: "the 3rd of May 2021", "3/5/2021", "Mon, 3 May 2021". Your model learns to write
# each of them as `2021-05-03`, and a period of two dates as `2021-05-03/2021-06-14`. It reads and writes characters.
# Nobody tells it which character belongs to the month.
#
# Two models learn the same task: your `Seq2Seq` with `BahdanauDecoder`, and your `FixedContextSeq2Seq`. The baseline
# is faster, so it gets more steps: both get about the same processor time, together about half a minute.

# %%
import random
import string
from datetime import date, timedelta

import matplotlib.pyplot as plt
import torch
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from seq2seq import BahdanauDecoder, Encoder, FixedContextSeq2Seq, Seq2Seq, corpus_bleu, train_step

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0
PAD, BOS, EOS = 0, 1, 2
CHARACTERS = string.ascii_letters + string.digits + " ,./'-"
VOCABULARY = 3 + len(CHARACTERS)  # the three special ids come first
LONGEST = 22  # two dates of 10 characters, the slash between them, and eos
random.seed(SEED)
torch.manual_seed(SEED)

# %% [markdown]
# First the data. 1,000 of the 36,525 days from 1970 to 2069 never occur in training: the test asks only for those.

# %%
DAYS = [date(1970, 1, 1) + timedelta(days=number) for number in range(36_525)]
random.shuffle(DAYS)
TEST_DAYS, TRAINING_DAYS = DAYS[:1000], DAYS[1000:]


def written(day):
    """Return a date as somebody might write it. The day comes before the month where both are numbers."""
    number, year = day.day, day.year
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return random.choice(
        [
            f"{number}/{day.month}/{year}",
            f"{day:%d.%m.%Y}",
            f"{number} {day:%b} {year}",
            f"{day:%B} {number}, {year}",
            f"{day:%b} {number}{ending}, '{day:%y}",
            f"{day:%a}, {number} {day:%B} {year}",
            f"the {number}{ending} of {day:%B} {year}",
        ]
    )


def draw(days, count):
    """Return ``count`` pairs (as people write it, as it should be), each of one date or of two."""
    drawn = [random.choices(days, k=random.choice((1, 2))) for _ in range(count)]
    return [(" to ".join(map(written, some)), "/".join(map(str, some))) for some in drawn]


def tensors(texts, before=(), after=()):
    """Return the ids of some texts, padded to (B, T), and their lengths (B,)."""
    rows = [torch.tensor([*before, *(3 + CHARACTERS.index(one) for one in text), *after]) for text in texts]
    return pad_sequence(rows, batch_first=True, padding_value=PAD), torch.tensor([len(row) for row in rows])


def text(ids):
    """Return the characters of one row of ids, up to its eos."""
    ids = ids.tolist()
    end = ids.index(EOS) if EOS in ids else len(ids)
    return "".join(CHARACTERS[i - 3] if i > EOS else "?" for i in ids[:end])


# %% [markdown]
# Then the two models and their training. Each step is your `train_step`.


# %%
def train(name, model, steps):
    """Train a model and return its losses, one a step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    # From half-time on, the learning rate falls to 0, which makes the last steps calm.
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, 2 - 2 * step / steps))
    losses = []
    for _ in tqdm(range(steps), desc=name):
        sources, targets = zip(*draw(TRAINING_DAYS, 32), strict=True)
        tgt_in, _ = tensors(targets, before=[BOS])
        losses.append(train_step(model, optimizer, *tensors(sources), tgt_in, *tensors(targets, after=[EOS])))
        schedule.step()
    return losses


attention = Seq2Seq(
    Encoder(VOCABULARY, 32, 64), BahdanauDecoder(VOCABULARY, 32, 64, enc_dim=128, attn_dim=64), PAD, BOS, EOS
)
fixed = FixedContextSeq2Seq(Encoder(VOCABULARY, 32, 64), VOCABULARY, 32, 64, PAD, BOS, EOS)
losses = {
    "attention": train("attention", attention, steps=200),
    "fixed context": train("fixed context", fixed, steps=500),
}

# %% [markdown]
# Now they read 500 periods that they have not seen. An answer is right only if every character is right.


# %%
@torch.no_grad()
def decode_fixed(src, src_lengths):
    """Return the baseline's answers. It has only ``forward``, so each new word costs a whole forward pass."""
    tgt_in = torch.full((len(src), LONGEST + 1), BOS)
    for t in range(LONGEST):
        tgt_in[:, t + 1] = fixed(src, src_lengths, tgt_in[:, : t + 1])[:, t].argmax(dim=-1)
    return tgt_in[:, 1:]


periods = draw(TEST_DAYS, 500)
sources, targets = zip(*periods, strict=True)
src, src_lengths = tensors(sources)
answers = {
    "attention": attention.greedy_decode(src, src_lengths, LONGEST),
    "attention, beam of 4": attention.beam_search(src, src_lengths, 4, LONGEST),
    "fixed context": decode_fixed(src, src_lengths),
}
right = {}
print(f"{'':22}exact  one date  two dates  BLEU of characters")
for name, ids in answers.items():
    found = [text(row) for row in ids]
    right[name] = torch.tensor([one == target for one, target in zip(found, targets, strict=True)]).float()
    two = torch.tensor(["/" in target for target in targets])
    shares = [right[name].mean(), right[name][~two].mean(), right[name][two].mean()]
    print(f"{name:22}{shares[0]:5.1%} {shares[1]:9.1%} {shares[2]:10.1%} {corpus_bleu(found, targets):19.1f}")

# %% [markdown]
# The figure: how both learn, how many answers are right by the length of the source, and where your decoder looks
# while it writes.

# %%
example = "Mon, 3 May 2021 to the 14th of June 2022"
example_src, example_length = tensors([example])
answer = text(attention.greedy_decode(example_src, example_length, LONGEST)[0])
print(f"{example} -> {answer}")
with torch.no_grad():  # the model reads its own answer again, now with teacher forcing, which returns the weights
    _, weights = attention(example_src, example_length, tensors([answer], before=[BOS])[0])

figure, axes = plt.subplot_mosaic([["loss", "length"], ["map", "map"]], figsize=(10, 8.5), height_ratios=[2, 3])
middles = torch.arange(10, 50, 10)
for name, values in losses.items():
    axes["loss"].plot(values, label=name)
    shares = [right[name][(src_lengths - middle).abs() <= 5].mean() for middle in middles]
    axes["length"].plot(middles, shares, marker="o", label=name)
axes["loss"].set(xlabel="training step", ylabel="loss (nats per character)", yscale="log")
axes["length"].set(xlabel="length of the source (characters)", ylabel="share of exact answers", ylim=(-0.05, 1.05))
axes["loss"].legend()
axes["length"].legend()
image = axes["map"].imshow(weights[0], cmap="Blues", vmin=0, vmax=1, aspect="auto")
axes["map"].set_xticks(range(len(example)), example.replace(" ", "␣"))
axes["map"].set_yticks(range(len(answer) + 1), [*answer, "eos"])
axes["map"].set(xlabel="read by the encoder (source position)", ylabel="written by the decoder (target position)")
figure.colorbar(image, ax=axes["map"], label="attention weight")
figure.tight_layout()
figure.savefig("experiment.png")
print("The figure is in experiment.png.")

# %% [markdown]
# ### Things to try
#
# - Put `LuongDecoder(VOCABULARY, 32, 64, enc_dim=128)` in the place of `BahdanauDecoder` (and import it). Does it learn
#   in as many steps? Where does it look?
# - Give `attention` only 90 steps. Now beam search and greedy decoding differ. Which answers are longer? Why?
# - Write `example` in a way that nobody taught the model, such as "2021, May the 3rd", or ask for three dates. Predict
#   first: which part of the answer goes wrong, and what does the map look like there?
