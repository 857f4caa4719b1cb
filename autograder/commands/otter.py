"""``otter build``, and what runs inside the autograder.zip that it makes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import msgspec

import autograder
from autograder import bulk, exam, intake, model, specs
from autograder.commands.topics import released
from autograder.integrations import gradescope
from autograder.integrations.otter import bundle as bundles
from autograder.results import write_whole
from autograder.sandbox import standing
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError
from autograder.seed import SeedError, course_seed

ZIP = "autograder.zip"
IN_CHECKOUT = "otter build works in a checkout, where solutions/ and reference/ lie beside autograder/"
CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
OUR_BYTES = 640 << 20  # that the grader, the fork server and torch take in a container
LEAST_BYTES = 256 << 20


def build(
    topic: str, out: Path, *, no_timing: bool, hidden_checks: gradescope.Visibility, seed_file: Path | None,
    unconfined: bool,
) -> int:  # fmt: skip
    """Makes ``out``: the master notebook, otter's ``dist``, and autograder.zip. Raises click.UsageError."""
    root = Path(autograder.__file__).parent.parent
    if not (root / "solutions").is_dir() or not (root / "reference").is_dir():
        raise click.UsageError(IN_CHECKOUT)
    try:
        from autograder.build import source
        from autograder.integrations.otter import master, questions

        if importlib.util.find_spec("otter") is None:
            raise ModuleNotFoundError(name="otter")
        parts = source.cells(source.read_script(root, topic))
        seed = course_seed(seed_file)
    except ModuleNotFoundError as error:
        raise click.UsageError(
            f"otter build needs {error.name}: pip install -e '.[instructor,otter]'"
        ) from error
    except SeedError as error:
        raise click.UsageError(str(error)) from error
    checks = exam.checks(specs.load(topic, hidden=True), not no_timing)
    asked = questions.questions(checks, [p.source for p in parts if source.BEGIN in p.source], topic)
    order = bundles.Order(
        topic, {c.id: q.name for q in asked for c in q.checks}, not no_timing, hidden_checks, unconfined
    )
    _clear(out, topic)
    notebook = out / f"{topic}.ipynb"
    notebook.write_text(master.master(topic, parts, asked), encoding="utf-8")
    return _assign(notebook, order, seed)


def _clear(out: Path, topic: str) -> None:
    """Makes the folder, without what an earlier build left in it."""
    ours = {f"{topic}.ipynb", "dist", ZIP, bundles.BUNDLE}
    try:
        out.mkdir(parents=True, exist_ok=True)
        others = sorted(set(os.listdir(out)) - ours)
        if others:
            raise click.UsageError(
                f"{out} holds {others[0]}, which is none of ours; choose another --out folder"
            )
        for name in ("dist", bundles.BUNDLE):
            shutil.rmtree(out / name, ignore_errors=True)
    except OSError as error:
        raise click.UsageError(
            f"can't write to {out}: {error.strerror}; choose another --out folder"
        ) from error


def _assign(notebook: Path, order: bundles.Order, seed: str) -> int:
    """Runs ``otter assign``, which tries the zip on the model solution too, and puts everything in its place."""
    out = notebook.parent
    bundle, dist = out / bundles.BUNDLE, out / "dist"
    try:
        bundles.write(bundle, order, seed)
        click.echo("Computing the expected values")
        _succeed("the expected values could not be computed", bundles.run(bundle.resolve(), "prepare"))
        click.echo("Running otter assign, which grades the solution with what it makes")
        _succeed("otter assign failed", _run_assign(notebook))
        (made,) = (dist / "autograder").glob("*.zip")
        bundles.finish(made, out / ZIP)
        made.unlink()
        shutil.copyfile(released(order.topic) / "README.md", dist / "student" / "README.md")
    except _Failed as error:
        shutil.rmtree(dist, ignore_errors=True)
        click.echo(f"attngrade: {error}", err=True)
        return 1
    finally:
        for copy in (bundle, dist / "autograder" / bundles.BUNDLE):
            shutil.rmtree(copy, ignore_errors=True)  # it holds the seed
    click.echo(f"{dist / 'student'}: for students")
    click.echo(f"{out / ZIP}: for Gradescope and otter run; secret, as it holds the seed and the references")
    return 0


class _Failed(Exception):
    """A program that had to be run did not do its work."""


def _succeed(otherwise: str, done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise _Failed(f"{otherwise}:\n{done.stderr.strip()}")


def _run_assign(notebook: Path) -> subprocess.CompletedProcess[str]:
    """The real ``otter assign``, with a plugin of ours; what it writes is for its owner only."""
    ours = str(Path(autograder.__file__).parent.parent)
    path = os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH", ""))))
    return subprocess.run(
        [sys.executable, "-m", "otter", "assign", notebook.name, "dist"], cwd=notebook.parent,
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False, umask=0o077,
    )  # fmt: skip


def _order() -> tuple[Path, bundles.Order]:
    """The bundle that this code lies in. Raises click.UsageError."""
    bundle = Path(autograder.__file__).parent.parent
    try:
        return bundle, bundles.Order.read(bundle)
    except (OSError, msgspec.MsgspecError) as error:
        raise click.UsageError(
            "this runs inside an autograder.zip, which attngrade otter build makes"
        ) from error


def autograde(root: Path, work: Path | None, as_json: bool) -> int:
    """Grades one submission. 1, and no results, where the fault is ours: it must not become a 0."""
    bundle, order = _order()
    results = root / "results" / "results.json"
    results.unlink(missing_ok=True)
    try:
        grade = _grade(order, course_seed(bundle / bundles.SEED), work or root / "submission")
        told = gradescope.results(grade, order.questions, order.hidden)
    except (exam.ExamError, SeedError, SandboxError, gradescope.NoScore, OSError) as error:
        click.echo(f"attngrade: no score is given, as the fault is not the student's: {error}", err=True)
        return 1
    if as_json:
        click.echo(msgspec.json.encode(grade).decode())
        return 0
    write_whole(results, msgspec.json.format(msgspec.json.encode(told), indent=1))
    click.echo(f"{grade.status}: {told.score:g} of {sum(c.max_points for c in grade.checks):g} points")
    if warning := standing.warning():
        click.echo(warning)
    return 0


def _grade(order: bundles.Order, seed: str, work: Path) -> model.Grade:
    standing.layers(order.unconfined)  # raises before anything is read
    submission = intake.read(model.Entry("submission", (work,)), order.topic)
    plan = bulk.Plan(order.topic, seed, _fitting(Limits()), order.timing, unconfined=order.unconfined)
    grader = bulk.Grader(plan)
    try:
        return grader.grade(submission)
    finally:
        grader.close()


def _fitting(limits: Limits) -> Limits:
    """With no more memory for the submission than the container leaves: beyond that the grader would be killed."""
    for path in CGROUP_LIMITS:
        try:
            allowed = int(Path(path).read_text())
        except (OSError, ValueError):  # another kind of group, or "max"
            continue
        share = max(LEAST_BYTES, allowed - OUR_BYTES)
        return msgspec.structs.replace(limits, memory_bytes=min(limits.memory_bytes, share))
    return limits


def prepare() -> int:
    """Puts everything that is due, and what known mistakes would show, on the bundle's own shelf."""
    bundle, order = _order()
    questions = exam.full(order.topic, course_seed(bundle / bundles.SEED), order.timing)
    for case in questions.prepared:
        questions.mistaken(case)
    for name, reason in standing.missing().items():
        click.echo(f"not here: {name} ({reason})")
    gap = standing.warning()
    click.echo("Nothing is graded here without --unconfined." if gap else "Submissions are confined here.")
    return 0
