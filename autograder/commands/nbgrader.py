"""``nbgrader``: a course folder for nbgrader, and its assignments graded in bulk."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

import autograder
from autograder import bulk, exam, model, thrift
from autograder.gradebook import Gradebook, OutputError
from autograder.journal import JournalError
from autograder.sandbox import standing
from autograder.sandbox.standing import SandboxError
from autograder.seed import SeedError

if TYPE_CHECKING:
    from autograder.integrations.nbgrader.bulk import Change, Course, Skipped

ROOT = Path(autograder.__file__).parent.parent
OUT = "attngrade"  # the folder in a course with our own results


def init(course: Path, topics: Sequence[str], timing: bool) -> int:
    """Makes a course folder. Raises click.UsageError."""
    try:
        from autograder.integrations.nbgrader import course as courses

        if not (ROOT / "solutions").is_dir():
            raise click.UsageError(exam.NOT_INSTALLED)
        made = courses.init(course, topics or model.TOPICS, ROOT, timing)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"nbgrader init needs {error.name}: pip install -e '.[instructor]'") from error
    except courses.CourseError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"can't write to {course}: {error.strerror}") from error
    for path in made:
        click.echo(f"written: {path}")
    first = (topics or model.TOPICS)[0]
    click.echo(f"Now: cd {course} && nbgrader generate_assignment {first}")
    return 0


def grade(course: Path, topic: str, **options: Any) -> int:
    """Grades what was collected into nbgrader's gradebook; 1 where a student got no grade through our own fault, or
    the run failed. Raises click.UsageError."""
    thrift.without_grammars()
    try:
        from autograder.integrations.nbgrader import bulk as classes
        from autograder.integrations.nbgrader.course import CourseError
    except ModuleNotFoundError as error:
        raise click.UsageError(f"this needs {error.name}: pip install -e '.[nbgrader]'") from error
    try:
        standing.layers(options["unconfined"])
        with classes.opened(course.resolve(), topic) as opened:
            return _grade(opened, topic, options)
    except (CourseError, exam.ExamError, SeedError, SandboxError, JournalError, OutputError) as error:
        raise click.UsageError(str(error)) from error
    except msgspec.ValidationError as error:
        raise click.UsageError(f"c.AttnGrade.limits: {error}") from error


def _grade(course: Course, topic: str, options: dict[str, Any]) -> int:
    from autograder.report import html

    entries, nameless = course.entries()
    if not entries and not nameless:
        raise click.UsageError(f"nobody has handed {topic} in; run: nbgrader collect {topic}")
    dry = options["dry_run"]
    told: list[Change | Skipped] = [*nameless]

    def keep(grade: model.Grade, _: object) -> None:
        told.append(course.take(grade, dry))

    with _book(topic, dry) as book:
        try:
            jobs = max(1, min(options["jobs"] or bulk.cores(), len(entries)))
            book.run(_plan(course, options), entries, jobs, keep)
            if not dry:
                book.finish(html.write_report)
        except KeyboardInterrupt:
            click.echo("attngrade: interrupted; the same command goes on where it stopped", err=True)
            return 1
        except (JournalError, SandboxError, OSError) as error:
            click.echo(
                f"attngrade: the run failed: {error}; mend that, and the same command goes on", err=True
            )
            return 1
    return _tell(sorted(told, key=lambda one: one.student), dry, options["as_json"])


def _plan(course: Course, options: dict[str, Any]) -> bulk.Plan:
    """The course's own settings, and what the command line says otherwise."""
    given: dict[str, Any] = {"timing": False} if options["no_timing"] else {}
    if options["device"]:
        given["device"] = options["device"]
    if options["unconfined"]:
        given["unconfined"] = True
    return msgspec.structs.replace(course.plan(), **given)


@contextlib.contextmanager
def _book(topic: str, dry: bool) -> Iterator[Gradebook]:
    """Our own results beside the gradebook. A dry run leaves none, and takes none: it grades everybody."""
    with tempfile.TemporaryDirectory() if dry else contextlib.nullcontext(os.path.join(OUT, topic)) as folder:
        book = Gradebook(Path(folder), topic, resume=True)
        try:
            yield book
        finally:
            book.close()


def _tell(told: list[Change | Skipped], dry: bool, as_json: bool) -> int:
    from autograder.integrations.nbgrader.bulk import Change, Skipped

    changes = [one for one in told if isinstance(one, Change)]
    skipped = [one for one in told if isinstance(one, Skipped)]
    differing = [one for one in changes if one.cells]
    if as_json:
        found = {"students": len(told), "written": not dry, "changes": differing, "skipped": skipped}
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        for one in differing:
            _tell_change(one, dry)
        for other in skipped:
            kept = "our own fault; what was there stays, marked for a person" if other.ours else "not written"
            click.echo(f"{other.student}: no score ({kept}): {other.why}", err=True)
        verb = "would change" if dry else "changed"
        click.echo(f"{len(changes)} graded, {len(differing)} scores {verb}, {len(skipped)} without a score")
    return 1 if any(one.ours for one in skipped) else 0


def _tell_change(one: Change, dry: bool) -> None:
    """One student's change; in a dry run with the cells that make it, unless all of it is new."""
    before = "-" if one.before is None else f"{one.before:.4g}"
    by = "" if one.before is None else f" ({one.after - one.before:+.4g})"
    click.echo(f"{one.student}: {before} -> {one.after:.4g}{by}")
    if dry:
        for name, was, now in one.cells:
            click.echo(f"    {name}: {'-' if was is None else f'{was:.4g}'} -> {now:.4g}")
