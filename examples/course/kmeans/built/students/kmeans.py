# k-means
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# kmeans.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check kmeans.py

import numpy as np

# ---- 1. To the nearest center


def assign(points, centers):
    """Find the nearest center of each point.

    Args:
        points: (N, d).
        centers: (K, d).

    Returns:
        The labels, (N,): for each point the index of its nearest center, a whole number. Of centers that are equally
        near, the first one counts.
    """
    # Your code here: return the index of the nearest center for each point.
    raise NotImplementedError


# ---- 2. To the mean of the points


def update(points, labels, centers):
    """Move each center to the mean of its points.

    Args:
        points: (N, d).
        labels: (N,), whole numbers from 0 to K - 1.
        centers: (K, d). A center without points stays here.

    Returns:
        The new centers, (K, d), floating numbers. ``centers`` itself is not changed.
    """
    # Your code here: return the mean of each center's points, or the center itself where it has none.
    raise NotImplementedError


# ---- 3. How good are the centers?


def inertia(points, centers):
    """Add up the squared distances of the points to their nearest centers.

    Args:
        points: (N, d).
        centers: (K, d).

    Returns:
        One number.
    """
    # Your code here: return the sum of the squared distances to the nearest centers.
    raise NotImplementedError


# ---- 4. Both steps in turn


def kmeans(points, centers, steps):
    """Take ``steps`` steps. Each one assigns all points and then updates all centers.

    Args:
        points: (N, d).
        centers: (K, d), where the centers start.
        steps: how many steps, 0 or more.

    Returns:
        The centers after the last step, (K, d), and the labels that belong to *these* centers, (N,).
    """
    # Your code here: take the steps, then return the centers and their labels.
    raise NotImplementedError
