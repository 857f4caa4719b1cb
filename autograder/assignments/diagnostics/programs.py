"""The programs of ``diagnostics``'s cases: functions that write the steps of one case."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder import protocol
from autograder.assignments.diagnostics.matrices import FAILURES, PATTERNS, Kind, padded, soft
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.usual_programs import Call, UsualPrograms

Shape = Sequence[int] | None
ENTROPY, CURVE, SHARPNESS, COVERAGE = "row_entropy", "temperature_curve", "sharpness", "coverage"
OFFSET, LINKS, ERROR_RATE = "diagonal_offset", "alignment_links", "alignment_error_rate"
PATTERN, FAILURE, GEOMETRY = "classify_pattern", "diagnose_failure", "attention_geometry"
PATHS, NORMS = "gradient_paths", "gradient_norms"
PERMUTED, ABLATED, RANKS = "permutation_test", "ablation_effects", "rank_agreement"


class Batch(NamedTuple):
    """Sentences by their lengths (T, S), and the size that they are padded to."""

    lengths: Sequence[tuple[int, int]]
    rows: int
    columns: int
    padding: float = 2.0  # the largest number in rows of padding


class Answers(NamedTuple):
    """The sizes of a classifier that reads a context."""

    batch: int
    length: int
    width: int
    classes: int
    permutations: int = 1


# ---- inputs: each writes the arrays of one call, whose names begin with ``of``


def sentences(builder: ProgramBuilder, batch: Batch, matrices: Sequence[np.ndarray], of: str = "") -> list[Any]:
    """Add padded weights and the lengths of sources and targets."""
    values = padded(builder.generator, matrices, batch.rows, batch.columns, batch.padding)
    rows, columns = zip(*batch.lengths, strict=True)
    weights = builder.array(f"{of}weights", values)
    return [weights, builder.array(f"{of}src_lengths", columns), builder.array(f"{of}tgt_lengths", rows)]


def _entropy(builder: ProgramBuilder, of: str, *shape: int, hidden: float = 0.0) -> Call:
    powers = np.exp(builder.generator.normal(*shape, scale=1.2))
    if hidden:
        powers = powers * builder.generator.mask(*shape, keep=1 - hidden)
    weights = builder.array(f"{of}weights", powers / powers.sum(-1, keepdims=True))
    return Call(ENTROPY, [weights], {"entropy": shape[:-1]})


def _curve(builder: ProgramBuilder, of: str, count: int, *shape: int) -> Call:
    scores = builder.normal(f"{of}scores", *shape, scale=1.5)
    temperatures = builder.array(f"{of}temperatures", builder.generator.uniform(count, low=0.3, high=3.0))
    return Call(CURVE, [scores, temperatures], {"weights": (count, *shape), "entropies": (count,)})


# Kinds whose sentences are far from limits, whatever is drawn. Other functions get random rows.
OF_CLASSIFIERS: dict[str, tuple[Kind, ...]] = {
    PATTERN: (PATTERNS["diagonal"], PATTERNS["reordered"]),
    FAILURE: (FAILURES["sharp"], FAILURES["lagging"]),
}


def _measured(name: str) -> Callable[..., Call]:
    def write(builder: ProgramBuilder, of: str, batch: Batch) -> Call:
        chosen = itertools.cycle(OF_CLASSIFIERS.get(name, (soft,)))
        matrices = [kind(builder.generator, *one) for kind, one in zip(chosen, batch.lengths, strict=False)]
        args = sentences(builder, batch, matrices, of)
        one = (len(batch.lengths),)
        outputs: dict[str, Mapping[str, Shape]] = {
            SHARPNESS: {"entropy": one, "maximum": one},
            COVERAGE: {"received": (*one, batch.columns), "uniformity": one},
            OFFSET: {"offset": one, "drift": one},
            LINKS: {"links": None},
            PATTERN: {"patterns": None},
            FAILURE: {"failures": None},
        }
        return Call(name, args[::2] if name == SHARPNESS else args, outputs[name])

    return write


def _links(builder: ProgramBuilder, of: str, *shape: int, lacking: bool = False) -> Call:
    """``lacking``: some sure links are not possible."""
    sure = builder.generator.mask(*shape, keep=0.25)
    possible = builder.generator.mask(*shape, keep=0.3) | (sure & (builder.generator.uniform(*shape) < 0.5))
    links = np.where(builder.generator.uniform(*shape) < 0.6, sure, builder.generator.mask(*shape, keep=0.3))
    given = {"links": links, "sure": sure, "possible": possible if lacking else possible | sure}
    return Call(ERROR_RATE, [builder.array(f"{of}{name}", values) for name, values in given.items()], {"rate": None})


def _geometry(builder: ProgramBuilder, of: str, *shape: int, temperature: float | None = None) -> Call:
    x = builder.normal(f"{of}x", *shape, scale=0.8)
    pairs = (*shape[:2], shape[1])
    args: list[protocol.Argument] = [x] if temperature is None else [x, temperature]
    return Call(GEOMETRY, args, {"before": pairs, "after": pairs, "gain": shape[:1]})


def _paths(builder: ProgramBuilder, of: str, batch: int, targets: int, sources: int, width: int) -> Call:
    sizes = {"queries": targets, "states": sources, "grad_contexts": targets}
    args = [builder.normal(f"{of}{name}", batch, size, width, scale=0.9) for name, size in sizes.items()]
    return Call(PATHS, args, {"direct": (batch, sources, width), "indirect": (batch, sources, width)})


def _norms(builder: ProgramBuilder, of: str, *shape: int) -> Call:
    states = builder.array(f"{of}states", np.tanh(builder.generator.normal(*shape)))
    weight = builder.normal(f"{of}recurrent_weight", shape[-1], shape[-1], scale=0.7)
    return Call(NORMS, [states, weight, builder.normal(f"{of}grad_states", *shape)], {"norms": shape[:2]})


def _answers(builder: ProgramBuilder, of: str, size: Answers) -> list[protocol.Argument]:
    return [
        builder.array(f"{of}weights", soft(builder.generator, size.batch, size.length)),
        builder.normal(f"{of}states", size.batch, size.length, size.width),
        builder.normal(f"{of}out_weight", size.classes, size.width, scale=1.5),
        builder.normal(f"{of}out_bias", size.classes, scale=0.5),
    ]


def _permuted(builder: ProgramBuilder, of: str, size: Answers) -> Call:
    args = _answers(builder, of, size)
    orders = [builder.generator.permutation(size.length) for _ in range(size.permutations)]
    args.append(builder.array(f"{of}permutations", np.stack(orders)))
    return Call(PERMUTED, args, {"distances": (size.permutations, size.batch), "median": (size.batch,)})


def _ablated(builder: ProgramBuilder, of: str, size: Answers) -> Call:
    return Call(ABLATED, _answers(builder, of, size), {"effects": (size.batch, size.length)})


def _ranks(builder: ProgramBuilder, of: str, *shape: int, levels: int = 0) -> Call:
    """``levels``: numbers are rounded to so many values, so that there are ties."""
    values = [builder.generator.normal(*shape) for _ in range(2)]
    if levels:
        values = [builder.generator.integers(*shape, high=levels) / 4 for _ in range(2)]
    first, second = (builder.array(f"{of}{name}", one) for name, one in zip(("first", "second"), values, strict=True))
    return Call(RANKS, [first, second], {"agreement": None})


DRAWN: dict[str, Callable[..., Call]] = {
    ENTROPY: _entropy,
    CURVE: _curve,
    **{name: _measured(name) for name in (SHARPNESS, COVERAGE, OFFSET, LINKS, PATTERN, FAILURE)},
    ERROR_RATE: _links,
    GEOMETRY: _geometry,
    PATHS: _paths,
    NORMS: _norms,
    PERMUTED: _permuted,
    ABLATED: _ablated,
    RANKS: _ranks,
}
TAKES = {
    ENTROPY: "(weights)",
    CURVE: "(scores, temperatures)",
    SHARPNESS: "(weights, tgt_lengths)",
    **dict.fromkeys((COVERAGE, OFFSET, LINKS, PATTERN, FAILURE), "(weights, src_lengths, tgt_lengths)"),
    ERROR_RATE: "(links, sure, possible)",
    GEOMETRY: "(x, temperature=1.0)",
    PATHS: "(queries, states, grad_contexts)",
    NORMS: "(states, recurrent_weight, grad_states)",
    PERMUTED: "(weights, states, out_weight, out_bias, permutations)",
    ABLATED: "(weights, states, out_weight, out_bias)",
    RANKS: "(first, second)",
}
USUAL = UsualPrograms(DRAWN, TAKES)


# ---- programs


def classified(
    builder: ProgramBuilder, name: str, kinds: Sequence[str], batch: Batch, matrices: Sequence[np.ndarray] = ()
) -> None:
    """Call a classifier on a sentence of each kind, or on these matrices.

    The reference alone also measures the sentences, so that ``informative.apart`` sees how far they are from limits.
    """
    builder.inspect("arguments", name)
    drawn = (PATTERNS if name == PATTERN else FAILURES).__getitem__
    made = [drawn(kind)(builder.generator, *one) for kind, one in zip(kinds, batch.lengths, strict=False)]
    weights, sources, targets = sentences(builder, batch, matrices or made)
    builder.call("out", name, weights, sources, targets, outputs={"found": None}, echo=True)
    with builder.for_reference_only():
        builder.call("sharpness", SHARPNESS, weights, targets, outputs={"entropy": None, "maximum": None})
        builder.call("offset", OFFSET, weights, sources, targets, outputs={"offset": None, "drift": None})
