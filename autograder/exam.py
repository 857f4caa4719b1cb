"""An assignment's checks with their cases drawn and their right answers at hand.

``public`` reads what was shipped and needs no references; ``full`` computes everything from a seed, or
takes it from the shelf where it was computed before. What is shipped is written by ``export``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autograder import cases, model, shelf, specs, wire

NOT_INSTALLED = (
    "this installation has no hidden checks and no reference implementations, so only the public checks can "
    "be run here; instructors install from a checkout: pip install -e ."
)


PREPARED = tuple[model.Prepared, ...]
MISTAKEN = tuple[model.Mistaken, ...]


class ExamError(Exception):
    """The checks that were asked for can't be had in this installation."""


Mistakes = Callable[[model.Prepared], tuple[model.Mistaken, ...]]


class Exam:
    """Checks, and for each of their cases the program, what is due, and what known mistakes would show."""

    def __init__(
        self,
        spec: model.Spec,
        prepared: dict[str, model.Prepared],
        mistakes: Mistakes,
        seed: str = "",
        device: model.Device = "cpu",
    ) -> None:
        self.spec = spec
        self.device = device
        self.seed = seed  # of what is drawn while grading: the inputs of timed calls
        self.prepared = prepared
        self.encoded = {name: msgspec.msgpack.encode(one.program) for name, one in prepared.items()}
        self._mistakes = mistakes
        self._mistaken: dict[str, tuple[model.Mistaken, ...]] = {}

    @property
    def points(self) -> float:
        """Of all checks together."""
        return round(float(sum(check.points for check in self.spec.checks)), 6)

    def mistaken(self, case_id: str) -> tuple[model.Mistaken, ...]:
        """What the known mistakes that show in a case would answer. Asked only where something is wrong: it may
        have to be computed."""
        if case_id not in self._mistaken:
            self._mistaken[case_id] = self._mistakes(self.prepared[case_id])
        return self._mistaken[case_id]


class Shipped(msgspec.Struct, frozen=True):
    """The public cases as they go out to students; what mistakes would show, by case, is read when needed."""

    prepared: tuple[model.Prepared, ...]
    mistaken: dict[str, msgspec.Raw]


def public(topic: str, device: model.Device = "cpu") -> Exam:
    """The public checks, from the arrays that are shipped. Raises ExamError."""
    spec = specs.load(topic, hidden=False)
    file = resources.files("autograder") / "data" / f"{topic}.msgpack"
    try:
        shipped = wire.decode(file.read_bytes(), Shipped)
    except (FileNotFoundError, wire.WireError) as error:
        raise ExamError(
            f"the expected values of {topic} are not installed ({error}); run: attngrade build"
        ) from None
    prepared = {one.id: one for one in shipped.prepared}
    for check in spec.checks:
        for case in check.cases:
            if case.id not in prepared or not _fits(topic, case, prepared[case.id]):
                raise ExamError(
                    f"the shipped values of {topic} are out of step ({case.id}); run: attngrade build"
                )
    on_device = {name: _on(device, one) for name, one in prepared.items()}
    return Exam(
        spec, on_device, lambda case: wire.decode(bytes(shipped.mistaken[case.id]), MISTAKEN), device=device
    )


def _on(device: model.Device, case: model.Prepared) -> model.Prepared:
    """The same case elsewhere; what is due was computed on the CPU, in double precision."""
    if device == "cpu":
        return case
    return msgspec.structs.replace(case, program=case.program.on(device))


def _fits(topic: str, case: model.Case, shipped: model.Prepared) -> bool:
    """Whether the steps are those of the check; the numbers are taken as shipped, whatever NumPy now draws."""
    return case.build(cases.Draw(cases.PUBLIC_SEED, topic, case.id)).steps == shipped.program.steps


