"""The public checks. Students run them on their machines; the points of all checks add up to 100."""

from autograder.author import (
    ProgramBuilder,
    constant,
    example,
    function,
    gradients,
    integers,
    module,
    part,
    shapes,
    signature,
    values,
)

TITLE = "Rotary positions with a cache"

# What is called. Widths that are rotated are even, and no call has more queries than keys. So checks that choose the
# sizes themselves get the calls whose names end in 6, and SELF: there such sizes are numbers, or the same axis.
ROTATE = function("rotate", x="B T d", positions=integers("T", below=40), base=100.0, returns={"result": "B T d"})
ROTATE6 = function("rotate", x="B T 6", positions=integers("T", below=40), base=100.0, returns={"result": "B T 6"})
ATTEND = function("attend", query="B T_q d", key="B T_k d", value="B T_k d_v", returns={"output": "B T_q d_v"})
SELF = function("attend", query="B T d", key="B T d", value="B T d_v", returns={"output": "B T d_v"})
LAYER = module(
    "CachedAttention", init=["d", "d_k"], weights={"W_Q.weight": "d_k d", "W_K.weight": "d_k d", "W_V.weight": "d_k d"}
)
FORWARD = LAYER.call(x="B T d", returns={"output": "B T d_k"})
EXTEND = LAYER.call(
    "extend",
    x="B T_n d",
    keys="B T_p d_k",
    values="B T_p d_k",
    returns={"output": "B T_n d_k", "keys": "B T d_k", "values": "B T d_k"},
)
LAYER6 = module(
    "CachedAttention", init=["d", constant(6)], weights={"W_Q.weight": "6 d", "W_K.weight": "6 d", "W_V.weight": "6 d"}
)
FORWARD6 = LAYER6.call(x="B T d", returns={"output": "B T 6"})
EXTEND6 = LAYER6.call(
    "extend", x="B 3 d", keys="B 5 6", values="B 5 6", returns={"output": "B 3 6", "keys": "B 8 6", "values": "B 8 6"}
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
        signature(ROTATE6, 2),
        values(ROTATE, 8, sizes=[{"d": 6}, {"d": 4}]),
        example("rotate-example", 2, "The worked example of rotate comes out", worked),
        shapes(ROTATE6, 2),
        gradients(ROTATE6, 3),
    )
    + part(
        "attend",
        signature(ATTEND, 2),
        values(ATTEND, 6, sizes=[{"T_q": 3, "T_k": 7}, {"T_q": 2, "T_k": 5}]),
        shapes(SELF, 2),
        gradients(ATTEND, 2, sizes={"T_q": 3, "T_k": 7}),
    )
    + part(
        "CachedAttention",
        signature(FORWARD6, 2),
        values(FORWARD, 6, sizes=[{"d_k": 6}, {"d_k": 4}]),
        values(EXTEND, 8, sizes=[{"d_k": 6, "T_p": 5, "T_n": 3, "T": 8}, {"d_k": 4, "T_p": 2, "T_n": 1, "T": 3}]),
        shapes(EXTEND6, 2),
        gradients(FORWARD6, 2),
        gradients(EXTEND6, 2),
    )
)
