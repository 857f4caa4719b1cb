"""An assignment's checks with their cases drawn and their right answers at hand.

``public`` reads what was shipped and needs no references; ``full`` computes everything from a seed and
needs them. What is shipped is written by ``export``.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import resources

import msgspec

from autograder import cases, model, specs, wire


class ExamError(Exception):
    """The checks that were asked for can't be had in this installation."""


class Exam:
    """Checks, and for each of their cases the program and what is due."""

    def __init__(self, spec: model.Spec, prepared: dict[str, model.Prepared]) -> None:
        self.spec = spec
        self.prepared = prepared
        self.encoded = {name: msgspec.msgpack.encode(one.program) for name, one in prepared.items()}

    @cached_property
    def fingerprint(self) -> str:
        """Changes with anything that a grade depends on: checks, points, inputs, expected values."""
        digest = hashlib.sha256()
        for check in self.spec.checks:
            digest.update(msgspec.json.encode([check.id, check.points, check.holds, [c.id for c in check.cases]]))
        for one in self.prepared.values():
            digest.update(msgspec.msgpack.encode(one))
        return digest.hexdigest()


def public(topic: str) -> Exam:
    """The public checks, from the arrays that are shipped. Raises ExamError."""
    spec = specs.load(topic, hidden=False)
    file = resources.files("autograder") / "data" / f"{topic}.msgpack"
    try:
        shipped = wire.decode(file.read_bytes(), tuple[model.Prepared, ...])
    except (FileNotFoundError, wire.WireError) as error:
        raise ExamError(f"the expected values of {topic} are not installed ({error}); run: attngrade build") from None
    prepared = {one.id: one for one in shipped}
    lacking = [case.id for check in spec.checks for case in check.cases if case.id not in prepared]
    if lacking:
        raise ExamError(f"the shipped values of {topic} are out of step ({lacking[0]}); run: attngrade build")
    return Exam(spec, prepared)


def full(topic: str, seed: str) -> Exam:
    """All checks: the public ones from their fixed seed, the hidden ones from ``seed``. Raises ExamError."""
    try:
        from autograder import oracle
    except ImportError as error:
        raise ExamError(
            "this installation has no reference implementations, so only public checks can be run here; "
            "instructors install from a checkout: pip install -e ."
        ) from error
    spec = specs.load(topic, hidden=True)
    prepared: dict[str, model.Prepared] = {}
    for check in spec.checks:
        for case in check.cases:
            if case.id not in prepared:
                secret = seed if case.id.startswith("hidden-") else cases.PUBLIC_SEED
                prepared[case.id] = oracle.prepare(topic, case, secret)
    return Exam(spec, prepared)


def export(topic: str) -> bytes:
    """What ``public`` reads: needs the references."""
    from autograder import oracle

    spec = specs.load(topic, hidden=False)
    unique = {case.id: case for check in spec.checks for case in check.cases}
    prepared = tuple(oracle.prepare(topic, case, cases.PUBLIC_SEED) for case in unique.values())
    return msgspec.msgpack.encode(prepared)
