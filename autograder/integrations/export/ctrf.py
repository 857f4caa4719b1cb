"""``ctrf``: Common Test Report Format (ctrf.io), schema version 1.0.0; a suite per student, a test per check."""

from collections import Counter
from typing import Any

import msgspec

import autograder
from autograder import model
from autograder.course.marks import reckoning
from autograder.integrations.export.job import Job, Product, reasons
from autograder.integrations.export.scores import NOT_GRADED, worth
from autograder.model.text import escaped_json, harmless, visible

VERSION = "1.0.0"
MS = 1_000_000  # nanoseconds
NO_VERDICT = "other"
STATUS = {
    "passed": "passed",
    "failed": "failed",
    "error": "failed",
    "timeout": "failed",
    "skipped": "skipped",
    "blocked": "pending",  # it waits until the values are right: neither passed nor a failure of its own
}


def write(job: Job) -> Product:
    """See ``export.write``. Durations are 0, since the time of a single check is unknown."""
    tests = [test for grade in job.grades for test in _tests(grade)]
    counts = Counter(test["status"] for test in tests)
    first = min(job.grades, key=lambda grade: job.written_ns[grade.student] - grade.seconds * 1e9)
    start = int(job.written_ns[first.student] / MS - first.seconds * 1000)
    report = {
        "reportFormat": "CTRF",
        "specVersion": VERSION,
        "generatedBy": f"attngrade {autograder.__version__}",
        "results": {
            "tool": {"name": "attngrade", "version": autograder.__version__},
            "summary": {
                "tests": len(tests),
                **{name: counts[name] for name in ("passed", "failed", "skipped", "pending", NO_VERDICT)},
                "suites": len(job.grades),
                "start": start,
                "stop": max(job.written_ns.values()) // MS,
            },
            "tests": tests,
            "environment": {"reportName": job.assignment, "extra": dict(job.grades[0].environment)},
            "extra": {"students": [_student(job, grade) for grade in job.grades]},
        },
    }
    return Product({"": escaped_json(msgspec.json.format(msgspec.json.encode(report), indent=2)) + b"\n"})


def _student(job: Job, grade: model.Grade) -> dict[str, Any]:
    return {
        "student": visible(grade.student),
        "status": grade.status,
        "score": worth(grade, job.missing_as_zero),
        "max_score": grade.max_score,
        "reckoning": reckoning(grade),
        "seconds": grade.seconds,
        "message": harmless(grade.message),
    }


def _tests(grade: model.Grade) -> list[dict[str, Any]]:
    """Return a test for each check. A submission without checks gets one test, so that every student has one."""
    suite = [grade.assignment, visible(grade.student)]
    if not grade.checks:
        verdict = "skipped" if grade.status in NOT_GRADED else NO_VERDICT
        return [_test("graded", grade.status, verdict, suite, harmless(grade.message or grade.status))]
    return [
        _test(harmless(check.title or check.id), check.status, STATUS[check.status], suite, reasons(check))
        | {
            "testId": f"{grade.assignment}/{check.id}",
            "tags": [check.kind, check.visibility],
            "extra": {
                "student": visible(grade.student),
                "part": check.part,
                "points": check.points,
                "max_points": check.max_points,
                "diagnosis": check.diagnosis,
                "consequence_of": check.consequence_of,
            },
        }
        for check in grade.checks
    ]


def _test(name: str, raw: str, status: str, suite: list[str], message: str) -> dict[str, Any]:
    text = {"message": message} if message else {}
    return {"name": name, "status": status, "rawStatus": raw, "duration": 0, "suite": suite, **text}
