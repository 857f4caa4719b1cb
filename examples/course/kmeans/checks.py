"""The public checks. Students run them on their machines; the points of all checks add up to 100."""

import numpy as np

from autograder.author import (
    Input,
    ProgramBuilder,
    constant,
    example,
    function,
    integers,
    part,
    shapes,
    signature,
    values,
)

TITLE = "k-means"


def without_the_second(generator, shape, sizes):
    """Labels that leave the center 1 without points."""
    labels = generator.integers(*shape, high=sizes["K"] - 1)
    return np.where(labels >= 1, labels + 1, labels)


WHOLE_POINTS = integers("N d", below=4)
WHOLE_CENTERS = integers("K d", below=4)

ASSIGN = function("assign", points="N d", centers="K d", returns={"labels": "N"}, numpy=True)
UPDATE = function(
    "update", points="N d", labels=integers("N", below="K"), centers="K d", returns={"centers": "K d"}, numpy=True
)
EMPTY = function(
    "update", points="N d", labels=Input("N", without_the_second), centers="K d", returns={"centers": "K d"}, numpy=True
)
WHOLE = function(
    "update",
    points=WHOLE_POINTS,
    labels=integers("N", below="K"),
    centers=WHOLE_CENTERS,
    returns={"centers": "K d"},
    numpy=True,
)
INERTIA = function("inertia", points="N d", centers="K d", returns={"inertia": ""}, numpy=True)
KMEANS = function(
    "kmeans", points="N d", centers="K d", steps=constant(2), returns={"centers": "K d", "labels": "N"}, numpy=True
)
CALLS = {call.target: call.described for call in (ASSIGN, UPDATE, INERTIA, KMEANS)}

# More points than centers, and points enough that a step changes labels.
FEW = {"N": 11, "K": 3, "d": 2}
MANY = {"N": 47, "K": 5, "d": 3}

POINTS = [[0.0, 0.0], [0.0, 2.0], [6.0, 0.0], [6.0, 2.0]]
CENTERS = [[0.0, 0.0], [1.0, 1.0]]


def worked(builder: ProgramBuilder) -> None:
    """The worked example of the handout: two steps."""
    builder.library = "numpy"
    points = builder.example("points", POINTS)
    centers = builder.example("centers", CENTERS)
    builder.call("out", "kmeans", points, centers, 2, outputs={"centers": (2, 2), "labels": (4,)})


CHECKS = (
    *part("assign", signature(ASSIGN, 2), values(ASSIGN, 10, sizes=[FEW, MANY]), shapes(ASSIGN, 3)),
    *part(
        "update",
        signature(UPDATE, 2),
        values(UPDATE, 6, sizes=[FEW, MANY]),
        values(EMPTY, 3, sizes=[FEW, MANY], id="update-empty", title="A center without points stays where it was"),
        values(WHOLE, 2, sizes=[FEW, MANY], id="update-whole", title="Means of whole numbers are not cut off"),
        shapes(UPDATE, 3),
    ),
    *part("inertia", signature(INERTIA, 1), values(INERTIA, 6, sizes=[FEW, MANY])),
    *part(
        "kmeans",
        signature(KMEANS, 1),
        values(KMEANS, 8, sizes=[FEW, MANY]),
        example("kmeans-example", 3, "The worked example of kmeans comes out", worked),
    ),
)
