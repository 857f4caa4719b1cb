"""The reference: written to be right and easy to check, not to be fast. Students never get it."""

import numpy as np


def assign(points, centers):
    """(N, d), (K, d) -> (N,)."""
    labels = []
    for point in points:
        distances = [np.sum((point - center) ** 2) for center in centers]
        labels.append(distances.index(min(distances)))
    return np.array(labels)


def update(points, labels, centers):
    """(N, d), (N,), (K, d) -> (K, d)."""
    sums = np.zeros(centers.shape)
    counts = np.zeros(len(centers))
    for point, label in zip(points, labels, strict=True):
        sums[label] += point
        counts[label] += 1
    return np.array([sums[k] / counts[k] if counts[k] else centers[k] for k in range(len(centers))])


def inertia(points, centers):
    """(N, d), (K, d) -> a number."""
    return np.sum([min(np.sum((point - center) ** 2) for center in centers) for point in points])


def kmeans(points, centers, steps):
    """(N, d), (K, d), a number -> (K, d), (N,)."""
    for _ in range(steps):
        labels = assign(points, centers)
        centers = update(points, labels, centers)
    return centers, assign(points, centers)
