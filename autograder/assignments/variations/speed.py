"""The calls of ``variations`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import SCALE, SENTENCES, speed, timed
from autograder.assignments.kit.usual_programs import MADE
from autograder.assignments.variations.inputs import BIDAF, POINTER, softmax
from autograder.assignments.variations.programs import make_bidaf, make_pointer


def pointer(builder: ProgramBuilder, calls: int, *, batch: int, width: int, vocab: int, sources: int) -> None:
    """Call PointerGenerator ``calls`` times, with half as many words more as the vocabulary has."""
    make_pointer(builder, batch, width, width, width, scale=SCALE)
    size = vocab + vocab // 2
    outputs = {"distribution": (batch, size), "p_gen": (batch,)}
    for i in range(calls):
        given = [builder.noise(f"{name}{i}", batch, width) for name in ("context", "state", "embedded")]
        for name, places in (("vocab_probs", vocab), ("weights", sources)):
            given.append(builder.array(f"{name}{i}", softmax(builder.generator.noise(batch, places))))
        ids = builder.array(f"src_ids{i}", builder.generator.integers(batch, sources, high=size))
        builder.call(f"out{i}", MADE, *given, ids, size, outputs=outputs)


def bidaf(builder: ProgramBuilder, calls: int, *, batch: int, m: int, n: int, dim: int) -> None:
    """Call BiDAF ``calls`` times."""
    make_bidaf(builder, batch, m, n, dim, scale=SCALE)
    for i in range(calls):
        words = {"context": m, "question": n}
        args = [builder.noise(f"{name}{i}", batch, k, dim) for name, k in words.items()]
        args += [builder.array(f"{name}_mask{i}", builder.generator.mask(batch, k)) for name, k in words.items()]
        builder.call(f"out{i}", MADE, *args, outputs={"result": (batch, m, 4 * dim)})


SPEED = {
    POINTER: speed(
        "pointer-speed",
        1,
        POINTER,
        timed("pointer", pointer, "batch", SENTENCES, at=64, limit=5, width=16, vocab=40, sources=12),
    ),
    BIDAF: speed(
        "bidaf-speed",
        1,
        BIDAF,
        timed("bidaf", bidaf, "m", "words of the context", at=64, limit=5, batch=2, n=8, dim=16),
    ),
}
