# %% [markdown]
# # $title

# %%
import torch


def cosine_scores(query, key):
    dots = torch.einsum("bqd,bkd->bqk", query, key)
    lengths = torch.einsum("bq,bk->bqk", query.square().sum(-1).sqrt(), key.square().sum(-1).sqrt())
    return dots / lengths
