"""The known mistakes: a part of the reference exchanged, what to say of it, and where to look.

The sentence is true for any inputs. The hint says where to look and what to compare, never the line to write.
"""

import numpy as np

from autograder.author.mistakes import mistake

from .reference import assign, update


def squares(points, centers):
    return ((points[:, None] - centers[None]) ** 2).sum(-1)


def means(points, labels, centers, empty=None, divide=None):
    """The right means, but for a center without points, and for what divides the sums."""
    rows = []
    for k in range(len(centers)):
        members = points[labels == k]
        if len(members) == 0 and empty is not None:
            rows.append(empty(points, centers[k]))
        elif len(members) == 0:
            rows.append(centers[k])
        else:
            rows.append(members.sum(0) / (divide(points, members) if divide else len(members)))
    return np.array(rows)


def truncated(points, labels, centers):
    new = centers.copy()
    new[:] = update(points, labels, centers)
    return new


def old_labels(points, centers, steps):
    labels = assign(points, centers)
    for _ in range(steps):
        labels = assign(points, centers)
        centers = update(points, labels, centers)
    return centers, labels


def labels_once(points, centers, steps):
    labels = assign(points, centers)
    for _ in range(steps):
        centers = update(points, labels, centers)
    return centers, assign(points, centers)


def first_labels(points, centers, steps):
    labels = assign(points, centers)
    for _ in range(steps):
        centers = update(points, labels, centers)
    return centers, labels


def taken(count):
    """kmeans with another number of steps."""

    def kmeans(points, centers, steps):
        for _ in range(count(steps)):
            centers = update(points, assign(points, centers), centers)
        return centers, assign(points, centers)

    return kmeans


def own_start(points, centers, steps):
    centers = points[: len(centers)]
    return taken(lambda steps: steps)(points, centers, steps)


MISTAKES = (
    mistake(
        "farthest-center",
        "A point gets the center that is farthest away.",
        "Put a point right onto a center. Which label does it get?",
        assign=lambda points, centers: squares(points, centers).argmax(1),
    ),
    mistake(
        "nearest-point",
        "For each center, the nearest point is sought.",
        "How many labels do 10 points and 3 centers have?",
        assign=lambda points, centers: squares(points, centers).argmin(0),
    ),
    mistake(
        "absolute-differences",
        "The distance is the sum of absolute differences.",
        "Which center is nearer to the origin: (3, 3) or (0, 5)? Compare with the formula.",
        assign=lambda points, centers: np.abs(points[:, None] - centers[None]).sum(-1).argmin(1),
    ),
    mistake(
        "largest-dot-product",
        "A point gets the center with the largest dot product, not the nearest one.",
        "Make one center ten times as long. Should it get more points?",
        assign=lambda points, centers: (points @ centers.T).argmax(1),
    ),
    mistake(
        "last-at-ties",
        "Of centers that are equally near, the last one counts.",
        "Give the same center twice. Which of the two labels do the points get?",
        assign=lambda points, centers: len(centers) - 1 - squares(points, centers)[:, ::-1].argmin(1),
    ),
    mistake(
        "labels-from-one",
        "The labels begin at 1.",
        "What is the index of the first center?",
        assign=lambda points, centers: squares(points, centers).argmin(1) + 1,
    ),
    mistake(
        "empty-becomes-zero",
        "A center without points moves to the origin.",
        "Give labels that leave a center out. Where is it afterwards?",
        update=lambda points, labels, centers: means(points, labels, centers, lambda points, center: 0 * center),
    ),
    mistake(
        "empty-becomes-nan",
        "The mean of no points is taken, and it is not a number.",
        "Give labels that leave a center out. What do you divide by?",
        update=lambda points, labels, centers: means(points, labels, centers, lambda points, center: np.nan * center),
    ),
    mistake(
        "empty-becomes-mean",
        "A center without points moves to the mean of all points.",
        "Give labels that leave a center out. Where does the handout leave it?",
        update=lambda points, labels, centers: means(points, labels, centers, lambda points, center: points.mean(0)),
    ),
    mistake(
        "empty-disappears",
        "A center without points is left out of the result.",
        "Give labels that leave a center out. How many centers come back?",
        update=lambda points, labels, centers: np.array([points[labels == k].mean(0) for k in np.unique(labels)]),
    ),
    mistake(
        "sum-not-mean",
        "The points of a center are added up, but not divided by their number.",
        "Give every point twice. May a center move?",
        update=lambda points, labels, centers: means(points, labels, centers, None, lambda points, members: 1),
    ),
    mistake(
        "divided-by-all",
        "The sum of a center's points is divided by the number of all points.",
        "Add a point far away that belongs to another center. May this center move?",
        update=lambda points, labels, centers: means(
            points, labels, centers, None, lambda points, members: len(points)
        ),
    ),
    mistake(
        "old-center-counts",
        "The old center is averaged in as if it were one of its points.",
        "Give a center a single point. Where must it go?",
        update=lambda points, labels, centers: np.array(
            [np.vstack([points[labels == k], centers[k : k + 1]]).mean(0) for k in range(len(centers))]
        ),
    ),
    mistake(
        "means-cut-off",
        "Means are written into an array of whole numbers, which cuts them off.",
        "What is the dtype of your result if the centers are whole numbers?",
        update=truncated,
    ),
    mistake(
        "mean-inertia",
        "The squared distances are averaged, not added up.",
        "Give every point twice. What happens to the inertia?",
        inertia=lambda points, centers: squares(points, centers).min(1).mean(),
    ),
    mistake(
        "root-inertia",
        "The distances are added up without being squared.",
        "What is the inertia of one point at the distance 3?",
        inertia=lambda points, centers: np.sqrt(squares(points, centers).min(1)).sum(),
    ),
    mistake(
        "inertia-of-all-centers",
        "The distances to all centers are added up, not those to the nearest one.",
        "Add a center far away from everything. May the inertia grow?",
        inertia=lambda points, centers: squares(points, centers).sum(),
    ),
    mistake(
        "labels-before-the-update",
        "The labels belong to the centers before the last update.",
        "Call assign with the centers that you return. Do the labels agree?",
        kmeans=old_labels,
    ),
    mistake(
        "assigned-once",
        "The points are assigned only before the first step.",
        "After a center has moved, who says which points are now nearest to it?",
        kmeans=labels_once,
    ),
    mistake(
        "assigned-once",
        "The points are assigned only before the first step.",
        "After a center has moved, who says which points are now nearest to it?",
        how="labels too",
        kmeans=first_labels,
    ),
    mistake(
        "one-step-too-few",
        "One step too few is taken.",
        "Count the updates for steps = 1.",
        kmeans=taken(lambda steps: max(steps - 1, 0)),
    ),
    mistake(
        "one-step-too-many",
        "One step too many is taken.",
        "What comes back for steps = 0?",
        kmeans=taken(lambda steps: steps + 1),
    ),
    mistake(
        "single-step",
        "One step is taken, whatever steps is.",
        "Compare steps = 1 with steps = 3.",
        kmeans=taken(lambda steps: 1),
    ),
    mistake(
        "own-start",
        "The centers start at the first points, not where they are given.",
        "What comes back for steps = 0?",
        kmeans=own_start,
    ),
)
