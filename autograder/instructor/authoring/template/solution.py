# %% [markdown]
# # $title
#
# Say in two or three sentences what students build here, and why somebody wants it.

# %%
import torch

# %% [markdown]
# ## 1. Cosine scores
#
# The cosine of the angle between two vectors is their dot product, divided by both lengths.


# %%
def cosine_scores(query, key):
    """Compare each query with each key.

    Args:
        query: (B, T_q, d).
        key: (B, T_k, d).

    Returns:
        The cosine of the angle between them, (B, T_q, T_k).
    """
    ### BEGIN SOLUTION: return the cosine for each pair
    query = query / query.norm(dim=-1, keepdim=True)
    key = key / key.norm(dim=-1, keepdim=True)
    return query @ key.mT
    ### END SOLUTION
