"""An assignment's checks, with drawn inputs and expected results for their cases.

``public`` reads the shipped values and needs no references. ``full`` computes everything from a seed, or reads it from
the cache. ``export`` writes the shipped values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from autograder import assignments, judge, model, protocol
from autograder.assignments import places
from autograder.assignments.kit import programs
from autograder.grading import cache, fingerprints
from autograder.grading.redrawing import redrawn
from autograder.grading.weights import weighted
from autograder.protocol import wire

NOT_INSTALLED = (
    "this installation has no hidden checks and no reference implementations, so only the public checks can "
    "be run here; instructors install from a checkout: pip install -e ."
)


UNCHANGED = model.Weights()
PreparedCases = tuple[model.Prepared, ...]
VariantAnswers = tuple[model.VariantAnswer, ...]
StepResults = tuple[protocol.StepResult, ...]
Play = Callable[[model.Prepared, str], StepResults]  # gets a case and the id of a variant


class SuiteError(Exception):
    """This installation can't provide the requested checks, or a check is not valid."""


class CheckSuite:
    """Checks, and for each of their cases the program, the expected results and the answers of known mistakes."""

    def __init__(
        self,
        spec: model.Spec,
        prepared: dict[str, model.Prepared],
        compute_variants: Callable[[model.Prepared], VariantAnswers],
        seed: str = "",
        device: protocol.Device = "cpu",
        play: Play | None = None,
    ) -> None:
        """``seed`` is for inputs that are drawn while grading: those of timed calls. ``play`` computes all results of a
        known mistake in a case, where there are references. Raises SuiteError.
        """
        try:
            judge.validate(spec.checks)
        except judge.InvalidAssertion as error:
            raise SuiteError(f"assignment {spec.assignment}, {error}") from error
        self.spec = spec
        self.device = device
        self.seed = seed
        self.prepared = prepared
        self.secret = frozenset(case.id for check in spec.checks for case in check.secret_cases)
        self.checks_of: dict[str, list[model.Check]] = {}  # by case
        for check in spec.checks:
            for case in check.all_cases:
                self.checks_of.setdefault(case.id, []).append(check)
        self.encoded = {name: msgspec.msgpack.encode(one.program) for name, one in prepared.items()}
        self.play = play
        self._compute_variants = compute_variants
        self._mistaken: dict[tuple[str, str], StepResults] = {}
        self._variant_answers: dict[str, VariantAnswers] = {}

    @property
    def points(self) -> float:
        """The points of all checks together."""
        return round(sum(check.points for check in self.spec.checks), 6)  # without timing checks, points are fractions

    def only(self, ids: Collection[str]) -> CheckSuite:
        """Return the suite with only these checks, and only the cases that they need. Raises KeyError for other ids."""
        checks = tuple(check for check in self.spec.checks if check.id in ids)
        if unknown := set(ids) - {check.id for check in checks}:
            raise KeyError(sorted(unknown)[0])
        needed = {case.id for check in checks for case in check.all_cases}
        prepared = {name: one for name, one in self.prepared.items() if name in needed}
        spec = replace(self.spec, checks=checks)
        return CheckSuite(spec, prepared, self._compute_variants, self.seed, self.device, self.play)

    def narrowed(self, cases: Mapping[str, Collection[str]]) -> CheckSuite:
        """Return the suite with only these cases of these checks. All of them count as secret."""
        kept = tuple(check for check in self.spec.checks if check.id in cases)
        checks = tuple(
            replace(
                check,
                cases=tuple(case for case in check.cases if case.id in cases[check.id]),
                redrawn=tuple(case for case in check.redrawn if case.id in cases[check.id]),
            )
            for check in kept
        )
        needed = {name for names in cases.values() for name in names}
        prepared = {name: one for name, one in self.prepared.items() if name in needed}
        narrow = CheckSuite(
            replace(self.spec, checks=checks), prepared, self._compute_variants, self.seed, self.device, self.play
        )
        narrow.secret = frozenset(prepared)
        return narrow

    def mistaken(self, case_id: str, variant: str) -> model.Prepared | None:
        """Return the case with what the reference answers that has this mistake in it; None where there is no
        reference. Interfaces stay as they must be."""
        if self.play is None:
            return None
        prepared, key = self.prepared[case_id], (case_id, variant)
        if key not in self._mistaken:
            self._mistaken[key] = self.play(prepared, variant)
        pairs = zip(prepared.expected_results, self._mistaken[key], strict=True)
        return replace(prepared, expected_results=tuple(right if right.interface else one for right, one in pairs))

    def variant_answers(self, case_id: str) -> VariantAnswers:
        """Return the answers of known mistakes that show in a case. Computing them may take seconds."""
        if case_id not in self._variant_answers:
            self._variant_answers[case_id] = self._compute_variants(self.prepared[case_id])
        return self._variant_answers[case_id]


