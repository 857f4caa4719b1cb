# %% [markdown]
# ## Something that works: two curves, and what attention looks at
#
# Both models learn to copy, with your `train_epoch`. Then we draw both curves, and the attention of one model while it
# copies. Another one translates, and we look at its map too. All of it takes about a minute on one core.
#
# If `transformers` is installed and a MarianMT model lies on your disk, the last figure shows where a large translator
# looks, by your `mean_attention_map`. Nothing is downloaded.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from tqdm import tqdm

from experiments import BOS, EOS, LENGTHS, PAD, WithAttention, copy_curves, mean_attention_map, toy_corpus, train_epoch

torch.set_num_threads(1)  # for tensors as small as these, more threads only get in each other's way
SEED = 0

# %% [markdown]
# First the two curves, from your `copy_curves`.

# %%
curves = copy_curves(SEED, LENGTHS, LENGTHS)
print(f"{'length':15}", *(f"{length:6}" for length in LENGTHS))
for name, row in zip(("FixedContext", "WithAttention"), curves.tolist(), strict=True):
    print(f"{name:15}", *(f"{share:6.2f}" for share in row))

# %% [markdown]
# Then a model that copies rows of 12 symbols, and one that translates. Each shows where it looks.


# %%
def trained(pairs, words, epochs, name):
    """Return a WithAttention that has learned these pairs of id rows."""
    torch.manual_seed(SEED)
    model = WithAttention(words, words)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    src, tgt_in, tgt_out = (
        torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD)
        for rows in ([s for s, _ in pairs], [[BOS, *t] for _, t in pairs], [[*t, EOS] for _, t in pairs])
    )
    lengths, targets = (torch.tensor([len(pair[side]) for pair in pairs]) for side in (0, 1))
    for _ in tqdm(range(epochs), desc=name):
        order = torch.randperm(len(pairs))
        train_epoch(model, optimizer, src, lengths, tgt_in, tgt_out, targets + 1, order, batch_size=32)
    return model


def looked_at(model, source, target):
    """Return where each step looks while the model reads the right words, (T_t, T_s)."""
    with torch.no_grad():
        weights = model.attention_weights(
            torch.tensor([source]), torch.tensor([len(source)]), torch.tensor([[BOS, *target]])
        )
    lengths = torch.tensor([len(source)]), torch.tensor([len(target)])
    return mean_attention_map(weights[None, :, None], *lengths)[0, : len(target)]


symbols = torch.randint(3, 13, (640, 12), generator=torch.Generator().manual_seed(SEED)).tolist()
copier = trained([(row, row) for row in symbols[:-1]], 13, 12, "copying")
pairs = toy_corpus(SEED, 500)
vocabulary = ["", "", "", *sorted({word for pair in pairs for words in pair for word in words})]
ids = {word: i for i, word in enumerate(vocabulary) if word}
encoded = [tuple([ids[word] for word in words] for words in pair) for pair in pairs]
translator = trained(encoded[:400], len(vocabulary), 20, "translating")
longest = max(range(400, 500), key=lambda i: len(pairs[i][0]))
maps = [
    (looked_at(copier, symbols[-1], symbols[-1]), symbols[-1], symbols[-1]),
    (looked_at(translator, *encoded[longest]), *pairs[longest]),
]

# %% [markdown]
# A large translator, if there is one. `ATTNGRADE_MARIAN` may name its folder; otherwise the cache of `transformers` is
# searched.


# %%
def marian_folders():
    """Return the folders of MarianMT models on this disk."""
    named = os.environ.get("ATTNGRADE_MARIAN")
    cache = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface")) / "hub"
    cached = sorted(cache.glob("models--Helsinki-NLP--opus-mt-*/snapshots/*"))
    return [folder for folder in ([Path(named)] if named else cached) if (folder / "config.json").is_file()]


def marian_map(model, src, src_lengths, tgt, tgt_lengths):
    """Return the mean cross-attention of a MarianMT model, (B, T_t, T_s), for ids and lengths."""
    mask = torch.arange(src.size(1)) < src_lengths.unsqueeze(1)
    with torch.no_grad():
        output = model(
            input_ids=src, attention_mask=mask.long(), decoder_input_ids=tgt, output_attentions=True, use_cache=False
        )
    return mean_attention_map(torch.stack(output.cross_attentions), src_lengths, tgt_lengths)


def marian_example(folder, text="The old king sees the cat because the child sings."):
    """Return the map of a sentence and of its translation by a model on disk, with the tokens of both."""
    from transformers import MarianMTModel, MarianTokenizer

    tokenizer = MarianTokenizer.from_pretrained(folder, local_files_only=True)
    model = MarianMTModel.from_pretrained(folder, local_files_only=True, attn_implementation="eager").eval()
    src = tokenizer([text], return_tensors="pt").input_ids
    said = model.generate(src, max_new_tokens=40, num_beams=1)
    tgt, out = said[:, :-1], said[0, 1:]
    lengths = torch.tensor([src.size(1)]), torch.tensor([tgt.size(1)])
    found = marian_map(model, src, lengths[0], tgt, lengths[1])[0]
    return found, tokenizer.convert_ids_to_tokens(src[0]), tokenizer.convert_ids_to_tokens(out)


try:
    maps += [marian_example(folder) for folder in marian_folders()[:1]]
except ImportError as missing:
    print(f"No large translator: {missing}")

# %% [markdown]
# The figure.

# %%
figure, axes = plt.subplots(1, 1 + len(maps), figsize=(5 * (1 + len(maps)), 4.5))
for name, row in zip(("FixedContext", "WithAttention"), curves.tolist(), strict=True):
    axes[0].plot(LENGTHS, row, marker="o", label=name)
axes[0].axhline(0.1, color="grey", linestyle=":", label="chance")
axes[0].set(xlabel="length of the row", ylabel="share of right symbols", xscale="log", ylim=(-0.05, 1.05))
axes[0].set_xticks(LENGTHS, map(str, LENGTHS))
axes[0].legend()
for axis, (weights, source, target) in zip(axes[1:], maps, strict=True):
    image = axis.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axis.set_xticks(range(len(source)), source, rotation=90)
    axis.set_yticks(range(len(target)), target)
    axis.set(xlabel="read (source position)", ylabel="said (target position)")
figure.colorbar(image, ax=axes[-1], label="attention weight")
figure.tight_layout()
figure.savefig("experiment.png")

# %% [markdown]
# ### Things to try
#
# - Train `copy_curves` on rows of 5 and 10 only. At which length does attention break, and what does its map look like
#   there?
# - Give `FixedContext` a wider state: `hidden_dim=256`. How far does its curve move? Is it worth the parameters?
# - Run five seeds, and draw the smallest and the largest value of each point.
