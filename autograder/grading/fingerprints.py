"""Fingerprints: digests that show whether a submission, a suite or the grader has changed.

A check is identified by its content, the programs and arrays themselves. A spec or a reference that is rewritten but
asks and expects the same keeps its fingerprint. Files count only where no content shows what they do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

import autograder
from autograder import assignments, model, protocol
from autograder.assignments import CAUSES, places
from autograder.assignments.kit import programs
from autograder.grading.environment import environment
from autograder.grading.timing import reference
from autograder.protocol import wire

# Files that decide how a submission is run and judged.
JUDGING = ("grading/*", "judge/*", "model/*", "protocol/*", "sandbox/*", "worker/*", "runs/pool.py")
# Of those: files whose effect shows in a check's content or points, or in nothing that is graded.
EXCLUDED = (
    "grading/cache.py",
    "grading/environment.py",
    "grading/fingerprints.py",
    "grading/redrawing.py",
    "grading/seed.py",
    "grading/suite.py",
    "grading/weights.py",
    "grading/timing/bench.py",
    "grading/timing/bench_plans.py",
    "judge/score.py",
)
CARRIED = ("courses/*",)  # a course's assignments in the package count as such
# Files that only put findings into words.
WORDING = (
    "feedback/*",
    "judge/result_tables.py",
    "judge/same_answer.py",
    "instructor/oracle/*",
    "assignments/*/axes.py",
    "assignments/*/causes.py",
    "assignments/*/signs.py",
    "assignments/kit/hidden/*",
    "assignments/*/hidden/mistakes/*",
)
# Of a course's assignment every file counts, for its code may read data, but for those that decide nothing in grading.
UNCOUNTED = (
    *("handout.md", "answers.md", "hints.toml", "explanations.toml", "figure.toml", "experiment.py"),
    *("built/*", "submissions/*", "*.pyc", ".*", "*/.*"),
)
PACKAGE = Path(autograder.__file__).parent
DIGITS = 6  # of a number that count: machines, and sometimes runs, differ in the last ones


class Suite(Protocol):
    """What a fingerprint takes from a check suite."""

    spec: model.Spec
    seed: str
    prepared: dict[str, model.Prepared]


class CheckFingerprint(msgspec.Struct, frozen=True):
    """Two digests of a check: what it asks, expects and asserts; and its title and points."""

    content: str = msgspec.field(name="asked")
    worth: str


class Fingerprints(msgspec.Struct, frozen=True):
    """All that a grade depends on except the submission. The journal stores it."""

    machine: str  # how submissions are run and judged: code, versions, settings
    wording: str = msgspec.field(name="telling")  # how causes and messages are found: code and references
    limits: dict[str, float]
    checks: dict[str, CheckFingerprint]


def sources() -> str:
    """Return a digest of all files that decide how anything is graded: the grader's and those of courses."""
    return _digest((of_grader(), of_courses()))


def of_grader() -> str:
    """Return a digest of all Python files of the grader, the references and the solutions."""
    return _code((PACKAGE, PACKAGE.parent / "reference", PACKAGE.parent / "solutions"), ("*",), CARRIED)


def of_courses() -> dict[str, str]:
    """Return a digest of the files of each assignment of a course: its code and data, and its causes.

    Of its handout counts which causes it makes impossible.
    """
    return {
        name: _digest((_content(folder, places.built(name, CAUSES)), sorted(assignments.impossible(name))))
        for name, folder in places.of_courses().items()
    }


def of_run(plan: msgspec.Struct) -> str:
    """Return the fingerprint of all that a grade depends on except the submission. Journals file grades under it."""
    return _digest((sources(), plan, environment()))


def of_cache(*parts: str) -> str:
    """Return the name of a cached suite: it changes with ``parts`` and with the versions that compute the values."""
    return _digest((*parts, version("torch"), version("numpy")))


