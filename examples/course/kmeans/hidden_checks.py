"""The hidden checks: other sizes and numbers, and the corner cases. Students see only their status and cause."""

from autograder.author import Input, constant, function, integers, ones, part, permutation, stateless, strides, values

from .checks import ASSIGN, EMPTY, INERTIA, KMEANS, UPDATE, WHOLE, WHOLE_CENTERS, WHOLE_POINTS


def far(generator, shape, sizes):
    """Numbers far from everything: the centers that get them have no points, but for the first one."""
    centers = generator.normal(*shape)
    centers[1:] += 50.0
    return centers


TIES = function("assign", points=WHOLE_POINTS, centers=WHOLE_CENTERS, returns={"labels": "N"}, numpy=True)
LONELY = function(
    "kmeans",
    points="N d",
    centers=Input("K d", far),
    steps=constant(3),
    returns={"centers": "K d", "labels": "N"},
    numpy=True,
)


def with_steps(steps):
    return function(
        "kmeans",
        points="N d",
        centers="K d",
        steps=constant(steps),
        returns={"centers": "K d", "labels": "N"},
        numpy=True,
    )


# Enough points for three centers: an empty one is asked for elsewhere.
STEADY_UPDATE = function(
    "update", points="23 d", labels=integers("23", below=3), centers="3 d", returns={"centers": "3 d"}, numpy=True
)
STEADY_KMEANS = function(
    "kmeans", points="23 d", centers="3 d", steps=constant(2), returns={"centers": "3 d", "labels": "23"}, numpy=True
)

SIZES = [{"N": 17, "K": 5, "d": 7}, {"N": 61, "K": 7, "d": 2}]

CHECKS = (
    *part(
        "assign",
        values(ASSIGN, 5, sizes=SIZES),
        values(
            TIES,
            3,
            sizes=[{"N": 23, "K": 5, "d": 2}, {"N": 13, "K": 7, "d": 1}],
            id="assign-ties",
            title="At a tie, the first center counts",
        ),
        ones(ASSIGN, 3),
        permutation(ASSIGN, 2, "N"),
        strides(ASSIGN, 1),
        stateless(ASSIGN, 1),
    ),
    *part(
        "update",
        values(UPDATE, 4, sizes=SIZES),
        values(EMPTY, 4, sizes=SIZES, id="update-empties", title="A center without points stays where it was"),
        values(WHOLE, 2, sizes=SIZES, id="update-whole-numbers", title="Means of whole numbers are not cut off"),
        ones(UPDATE, 2),
        strides(UPDATE, 1),
        stateless(STEADY_UPDATE, 1),
    ),
    *part(
        "inertia", values(INERTIA, 4, sizes=SIZES), ones(INERTIA, 2), permutation(INERTIA, 1, "K"), strides(INERTIA, 1)
    ),
    *part(
        "kmeans",
        values(KMEANS, 4, sizes=SIZES),
        values(
            with_steps(0),
            2,
            sizes=SIZES,
            id="kmeans-no-step",
            title="Without a step, the centers stay and points get labels",
        ),
        values(with_steps(5), 3, sizes=SIZES, id="kmeans-five-steps", title="Five steps"),
        values(LONELY, 2, sizes=SIZES, id="kmeans-lonely", title="Centers that never get a point"),
        ones(KMEANS, 1),
        stateless(STEADY_KMEANS, 1),
    ),
)
