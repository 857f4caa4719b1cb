"""``audit``: the grader's own figures, from submissions whose verdict is known."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

import autograder
from autograder import bulk, exam, model
from autograder.sandbox.limits import Limits

try:
    from autograder.audit.corpus import CorpusError, Piece, load
    from autograder.audit.figures import Figures, Judged, figures
except ModuleNotFoundError as error:  # a student's installation
    raise click.UsageError(exam.NOT_INSTALLED) from error

ROOT = Path(autograder.__file__).parent.parent


def audit(topics: Sequence[str], **options: Any) -> int:
    """Grades the corpora; 0 when the grader is as good as it must be. Raises click.UsageError."""
    folder = options["corpus"] or ROOT / "tests" / "submissions"
    if not folder.is_dir():
        raise click.UsageError(
            f"there is no corpus at {folder}; work in a checkout, or name one with --corpus"
        )
    found = []
    for topic in topics or model.TOPICS:
        if sys.stderr.isatty():
            click.echo(f"{topic}: grading its corpus; this takes minutes", err=True)
        try:
            found.append(
                audited(
                    topic,
                    folder / topic,
                    options["seed"],
                    options["dtype"],
                    mutants=0 if options["no_mutants"] else 1,
                    jobs=options["jobs"] or bulk.cores(),
                )
            )
        except (CorpusError, exam.ExamError) as error:
            raise click.UsageError(str(error)) from error
        if not options["as_json"]:
            _tell(found[-1], options["everything"])
    if options["as_json"]:
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    return 0 if all(one.good for one in found) else 1


def audited(
    topic: str,
    folder: Path,
    seed: str,
    dtype: model.Dtype | None = None,
    mutants: int = 1,
    wrong: int = 1,
    jobs: int = 1,
) -> Figures:
    """The figures of one topic, whose corpus lies in ``folder``, with one in so many of its mutants (0: none) and
    of its wrong submissions. Raises CorpusError or ExamError."""
    found = load(folder, ROOT / "solutions" / topic / f"{topic}.py")
    by_rule = [piece for piece in found if piece.sort not in ("right", "wrong")]
    pieces = [piece for piece in found if piece.sort == "right"]
    pieces += [piece for piece in found if piece.sort == "wrong"][::wrong]
    pieces += by_rule[::mutants] if mutants else []
    shown = [piece for piece in pieces if not dtype or piece.only in ("", dtype)]
    plan = bulk.Plan(topic, seed, Limits(), timing=False, dtype=dtype)
    labelled = [piece for piece in shown if piece.causes is not None]
    others = [piece for piece in shown if piece.causes is None]
    quick = msgspec.structs.replace(plan, causes=False)  # of these nobody asks why
    judged = [*_judged(plan, labelled, jobs), *_judged(quick, others, jobs)]
    return figures(topic, exam.full(topic, seed, timing=False, dtype=dtype).spec.checks, judged)


def _judged(plan: bulk.Plan, pieces: list[Piece], jobs: int) -> Iterator[Judged]:
    works = [
        model.Submission(str(number), "ready", "script", f"{plan.topic}.py", (piece.source.encode(),))
        for number, piece in enumerate(pieces)
    ]
    for work, grade in bulk.grade_all(plan, works, jobs):
        yield Judged(pieces[int(work.student)], grade)


def _tell(found: Figures, everything: bool) -> None:
    from autograder.report import auditing, terminal

    auditing.tell(terminal.console(), found, everything)
