"""The hidden checks: other sizes and numbers, and the corner cases. Students see only their status and cause."""

from autograder.author import (
    ProgramBuilder,
    alone,
    devices,
    forbids,
    function,
    integers,
    large,
    ones,
    part,
    permutation,
    raises,
    stateless,
    strides,
    values,
)

from .checks import ATTEND, EVEN, EXTEND, FORWARD, ROTATE, SELF

# Without a base of its own, and far into a sentence.
LATE = function("rotate", x="B T d", positions=integers("T", below=500), returns={"result": "B T d"}, sizes={"d": EVEN})


def odd_width(builder: ProgramBuilder) -> None:
    """Three columns are no pairs."""
    x = builder.example("x", [[[1.0, 2.0, 3.0]]])
    positions = builder.example("positions", [1])
    builder.call("odd", "rotate", x, positions, outputs={"result": (1, 1, 3)})
    y = builder.example("y", [[[1.0, 2.0, 3.0, 0.5]]])
    start = builder.example("start", [0])
    builder.call("fine", "rotate", y, start, outputs={"result": (1, 1, 4)})


def too_many_queries(builder: ProgramBuilder) -> None:
    """Two queries have one key."""
    query = builder.example("query", [[[1.0, 2.0], [0.5, 1.0]]])
    key = builder.example("key", [[[1.0, 2.0]]])
    builder.call("many", "attend", query, key, key, outputs={"output": (1, 2, 2)})
    builder.call("fine", "attend", key, key, key, outputs={"output": (1, 1, 2)})


CHECKS = (
    part(
        "rotate",
        values(LATE, 5, sizes=[{"d": 2}, {"d": 10}], id="rotate-late", title="rotate is right far into a sentence"),
        permutation(ROTATE, 3, "T"),
        ones(ROTATE, 2),
        raises("rotate-odd", 2, "rotate refuses an odd width", odd_width, "odd"),
        strides(ROTATE, 2),
        stateless(ROTATE, 1),
        devices(ROTATE, 1),
    )
    + part(
        "attend",
        values(ATTEND, 5, sizes=[{"T_q": 5, "T_before": 0}, {"T_q": 1, "T_before": 10}]),
        ones(SELF, 1),
        large(ATTEND, 1, "query"),
        alone(ATTEND, 2),
        forbids(ATTEND, 2, "scaled_dot_product"),
        raises("attend-refuses", 2, "attend refuses more queries than keys", too_many_queries, "many"),
        strides(SELF, 1),
        devices(ATTEND, 1),
    )
    + part(
        "CachedAttention",
        values(FORWARD, 3, sizes=[{"d_k": 2}, {"d_k": 10}]),
        values(
            EXTEND,
            6,
            sizes=[{"d_k": 6, "T_p": 0, "T_n": 1}, {"d_k": 2, "T_p": 0, "T_n": 4}],
            id="extend-empty",
            title="extend begins with an empty cache",
        ),
        values(
            EXTEND,
            4,
            sizes=[{"d_k": 6, "T_p": 7, "T_n": 1}, {"d_k": 4, "T_p": 2, "T_n": 5}],
            id="extend-lengths",
            title="extend reads one word, or more than it remembers",
        ),
        alone(EXTEND, 1),
        stateless(EXTEND, 3),
        devices(EXTEND, 1),
    )
)
