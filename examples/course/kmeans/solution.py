# %% [markdown]
# # k-means
#
# You have many points and want few groups. k-means finds them with two steps that take turns: each point goes to its
# nearest center, and each center goes to the mean of its points. You write both steps, the number that they make
# smaller, and the loop.

# %%
import numpy as np

# %% [markdown]
# ## 1. To the nearest center
#
# The label of a point is the index of the center with the smallest squared distance.


# %%
def assign(points, centers):
    """Find the nearest center of each point.

    Args:
        points: (N, d).
        centers: (K, d).

    Returns:
        The labels, (N,): for each point the index of its nearest center, a whole number. Of centers that are equally
        near, the first one counts.
    """
    ### BEGIN SOLUTION: return the index of the nearest center for each point
    differences = points[:, None, :] - centers[None, :, :]
    distances = (differences**2).sum(axis=2)
    return distances.argmin(axis=1)
    ### END SOLUTION


# %% [markdown]
# ## 2. To the mean of the points


# %%
def update(points, labels, centers):
    """Move each center to the mean of its points.

    Args:
        points: (N, d).
        labels: (N,), whole numbers from 0 to K - 1.
        centers: (K, d). A center without points stays here.

    Returns:
        The new centers, (K, d), floating numbers. ``centers`` itself is not changed.
    """
    ### BEGIN SOLUTION: return the mean of each center's points, or the center itself where it has none
    rows = []
    for k, center in enumerate(centers):
        members = points[labels == k]
        rows.append(members.mean(axis=0) if len(members) > 0 else center)
    return np.stack(rows)
    ### END SOLUTION


# %% [markdown]
# ## 3. How good are the centers?


# %%
def inertia(points, centers):
    """Add up the squared distances of the points to their nearest centers.

    Args:
        points: (N, d).
        centers: (K, d).

    Returns:
        One number.
    """
    ### BEGIN SOLUTION: return the sum of the squared distances to the nearest centers
    nearest = centers[assign(points, centers)]
    return ((points - nearest) ** 2).sum()
    ### END SOLUTION


# %% [markdown]
# ## 4. Both steps in turn


# %%
def kmeans(points, centers, steps):
    """Take ``steps`` steps. Each one assigns all points and then updates all centers.

    Args:
        points: (N, d).
        centers: (K, d), where the centers start.
        steps: how many steps, 0 or more.

    Returns:
        The centers after the last step, (K, d), and the labels that belong to *these* centers, (N,).
    """
    ### BEGIN SOLUTION: take the steps, then return the centers and their labels
    for _ in range(steps):
        centers = update(points, assign(points, centers), centers)
    return centers, assign(points, centers)
    ### END SOLUTION