def empty_suite(assignment: str) -> CheckSuite:
    """Return a suite without checks. A session needs one for the name of its assignment."""
    return CheckSuite(model.Spec(assignment, "", ()), {}, lambda _: ())


class Shipped(msgspec.Struct, frozen=True):
    """The public cases as students get them. The variant answers of a case are decoded when needed."""

    prepared: PreparedCases
    variant_answers: dict[str, msgspec.Raw]


def public(assignment: str, device: protocol.Device = "cpu") -> CheckSuite:
    """Return the public checks with their shipped values. Raises SuiteError."""
    spec = assignments.load(assignment, hidden=False)
    try:
        shipped = wire.decode(assignments.shipped(assignment), Shipped)
    except (FileNotFoundError, wire.WireError) as error:
        raise SuiteError(
            f"the expected values of {assignment} are not installed ({error}); run: attngrade build"
        ) from None
    prepared = {one.id: one for one in shipped.prepared}
    for check in spec.checks:
        for case in check.cases:
            if case.id not in prepared or not _fits(assignment, case, prepared[case.id]):
                raise SuiteError(
                    f"the shipped values of {assignment} are out of step ({case.id}); run: attngrade build"
                )
    on_device = {name: _on(device, one) for name, one in prepared.items()}

    def variants(case: model.Prepared) -> VariantAnswers:
        return wire.decode(bytes(shipped.variant_answers[case.id]), VariantAnswers)

    return CheckSuite(spec, on_device, variants, device=device)


def _on(device: protocol.Device, case: model.Prepared) -> model.Prepared:
    """Return the case on another device. Its expected results stay those of the CPU, in double precision."""
    if device == "cpu":
        return case
    return replace(case, program=case.program.on(device))


def _fits(assignment: str, case: model.Case, shipped: model.Prepared) -> bool:
    """Whether the shipped steps are those of the check. Shipped inputs may differ from what this NumPy draws."""
    return case.build(programs.InputGenerator(programs.PUBLIC_SEED, assignment, case.id)).steps == shipped.program.steps


def full(
    assignment: str,
    seed: str,
    timing: bool = True,
    dtype: protocol.Dtype | None = None,
    device: protocol.Device = "cpu",
    weights: model.Weights = UNCHANGED,
) -> CheckSuite:
    """Return all checks: the public ones from their fixed seed and again from ``seed``, the hidden ones from ``seed``.

    ``dtype`` forces one dtype on all inputs, for an audit. ``weights`` are a course's. Raises SuiteError.
    """
    try:
        spec = redrawn(assignments.load(assignment, hidden=True), seed)
        stored = cache.SuiteCache(assignment, seed, fingerprints.sources(), dtype or "")
        prepared = stored.take("cases", PreparedCases) or stored.put("cases", _prepare(spec, seed, dtype))
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in places.OURS:
            raise
        raise SuiteError(NOT_INSTALLED) from error

    def variants(case: model.Prepared) -> VariantAnswers:
        known = stored.take(f"variants-{case.id}", VariantAnswers)
        return stored.put(f"variants-{case.id}", _variant_answers(assignment, case)) if known is None else known

    def play(case: model.Prepared, variant: str) -> StepResults:
        name = f"with-{fingerprints.of_name(variant)}-{case.id}"
        known = stored.take(name, StepResults)
        return stored.put(name, _played(assignment, variant, case)) if known is None else known

    spec = weighted(replace(spec, checks=checks(spec, timing)), weights)
    needed = {case.id for check in spec.checks for case in check.all_cases}
    asked = {one.id: _on(device, one) for one in prepared if one.id in needed}
    return CheckSuite(spec, asked, variants, seed, device, play)


