"""Runs that cannot be meant, found before anything is written (contract, section 4: exit status)."""

from collections import Counter
from collections.abc import Sequence

from autograder import intake, model
from autograder.assignments import NAMES
from autograder.cli.exit_status import SenselessRun
from autograder.cli.rosters import RosterComparison
from autograder.report.summary import some

LOOKED_AT = 50  # submissions, for the assignment that they may be of
OVERRULED = "; if that is meant, use --allow-empty"


def refuse_senseless(entries: Sequence[model.Entry], assignment: str, comparison: RosterComparison) -> None:
    """Raise ``SenselessRun`` if none of several entries holds work, or the roster matches nobody."""
    if len(entries) > 1 and not any(_holds_work(entry, assignment) for entry in entries):
        looks = _looks_like(entries[:LOOKED_AT], assignment)
        raise SenselessRun(f"none of the {len(entries)} submissions holds work for {assignment}{looks}{OVERRULED}")
    matching = comparison.matching
    if matching is not None and entries and not (matching.found or matching.ambiguous):
        names = some([entry.student for entry in entries])
        raise SenselessRun(f"the roster matches none of the {len(entries)} submissions ({names}){OVERRULED}")


def _holds_work(entry: model.Entry, assignment: str) -> bool:
    """Return whether there is a file to grade, or one that can't be read: the run itself tells whose fault that is."""
    try:
        return intake.read(entry, assignment).status != "missing"
    except Exception:
        return True


def _looks_like(entries: Sequence[model.Entry], assignment: str) -> str:
    """Return the assignment that most entries hold work for, in words; "" if there is none."""
    others = [name for name in NAMES if name != assignment]
    counts = Counter(name for entry in entries for name in others if _holds_work(entry, name))
    if not counts:
        return ""
    ((name, _),) = counts.most_common(1)
    return f"; these look like {name}: use --assignment {name}"
