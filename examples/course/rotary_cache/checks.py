"""The public checks. Students run them on their machines; the points of all checks add up to 100."""

from autograder.author import (
    ProgramBuilder,
    example,
    function,
    gradients,
    integers,
    module,
    part,
    shapes,
    signature,
    size,
    values,
)

TITLE = "Rotary positions with a cache"

# What is called. Widths that are rotated are even, and no call has more queries than keys.
EVEN = size(multiple_of=2)
ROTATE = function(
    "rotate", x="B T d", positions=integers("T", below=40), base=100.0, returns={"result": "B T d"}, sizes={"d": EVEN}
)
ATTEND = function(
    "attend",
    query="B T_q d",
    key="B T_k d",
    value="B T_k d_v",
    returns={"output": "B T_q d_v"},
    sizes={"T_k": "T_q + T_before"},
)
SELF = function("attend", query="B T d", key="B T d", value="B T d_v", returns={"output": "B T d_v"})
LAYER = module(
    "CachedAttention",
    init=["d", "d_k"],
    weights={"W_Q.weight": "d_k d", "W_K.weight": "d_k d", "W_V.weight": "d_k d"},
    sizes={"d_k": EVEN},
)
FORWARD = LAYER.call(x="B T d", returns={"output": "B T d_k"})
EXTEND = LAYER.call(
    "extend",
    x="B T_n d",
    keys="B T_p d_k",
    values="B T_p d_k",
    returns={"output": "B T_n d_k", "keys": "B T d_k", "values": "B T d_k"},
    sizes={"T": "T_p + T_n"},
)
CALLS = {call.target: call.described for call in (ROTATE, ATTEND, FORWARD, EXTEND)}  # names the axes in messages


def worked(builder: ProgramBuilder) -> None:
    """The worked example of the handout."""
    x = builder.example("x", [[[1.0, 0.0, 0.0, 2.0]]])
    positions = builder.example("positions", [1])
    builder.call("out", "rotate", x, positions, outputs={"result": (1, 1, 4)})


CHECKS = (
    part(
        "rotate",
        signature(ROTATE, 2),
        values(ROTATE, 8, sizes=[{"d": 6}, {"d": 4}]),
        example("rotate-example", 2, "The worked example of rotate comes out", worked),
        shapes(ROTATE, 2),
        gradients(ROTATE, 3),
    )
    + part(
        "attend",
        signature(ATTEND, 2),
        values(ATTEND, 6, sizes=[{"T_q": 3, "T_before": 4}, {"T_q": 2, "T_before": 3}]),
        shapes(SELF, 2),
        gradients(ATTEND, 2),
    )
    + part(
        "CachedAttention",
        signature(FORWARD, 2),
        values(FORWARD, 6, sizes=[{"d_k": 6}, {"d_k": 4}]),
        values(EXTEND, 8, sizes=[{"d_k": 6, "T_p": 5, "T_n": 3}, {"d_k": 4, "T_p": 2, "T_n": 1}]),
        shapes(EXTEND, 2),
        gradients(FORWARD, 2),
        gradients(EXTEND, 2),
    )
)