def full(
    topic: str,
    seed: str,
    timing: bool = True,
    dtype: model.Dtype | None = None,
    device: model.Device = "cpu",
) -> Exam:
    """All checks: the public ones from their fixed seed, the hidden ones from ``seed``; with or without
    ``timing``; with all inputs of one ``dtype`` where that is given (for an audit); on a ``device``. Raises
    ExamError."""
    try:
        spec = specs.load(topic, hidden=True)
        shelved = shelf.Shelf(topic, seed, sources(), dtype or "")
        prepared = shelved.take("exam", PREPARED) or shelved.put("exam", _draw_up(spec, seed, dtype))
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(("reference", "autograder.")):
            raise
        raise ExamError(NOT_INSTALLED) from error
    checks = spec.checks if timing else _without_timing(spec.checks)

    def mistakes(case: model.Prepared) -> tuple[model.Mistaken, ...]:
        known = shelved.take(f"mistaken-{case.id}", MISTAKEN)
        return shelved.put(f"mistaken-{case.id}", _mistaken(topic, case)) if known is None else known

    spec = msgspec.structs.replace(spec, checks=checks)
    return Exam(spec, {one.id: _on(device, one) for one in prepared}, mistakes, seed, device)


def _without_timing(checks: Sequence[model.Check]) -> tuple[model.Check, ...]:
    """The other checks, worth 100 points together in the same proportions."""
    others = [check for check in checks if check.kind != "timing"]
    share = sum(check.points for check in checks) / sum(check.points for check in others)
    return tuple(msgspec.structs.replace(check, points=check.points * share) for check in others)


def export(topic: str) -> bytes:
    """What ``public`` reads: needs the references."""
    prepared = _draw_up(specs.load(topic, hidden=False), "")
    mistaken = {one.id: msgspec.Raw(msgspec.msgpack.encode(_mistaken(topic, one))) for one in prepared}
    return msgspec.msgpack.encode(Shipped(prepared, mistaken))


def _mistaken(topic: str, case: model.Prepared) -> tuple[model.Mistaken, ...]:
    from autograder import misconceptions  # imports torch

    return misconceptions.mistaken(topic, case)


def _draw_up(spec: model.Spec, seed: str, dtype: model.Dtype | None = None) -> tuple[model.Prepared, ...]:
    from autograder import oracle  # imports torch, which takes a second

    seeds = {"public": cases.PUBLIC_SEED, "hidden": seed}
    unique = {case.id: (case, seeds[check.visibility]) for check in spec.checks for case in check.cases}
    return tuple(oracle.prepare(spec.topic, case, secret, dtype) for case, secret in unique.values())


def equivalent(one: bytes, other: bytes) -> bool:
    """Whether two exports say the same, but for the last digits, in which machines differ: also those of inputs."""
    try:
        return _near(_opened(one), _opened(other))
    except wire.WireError:
        return False


def _opened(export: bytes) -> tuple[tuple[model.Prepared, ...], dict[str, tuple[model.Mistaken, ...]]]:
    shipped = wire.decode(export, Shipped)
    return shipped.prepared, {
        name: wire.decode(bytes(raw), MISTAKEN) for name, raw in shipped.mistaken.items()
    }


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, model.Array) and isinstance(other, model.Array):
        a, b = wire.to_numpy(one), wire.to_numpy(other)
        digits = (
            1e-5 if a.dtype == np.float32 else 1e-12
        )  # what mistakes would show is kept in single precision
        return (
            a.shape == b.shape
            and a.dtype == b.dtype
            and bool(np.allclose(a, b, digits, digits, equal_nan=True))
        )
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(_near(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_near(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.isclose(one, other, 1e-12, 1e-12))
    if isinstance(one, msgspec.Struct) and type(one) is type(other):
        return _near(msgspec.structs.astuple(one), msgspec.structs.astuple(other))
    return bool(one == other)


def sources() -> str:
    """A digest of the grader's and the references' files: it changes with anything that a grade depends on."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for folder in (package, package.parent / "reference"):
        for file in sorted(folder.rglob("*.py")):
            digest.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()
