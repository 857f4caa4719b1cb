"""What a run's journal says about it: its plan, and where its submissions lie."""

from pathlib import Path

import click
import msgspec

from autograder import assignments
from autograder.course.deadlines import Deadlines
from autograder.course.marks import Rules
from autograder.grading.usual import usual_limits
from autograder.model.courses import not_here
from autograder.runs import people, pool
from autograder.runs.journal import Journal
from autograder.runs.run_facts import noted_plan

# What all students of a run must share. The seed is in no journal, and ``unconfined`` changes no grade.
SHARED = ("timing", "strict", "device", "limits")


def plan_of(old: Journal) -> pool.RunPlan:
    """Return the plan of an earlier run without its seed, which no journal holds. Raises ``click.UsageError``."""
    assignment = old.assignment
    if assignment not in assignments.NAMES:
        raise click.UsageError(f"the run can't be read: {not_here(assignment)}")
    plan = noted_plan(old) or pool.RunPlan(assignment, "", usual_limits(assignment))
    return msgspec.structs.replace(plan, assignment=assignment)


def submissions_of(old: Journal, named: Path | None, command: str) -> Path:
    """Return the folder of submissions that a call of ``command`` names, or that the run noted.

    Raises ``click.UsageError`` if there is none.
    """
    noted = old.noted("submissions")
    if named is None and noted is None:
        raise click.UsageError(f"this run did not note where its submissions lie; name them: {command}")
    folder = named or Path(noted or "")
    if not folder.exists():
        raise click.UsageError(f"there are no submissions at {folder}; name them: {command}")
    return folder


def require_same_rules(old: Journal, rules: Rules | None, deadlines: Deadlines | None, out: Path) -> None:
    """Raise ``click.UsageError`` if a call for some students has other rules or deadlines than the run; None has none.

    They would change the final scores of everybody.
    """
    marks = people.Marks(old)
    if rules not in (None, marks.rules):
        raise click.UsageError(
            f"the run in {out} has another late rule, or another extra_credit; attngrade regrade {out} --apply changes "
            "them for everybody"
        )
    if deadlines not in (None, marks.deadlines):
        raise click.UsageError(
            f"the run in {out} has other deadlines; give one student more time with attngrade adjust {out} STUDENT "
            "--extend 2d, or change them for everybody with grade --resume"
        )


def require_same_settings(old: Journal, plan: pool.RunPlan, out: Path) -> None:
    """Raise ``click.UsageError`` if a plan would grade otherwise than an earlier run's, where it noted that."""
    if old.noted("plan") is None:
        return
    before, now = (_settings(one) for one in (plan_of(old), plan))
    differ = [f"{name} {before[name]}, not {now[name]}" for name in before if before[name] != now[name]]
    if differ:
        raise click.UsageError(f"the run in {out} has {'; '.join(differ)}: give the same options as for the others")


def _settings(plan: pool.RunPlan) -> dict[str, object]:
    named = {name: getattr(plan, name) for name in SHARED}
    named |= msgspec.structs.asdict(named.pop("limits"))
    named["points"] = msgspec.json.encode(plan.weights).decode()
    words = {True: "on", False: "off"}
    return {name: words[value] if isinstance(value, bool) else value for name, value in named.items()}
