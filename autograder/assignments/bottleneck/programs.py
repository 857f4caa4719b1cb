"""The programs of ``bottleneck``'s cases: functions that write the steps of one case."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from autograder import protocol
from autograder.assignments.bottleneck.plain import ARGUMENTS
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import Call, UsualPrograms

UNIFORM, IDENTITY, SCORES, BYTES = "uniform_context", "weight_of_dot", "score_multiplications", "attention_bytes"
ENTROPY, CONDITIONAL, MUTUAL = "entropy_bits", "conditional_entropy", "mutual_information"
CHAIN, CHANNEL, ALONG = "processing_chain", "binary_channel_capacity", "decay_along"
CAPACITY, TOKEN_BITS, LOSSLESS = "context_capacity", "bits_per_token", "longest_lossless"
LENGTH, DECAY, REACH, OWN = "path_length", "path_decay", "reach", "own_answers"
OWN_FIELDS = (*("width", "bits", "source_length", "target_length", "vocabulary", "gamma", "heads", "layers", "flip"),)
ANSWERS = (
    *("capacity", "bits", "lossless", "steps", "decay", "reach", "memory", "channel", "multiplications"),
)  # the results of own_answers


# ---- inputs: each writes the arrays of one call, whose names begin with ``of``


def table(builder: ProgramBuilder, *shape: int, zeros: float = 0.0, axes: int = 1) -> np.ndarray:
    """Return positive numbers whose last ``axes`` sum to 1. ``zeros``: the share of entries that are exactly 0."""
    powers = np.exp(builder.generator.normal(*shape, scale=1.2))
    if zeros:
        powers = powers * builder.generator.mask(*shape, keep=1 - zeros)
    return np.asarray(powers / powers.sum(tuple(range(-axes, 0)), keepdims=True))


def with_empty_lines(values: np.ndarray) -> np.ndarray:
    """Return a joint distribution whose second row and last column are 0."""
    values = values.copy()
    values[1], values[:, -1] = 0.0, 0.0
    return np.asarray(values / values.sum())


def _states(builder: ProgramBuilder, of: str, *shape: int) -> Call:
    return Call(
        UNIFORM, [builder.normal(f"{of}states", *shape)], {"context": (shape[0], shape[2]), "weights": shape[:2]}
    )


def _entropy(builder: ProgramBuilder, of: str, *shape: int, zeros: float = 0.0) -> Call:
    values = table(builder, *shape, zeros=zeros)
    return Call(ENTROPY, [builder.array(f"{of}probabilities", values)], {"entropy": shape[:-1]})


def _joint(builder: ProgramBuilder, of: str, *shape: int, zeros: float = 0.0) -> protocol.Ref:
    values = table(builder, *shape, zeros=zeros, axes=2)
    return builder.array(f"{of}joint", with_empty_lines(values) if zeros else values)


def _bits(name: str) -> Callable[..., Call]:
    return lambda *args, **options: Call(name, [_joint(*args, **options)], {"bits": ()})


def _chain(builder: ProgramBuilder, of: str, rows: int, middle: int, columns: int, zeros: float = 0.0) -> Call:
    joint = _joint(builder, of, rows, middle, zeros=zeros)
    channel = builder.array(f"{of}channel", table(builder, middle, columns, zeros=zeros))
    return Call(CHAIN, [joint, channel], {"before": (), "after": ()})


def _along(builder: ProgramBuilder, of: str, length: int, width: int) -> Call:
    states = builder.array(f"{of}states", np.tanh(builder.generator.normal(length, width)))
    weight = builder.normal(f"{of}recurrent_weight", width, width, scale=0.8)
    return Call(ALONG, [states, weight], {"norms": (length,)})


DRAWN: dict[str, Callable[..., Call]] = {
    UNIFORM: _states,
    ENTROPY: _entropy,
    CONDITIONAL: _bits(CONDITIONAL),
    MUTUAL: _bits(MUTUAL),
    CHAIN: _chain,
    ALONG: _along,
}
TAKES = {
    UNIFORM: "(states)",
    IDENTITY: "(dim)",
    SCORES: "(kind, length, dim, attn_dim=None)",
    BYTES: "(length, heads=1, layers=1, bytes_per_number=4)",
    ENTROPY: "(probabilities)",
    CONDITIONAL: "(joint)",
    MUTUAL: "(joint)",
    CHAIN: "(joint, channel)",
    CHANNEL: "(flip)",
    CAPACITY: "(width, bits)",
    TOKEN_BITS: "(vocabulary)",
    LOSSLESS: "(width, bits, vocabulary)",
    LENGTH: "(source_length, target_length, position, attention=False)",
    DECAY: "(gamma, steps)",
    REACH: "(gamma, threshold=1e-7)",
    ALONG: "(states, recurrent_weight)",
}
USUAL = UsualPrograms(DRAWN, TAKES)


# ---- programs


def plain(builder: ProgramBuilder, name: str, draws: Mapping[str, str]) -> None:
    """Call a function of plain numbers. ``draws`` maps each step to how its arguments are drawn (see ``plain``)."""
    builder.inspect("arguments", name)
    for into, how in draws.items():
        args, kwargs = ARGUMENTS[name][how](builder.generator)
        builder.call(into, name, *args, outputs={"number": None}, **kwargs)


def identities(builder: ProgramBuilder, sizes: Mapping[str, int]) -> None:
    """Call weight_of_dot for several widths, or in a redrawn case for somewhat larger ones."""
    builder.inspect("arguments", IDENTITY)
    for into, size in sizes.items():
        size = builder.generator.near(size, most=6) if size > 1 else size
        builder.call(into, IDENTITY, size, outputs={"weight": (size, size)})


def answered(builder: ProgramBuilder, count: int) -> None:
    """Call own_answers with the numbers of several tokens: ``out``, ``out-1``..."""
    for number in range(count):
        seed = builder.generator.generator.bytes(8).hex()
        token = f"attngrade1.bottleneck.YW55Ym9keQ.{seed}."
        builder.call(f"own-{number}", "own_numbers", token, outputs=dict.fromkeys(OWN_FIELDS))
        outputs = dict.fromkeys(ANSWERS)
        builder.call(f"out-{number}" if number else "out", OWN, protocol.Ref(f"own-{number}"), outputs=outputs)