def of_name(name: str) -> str:
    """Return a name for a file: variants have spaces and slashes in theirs."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def of_submission(submission: model.Submission) -> str:
    """Return a digest of the work and of the message about how the file was found."""
    return _digest((submission.status, submission.kind, submission.filename, submission.note, submission.digest))


def of_work(submission: model.Submission) -> str:
    """Return a digest of the work alone; empty where there is none."""
    return submission.digest if submission.status == "ready" else ""


def of_suite(suite: Suite, settings: tuple[object, ...], limits: msgspec.Struct) -> Fingerprints:
    """Return the parts that a change is compared by. ``settings`` are the run's options beside its limits."""
    assignment = suite.spec.assignment
    versions = {name: value for name, value in environment().items() if name != "attngrade"}
    return Fingerprints(
        machine=_packed(_code((PACKAGE,), JUDGING, (*EXCLUDED, *WORDING)), settings, versions, suite.spec.parts),
        wording=_packed(
            _code((PACKAGE,), WORDING), reference.reference_form(assignment).cells, *_words_of_course(assignment)
        ),
        limits=msgspec.to_builtins(limits),
        checks={check.id: _check(check, suite) for check in suite.spec.checks},
    )


def _words_of_course(assignment: str) -> tuple[object, ...]:
    """Return what puts findings into words in a course's assignment: its mistakes, causes and names of axes."""
    if (folder := places.of_courses().get(assignment)) is None:
        return ()
    files = [folder / "mistakes.py", places.built(assignment, CAUSES)]
    texts = [file.read_bytes() for file in files if file.is_file()]
    return texts, assignments.declared(assignment, "axes", "CALLS", {}), sorted(assignments.impossible(assignment))


def _check(check: model.Check, suite: Suite) -> CheckFingerprint:
    questions = [_rounded(suite.prepared[case.id]) for case in check.all_cases]
    how = (check.kind, check.visibility, check.part, check.section, check.assertions)
    timed = [_timed(timed, suite) for timed in check.timed]
    beside = reference.reference_form(suite.spec.assignment).cells if timed else ()
    return CheckFingerprint(
        _packed(how, questions, timed, beside), _packed(check.title, float(check.points), suite.spec.shares)
    )


def _timed(timed: model.TimedCall, suite: Suite) -> object:
    """Return a timed call as data: the program that ``build`` makes takes the place of ``build`` itself."""
    generator = programs.InputGenerator(suite.seed, suite.spec.assignment, f"{timed.name}-{timed.at}")
    fields = {name: getattr(timed, name) for name in timed.__struct_fields__ if name != "build"}
    return fields, timed.build(generator, timed.at, timed.calls)


def _rounded(part: Any) -> Any:
    """Return part of a prepared case as plain data, the same whether it was computed now or read from the cache."""
    match part:
        case protocol.Array():
            values = wire.to_numpy(part)
            numbers = _rounded_values(values) if values.dtype.kind == "f" else part.data
            return part.dtype, part.shape, part.device, part.requires_grad, numbers
        case msgspec.Struct():
            return type(part).__name__, [_rounded(value) for value in msgspec.structs.astuple(part)]
        case tuple() | list():
            return [_rounded(value) for value in part]
        case dict():
            return {key: _rounded(value) for key, value in part.items()}
        case float():
            return f"{part:.{DIGITS}g}"
    return part


def _rounded_values(values: np.ndarray) -> tuple[str, bytes]:
    """Return the largest value, or 1 where all are smaller, and the values as shares of it. Infinity and NaN stay."""
    wide = values.astype(np.float64)
    largest = float(np.abs(wide[np.isfinite(wide)]).max(initial=1.0))
    return f"{largest:.{DIGITS}g}", (np.round(wide / largest, DIGITS) + 0.0).tobytes()  # -0.0 becomes 0.0


def _code(folders: Iterable[Path], patterns: Iterable[str], without: Iterable[str] = ()) -> str:
    """Return a digest of the Python files below ``folders`` that match one of ``patterns`` and none of ``without``."""
    digest = hashlib.sha256()
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            path = file.relative_to(folder).as_posix()
            if _matches(path, patterns) and not _matches(path, without):
                digest.update(f"{path}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _content(folder: Path, *others: Path) -> str:
    """Return a digest of the files below ``folder`` but the uncounted ones, and of ``others`` where they are."""
    digest = hashlib.sha256()
    for file in [*sorted(folder.rglob("*")), *others]:
        path = file.relative_to(folder).as_posix()
        if file.is_file() and (file in others or not _matches(path, UNCOUNTED)):
            digest.update(f"{path}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def _packed(*parts: object) -> str:
    """Return a digest of data with arrays, for which MessagePack is smaller and exact."""
    return _digest(parts, msgspec.msgpack.encode)


def _digest(parts: object, encode: Callable[[Any], bytes] = msgspec.json.encode) -> str:
    return hashlib.sha256(encode(parts)).hexdigest()
