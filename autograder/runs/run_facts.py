"""How the marks of a run were made, in words: version, settings, rules, and the fingerprint of checks and seed."""

import contextlib

import msgspec

import autograder
from autograder.grading.usual import usual_limits
from autograder.model.numbers import short
from autograder.runs import people, pool
from autograder.runs.journal import Journal

SHOWN = 12  # characters of a fingerprint
FINGERPRINTS = "SELECT exam, count(*) FROM grade GROUP BY exam ORDER BY count(*) DESC, exam LIMIT 5"


def described(journal: Journal) -> list[tuple[str, str]]:
    """Return what is known, as pairs of a name and a text. Raises JournalError."""
    found = [("attngrade", autograder.__version__)]
    if plan := noted_plan(journal):
        found.append(("settings", _settings(plan)))
    found.append(("late work", _late(people.Marks(journal))))
    runs = journal.query(FINGERPRINTS)
    found += [("checks, seed and limits", f"fingerprint {run[:SHOWN]}, {count} grades") for run, count in runs]
    return found


def noted_plan(journal: Journal) -> pool.RunPlan | None:
    """Return the plan of a run without its seed, which no journal holds; None if it noted none that can be read."""
    noted = journal.noted("plan")
    with contextlib.suppress(msgspec.MsgspecError):  # a newer version may name limits differently
        return msgspec.json.decode(noted, type=pool.RunPlan) if noted else None
    return None


def _settings(plan: pool.RunPlan) -> str:
    usual, limits = (msgspec.structs.asdict(one) for one in (usual_limits(plan.assignment), plan.limits))
    weights = plan.weights
    words = [
        f"device {plan.device}",
        "with timing" if plan.timing else "without timing",
        *(["every failed check charged in full (strict)"] if plan.strict else []),
        *(["not confined"] if plan.unconfined else []),
        *(f"{name} {short(value)}" for name, value in limits.items() if value != usual[name]),
        f"{short(weights.total)} points",
        *([f"without {', '.join(weights.dropped)}"] if weights.dropped else []),
        *(f"{name} {short(value)}" for name, value in (*weights.parts, *weights.checks, *weights.shares)),
    ]
    return ", ".join(words)


def _late(marks: people.Marks) -> str:
    rule = marks.rules.late
    rate = (
        f"{short(rule.percent_per_day)} % a day"
        if rule.percent_per_day
        else f"{short(rule.points_per_day)} points a day"
    )
    words = [
        *([f"deadline {rule.deadline}"] if rule.deadline else []),
        rate if rule.percent_per_day or rule.points_per_day else "costs nothing",
        *([f"grace {short(rule.grace_minutes)} min"] if rule.grace_minutes else []),
        *([f"at most {short(rule.cap)}"] if rule.cap is not None else []),
        *([f"{rule.slip_days} slip days"] if rule.slip_days else []),
    ]
    return ", ".join(words)
