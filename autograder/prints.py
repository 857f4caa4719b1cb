"""What a grade depends on, in parts, so that a change can be told from what it can't touch.

What a check asks and what is due is told by its content, the programs and arrays themselves: however a spec, a case or
a reference was rewritten, a check that asks and expects the same is the same. Code counts as such only where no
content shows what it does.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

import autograder
from autograder import bulk, cases, exam, forms, model
from autograder.environment import environment

# Rooms whose code no grade depends on, or only by what is looked at anyway: a check's content, a submission's text.
ELSEWHERE = frozenset((
    "__init__", "__main__", "audit", "bench", "build", "cases", "cli", "cluster", "commands", "environment", "exam",
    "export", "flow", "gradebook", "integrations", "intake", "journal", "ledger", "lock", "options", "prints",
    "regrade", "report", "results", "roster", "score", "seed", "sharing", "sheet", "shelf", "specs", "tools",
))  # fmt: skip
# Those that only put into words what was found.
TELLING = frozenset((
    "axes", "causes", "diagnose", "evidence", "messages", "misconceptions", "oracle", "sentences",
))  # fmt: skip


NAMED = 5  # checks, in a reason


class CheckPrint(msgspec.Struct, frozen=True):
    """Digests: of what a check asks, expects and how it is judged; and of what it is called and worth."""

    asked: str
    worth: str


class Prints(msgspec.Struct, frozen=True):
    """All that grades depend on but the submissions."""

    machine: str  # how submissions are run and judged: code, versions, settings
    telling: str  # how causes and messages are found: code and references
    limits: dict[str, float]
    checks: dict[str, CheckPrint]


def key(seal: str) -> str:
    """Under which a journal notes the prints of an exam."""
    return f"exam {seal}"


def prints(plan: bulk.Plan, drawn: exam.Exam) -> Prints:
    """Those of a plan, whose exam has been drawn up."""
    setting = (plan.topic, plan.dtype, plan.causes, plan.unconfined, plan.device)
    versions = {name: value for name, value in environment().items() if name != "attngrade"}
    return Prints(
        machine=_digest(_code(lambda room: room not in ELSEWHERE | TELLING), setting, versions),
        telling=_digest(_code(TELLING.__contains__), forms.reference_form(plan.topic).cells),
        limits=msgspec.to_builtins(plan.limits),
        checks={check.id: _check(check, drawn) for check in drawn.spec.checks},
    )


def _check(check: model.Check, drawn: exam.Exam) -> CheckPrint:
    questions = [drawn.prepared[case.id] for case in check.cases]
    how = (check.kind, check.visibility, check.section, check.holds)
    timed = [_timed(one, drawn) for one in check.timed]
    beside = forms.reference_form(drawn.spec.topic).cells if timed else ()
    return CheckPrint(_digest(how, questions, timed, beside), _digest(check.title, float(check.points)))


def _timed(timed: model.Timed, drawn: exam.Exam) -> object:
    """A timed call as data: with inputs as they would be drawn, in the place of what draws them."""
    draw = cases.Draw(drawn.seed, drawn.spec.topic, f"{timed.name}-{timed.at}")
    told = {name: getattr(timed, name) for name in timed.__struct_fields__ if name != "build"}
    return told, timed.build(draw, timed.at, timed.calls)


def _code(wanted: Any) -> str:
    """A digest of the files of the rooms that are ``wanted``."""
    package = Path(autograder.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package)
        if wanted(path.parts[0].removesuffix(".py")):
            digest.update(f"{path}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _digest(*parts: object) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(parts)).hexdigest()


WHOLE = ("missing", "unreadable")  # of which nothing was run


def reason(old: Prints | None, new: Prints, grade: model.Grade) -> str:
    """Why a submission must be run again before its grade is known, where what it was graded with (``old``) has
    become ``new``; empty where all that it would say is known."""
    if grade.status in WHOLE:
        return ""
    if old is None:
        return "it is not known what it was graded with"
    if grade.status == "infrastructure-error":
        return "it could not be graded before"
    if old.machine != new.machine:
        return "the grader or its versions have changed"
    if old.limits != new.limits and not _raised_in_vain(old, new, grade):
        return "limits have changed"
    if grade.status != "import-error" and (changed := _changed(old, new, grade)):
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        return f"checks have changed: {', '.join(changed[:NAMED])}{more}"
    if old.telling != new.telling and _has_words(grade):
        return "causes and messages may be told otherwise"
    return ""


def _changed(old: Prints, new: Prints, grade: model.Grade) -> list[str]:
    found = [
        name
        for name, one in new.checks.items()
        if name not in old.checks or old.checks[name].asked != one.asked
    ]
    if grade.status == "partial":  # its time ran out over all cases together
        found += [name for name in old.checks if name not in new.checks]
    return found


def _raised_in_vain(old: Prints, new: Prints, grade: model.Grade) -> bool:
    """Whether limits have only become wider, for one who met none: everything passed, and nothing was passed over."""
    wider = old.limits.keys() == new.limits.keys() and all(
        new.limits[name] >= old.limits[name] for name in old.limits
    )
    return wider and not grade.message and all(check.status == "passed" for check in grade.checks)


def _has_words(grade: model.Grade) -> bool:
    return bool(grade.message) or any(check.message for check in grade.checks)
