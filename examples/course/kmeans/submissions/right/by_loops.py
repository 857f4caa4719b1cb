# %% [markdown]
# # k-means

# %%
import numpy as np


def squared(a, b):
    total = 0.0
    for p, q in zip(a, b, strict=True):
        total = total + (p - q) * (p - q)
    return total


def assign(points, centers):
    labels = np.zeros(len(points), dtype=int)
    for n in range(len(points)):
        best = None
        for k in range(len(centers)):
            distance = squared(points[n], centers[k])
            if best is None or distance < best:
                best = distance
                labels[n] = k
    return labels


def update(points, labels, centers):
    dtype = centers.dtype if centers.dtype.kind == "f" else float
    new = np.array(centers, dtype=dtype)
    for k in range(len(centers)):
        chosen = [points[n] for n in range(len(points)) if labels[n] == k]
        if chosen:
            new[k] = sum(chosen) / len(chosen)
    return new


def inertia(points, centers):
    return sum(min(squared(point, center) for center in centers) for point in points)


def kmeans(points, centers, steps):
    labels = assign(points, centers)
    done = 0
    while done < steps:
        centers = update(points, labels, centers)
        labels = assign(points, centers)
        done += 1
    return centers, labels
