"""The hidden checks: other sizes and numbers, and the corner cases. Students see only their status and cause."""

from autograder.author import (
    Input,
    ProgramBuilder,
    alone,
    constant,
    devices,
    example,
    function,
    large,
    module,
    normal,
    ones,
    part,
    permutation,
    shift,
    stateless,
    strides,
    values,
)

from .checks import NORM, NORMED, RMS


def far_from_zero(generator, shape, sizes):
    """Numbers with a spread of 1, far away from 0."""
    return 1.0e7 + generator.normal(*shape)


def all_equal(generator, shape, sizes):
    """Every position repeats one number, so its variance is 0."""
    return generator.normal(*shape[:-1], 1).repeat(shape[-1], axis=-1)


RESULT = {"result": "B T d"}
NARROW = {"x": normal("B T d", scale=0.003)}
SMALL = function("layer_norm", **NARROW, gain="d", shift="d", returns=RESULT)
WITH_EPS = function("layer_norm", x="B T d", gain="d", shift="d", eps=constant(0.5), returns=RESULT)
FAR = function("layer_norm", x=Input("B T d", far_from_zero), gain="d", shift="d", returns=RESULT)
EQUAL = function("layer_norm", x=Input("B T d", all_equal), gain="d", shift="d", returns=RESULT)
TWO_AXES = function("layer_norm", x="B d", gain="d", shift="d", returns={"result": "B d"})
FOUR_AXES = function("layer_norm", x="B H T d", gain="d", shift="d", returns={"result": "B H T d"})
SMALL_LAYER = module("LayerNorm", init=["d"], weights={"gain": "d", "shift": "d"}).call(**NARROW, returns=RESULT)
WITH_EPS_LAYER = module("LayerNorm", init=["d", constant(0.5)], weights={"gain": "d", "shift": "d"})
WITH_EPS_CALL = WITH_EPS_LAYER.call(x="B T d", returns=RESULT)
RMS_EPS = function("rms_norm", x="B T d", gain="d", eps=constant(0.5), returns=RESULT)
RMS_SMALL = function("rms_norm", **NARROW, gain="d", returns=RESULT)
RMS_TWO_AXES = function("rms_norm", x="B d", gain="d", returns={"result": "B d"})


def new_layer(builder: ProgramBuilder) -> None:
    """A new layer, with the weights that its constructor gives it."""
    builder.make("layer", "LayerNorm", 5)
    x = builder.example("x", [[2.0, 4.0, 5.0, 6.0, 8.0], [-1.0, 0.0, 3.0, 0.5, 2.0]])
    builder.call("out", "layer", x, outputs={"result": (2, 5)})


CHECKS = (
    *part(
        "layer_norm",
        values(NORM, 4, sizes=[{"d": 2}, {"T": 13}]),
        values(SMALL, 2, id="layer-norm-small", title="Numbers of about 0.003, where eps counts"),
        values(WITH_EPS, 3, id="layer-norm-eps", title="Another eps"),
        values(FAR, 3, id="layer-norm-far", title="Numbers far from 0"),
        values(EQUAL, 2, id="layer-norm-equal", title="Positions whose features are all equal"),
        values(TWO_AXES, 2, id="layer-norm-two-axes", title="An x of two axes"),
        values(FOUR_AXES, 1, id="layer-norm-four-axes", title="An x of four axes"),
        large(NORM, 1, "x"),
        ones(NORM, 2),
        permutation(NORM, 1, "T"),
        alone(NORM, 1),
        shift(NORM, 1, "x", "d"),
        strides(NORM, 1),
        stateless(NORM, 2),
        devices(NORM, 1),
    ),
    *part(
        "LayerNorm",
        values(NORMED, 4, sizes=[{"d": 2}, {"T": 13}]),
        example("layer-new", 4, "The constructor's own gain and shift", new_layer),
        values(SMALL_LAYER, 1, id="layer-small", title="A layer gets numbers of about 0.003"),
        values(WITH_EPS_CALL, 2, id="layer-eps", title="A layer with another eps"),
        stateless(NORMED, 2),
        devices(NORMED, 1),
    ),
    *part(
        "rms_norm",
        values(RMS, 2, sizes=[{"d": 2}, {"T": 13}]),
        values(RMS_SMALL, 1, id="rms-norm-small", title="Numbers of about 0.003, where eps counts"),
        values(RMS_EPS, 2, id="rms-norm-eps", title="Another eps"),
        values(RMS_TWO_AXES, 2, id="rms-norm-two-axes", title="An x of two axes"),
        ones(RMS, 1),
        stateless(RMS, 1),
    ),
)