def drafted(assignment: str, checks: Iterable[model.Check], seed: str) -> CheckSuite:
    """Return a suite of checks that are not an assignment's own: proposed ones. All count as secret.

    Raises whatever the reference raises in one of their cases.
    """
    hidden = tuple(check.as_hidden() for check in checks)
    spec = model.Spec(assignment, assignment, hidden, tuple(dict.fromkeys(check.part for check in hidden)))
    prepared = {one.id: one for one in _prepare(spec, seed)}
    return CheckSuite(spec, prepared, lambda _: (), seed)


def checks(spec: model.Spec, timing: bool) -> tuple[model.Check, ...]:
    """Return all checks, or those without timing, scaled so that each part keeps its points."""
    if timing:
        return spec.checks
    others = [check for check in spec.checks if check.kind != "timing"]
    scale = {part: _points_of(part, spec.checks) / (_points_of(part, others) or 1.0) for part in spec.parts}
    return tuple(replace(check, points=check.points * scale[check.part]) for check in others)


def _points_of(part: str, checks: Iterable[model.Check]) -> float:
    return sum(check.points for check in checks if check.part == part)


def export(assignment: str) -> bytes:
    """Return the shipped values that ``public`` reads. Needs the references."""
    prepared = _prepare(assignments.load(assignment, hidden=False), "")
    variants = {one.id: msgspec.Raw(msgspec.msgpack.encode(_variant_answers(assignment, one))) for one in prepared}
    return msgspec.msgpack.encode(Shipped(prepared, variants))


def _variant_answers(assignment: str, case: model.Prepared) -> VariantAnswers:
    from autograder.instructor.oracle import mistakes as known_mistakes  # imports torch

    return known_mistakes.variant_answers(assignment, case)


def _played(assignment: str, variant: str, case: model.Prepared) -> StepResults:
    from autograder.instructor.oracle import mistakes as known_mistakes  # imports torch

    return known_mistakes.played(assignment, variant, case.program)


def _prepare(spec: model.Spec, seed: str, dtype: protocol.Dtype | None = None) -> PreparedCases:
    from autograder.instructor import oracle  # imports torch, which takes a second

    secret = {case.id for check in spec.checks for case in check.secret_cases}
    unique = {case.id: case for check in spec.checks for case in check.all_cases}
    seeds = {name: seed if name in secret else programs.PUBLIC_SEED for name in unique}
    return tuple(oracle.prepare(spec.assignment, case, seeds[name], dtype) for name, case in unique.items())


def equivalent(first: bytes, second: bytes) -> bool:
    """Return whether two exports agree up to rounding, in inputs too: machines differ in the last digits."""
    try:
        return _near(_decoded(first), _decoded(second))
    except wire.WireError:
        return False


def _decoded(export: bytes) -> tuple[PreparedCases, dict[str, VariantAnswers]]:
    shipped = wire.decode(export, Shipped)
    variants = shipped.variant_answers.items()
    return shipped.prepared, {name: wire.decode(bytes(raw), VariantAnswers) for name, raw in variants}


def _near(first: Any, second: Any) -> bool:
    if type(first) is not type(second):
        return bool(first == second)
    match first, second:
        case protocol.Array(), protocol.Array():
            a, b = wire.to_numpy(first), wire.to_numpy(second)
            digits = 1e-5 if a.dtype == np.float32 else 1e-12  # variant answers are stored in single precision
            return a.shape == b.shape and a.dtype == b.dtype and bool(np.allclose(a, b, digits, digits, equal_nan=True))
        case tuple(), tuple():
            return len(first) == len(second) and all(map(_near, first, second))
        case dict(), dict():
            return first.keys() == second.keys() and all(_near(first[key], second[key]) for key in first)
        case float(), float():
            return bool(np.isclose(first, second, 1e-12, 1e-12))
        case msgspec.Struct(), msgspec.Struct():
            return _near(msgspec.structs.astuple(first), msgspec.structs.astuple(second))
    return bool(first == second)
