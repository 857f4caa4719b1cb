"""The public checks. Students run them on their machines; the points of all checks add up to 100."""

from autograder.author import (
    ProgramBuilder,
    example,
    forbids,
    function,
    gradients,
    module,
    normal,
    part,
    shapes,
    signature,
    values,
)

TITLE = "Layer normalisation"

NORM = function("layer_norm", x=normal("B T d", scale=3.0), gain="d", shift="d", returns={"result": "B T d"})
# Without an id of its own, the checks of the class would have the ids of those of layer_norm.
LAYER = module("LayerNorm", init=["d"], weights={"gain": "d", "shift": "d"}, id="layer")
NORMED = LAYER.call(x=normal("B T d", scale=3.0), returns={"result": "B T d"})
RMS = function("rms_norm", x=normal("B T d", scale=3.0), gain="d", returns={"result": "B T d"})
CALLS = {NORM.target: NORM.described, NORMED.target: NORMED.described, RMS.target: RMS.described}


def worked_layer_norm(builder: ProgramBuilder) -> None:
    """The numbers of the handout, for layer_norm."""
    x = builder.example("x", [[2.0, 4.0, 5.0, 6.0, 8.0]])
    gain = builder.example("gain", [1.0, 1.0, 1.0, 1.0, 2.0])
    shift = builder.example("shift", [0.0, 0.0, 0.0, 0.0, 1.0])
    builder.call("out", "layer_norm", x, gain, shift, outputs={"result": (1, 5)})


def worked_rms_norm(builder: ProgramBuilder) -> None:
    """The numbers of the handout, for rms_norm."""
    x = builder.example("x", [[1.0, 7.0]])
    gain = builder.example("gain", [1.0, 1.0])
    builder.call("out", "rms_norm", x, gain, outputs={"result": (1, 2)})


CHECKS = (
    *part(
        "layer_norm",
        signature(NORM, 2),
        example("layer-norm-example", 2, "The worked example of layer_norm comes out", worked_layer_norm),
        values(NORM, 12),
        shapes(NORM, 3),
        gradients(NORM, 5),
        forbids(NORM, 2, "layer_norm"),
    ),
    *part("LayerNorm", signature(NORMED, 3), values(NORMED, 7), gradients(NORMED, 4)),
    *part(
        "rms_norm",
        signature(RMS, 1),
        example("rms-norm-example", 1, "The worked example of rms_norm comes out", worked_rms_norm),
        values(RMS, 5),
        gradients(RMS, 2),
        forbids(RMS, 1, "rms_norm"),
    ),
)
