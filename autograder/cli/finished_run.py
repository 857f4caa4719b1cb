"""The results of a run, for the commands that pass them on: ``export`` and ``feedback``."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from autograder import model
from autograder.cli.rosters import NOTE, RosterComparison
from autograder.course import lateness
from autograder.intake.roster import Matching
from autograder.integrations.export import reading
from autograder.integrations.export.job import ExportError
from autograder.runs import anonymity, history, people, results
from autograder.runs.journal import Journal


class FinishedRun(NamedTuple):
    """The grades of a run sorted by student, when each was written (ns), and which student is whom on the roster."""

    grades: tuple[model.Grade, ...]
    written: dict[str, int]
    comparison: RosterComparison
    matching: Matching | None


def finished_run(out: Path, roster: Path | None, key: Path | None) -> FinishedRun:
    """Return a run's results. Raises ExportError, SheetError or KeyFileError.

    People on the roster without a submission get the grade that ``grade --roster`` gives them.
    """
    grades, written = reading.read_run(out)
    if key:
        names = anonymity.read_key(key)
        grades = tuple(sorted((anonymity.named(grade, names) for grade in grades), key=lambda grade: grade.student))
        written = {names[id]: at for id, at in written.items()}
    numbers = {grade.student: grade.lms_id for grade in grades}
    comparison = RosterComparison(roster, list(numbers), numbers)
    if comparison.matching is None:
        return FinishedRun(grades, written, comparison, None)
    first, latest = grades[0], max(written.values())
    most = max(grade.max_score for grade in grades)
    people_without = comparison.matching.absent
    absent = {entry.student: person for entry, person in zip(comparison.absent, people_without, strict=True)}
    grades += tuple(
        model.Grade(student, first.assignment, 0.0, most, "missing", (), first.environment, message=NOTE)
        for student in absent
    )
    written |= dict.fromkeys(absent, latest)
    matching = comparison.matching._replace(found=comparison.matching.found | absent)
    return FinishedRun(tuple(sorted(grades, key=lambda grade: grade.student)), written, comparison, matching)


@contextlib.contextmanager
def journal_of(out: Path) -> Iterator[Journal | None]:
    """Yield a copy of a run's journal, or None for results that came without one. Raises JournalError."""
    with history.untouched(out) if (out / "journal.sqlite").exists() else contextlib.nullcontext() as journal:
        yield journal


def student_view(journal: Journal | None, hidden_titles: bool | None = None) -> model.StudentView:
    """Return what the students of a run may see, with a call's own ``hidden_titles``. Raises JournalError."""
    view = people.student_view(journal) if journal else model.StudentView()
    return view if hidden_titles is None else msgspec.structs.replace(view, hidden_titles=hidden_titles)


def too_early(view: model.StudentView) -> str:
    """Return that students may not see their results yet; "" if they may."""
    if not view.after or lateness.time(view.after) <= datetime.now(UTC):
        return ""
    return f"students may see their results from {view.after} on (after, under [students] in assignment.toml)"


def write_folder(target: Path, files: Mapping[str, bytes], is_ours: Callable[[Path], bool]) -> None:
    """Write a folder in one step: nobody reads half of it.

    Raises ExportError if the folder is there and holds more than ``is_ours`` allows, or OSError.
    """
    if os.path.lexists(target) and not (target.is_dir() and all(map(is_ours, target.iterdir()))):
        raise ExportError(f"{target} holds more than attngrade wrote there; name another --output")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        new, old = Path(folder) / "new", Path(folder) / "old"
        new.mkdir()
        for name, data in files.items():
            results.write_whole(new / name, data)
        with contextlib.suppress(FileNotFoundError):
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
