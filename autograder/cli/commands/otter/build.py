"""``otter build``: the students' notebook and the secret autograder.zip."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import click

from autograder import assignments
from autograder.cli import options
from autograder.cli.checkout import ROOT, require_checkout
from autograder.cli.errors import usage_errors, writing_to
from autograder.grading import suite
from autograder.grading.seed import course_seed
from autograder.integrations import edition
from autograder.integrations.gradescope_results import Visibility
from autograder.integrations.otter import bundle as bundles

ZIP = "autograder.zip"


@click.command()
@options.assignment_argument
@options.out(help="Folder for the notebooks and autograder.zip [default: otter-ASSIGNMENT].")
@options.no_timing
@click.option(
    "--hidden-checks",
    type=click.Choice(get_args(Visibility)),
    default="after_published",
    show_default=True,
    help="When Gradescope shows hidden checks.",
)
@options.hidden_titles(default=False)
@options.seed_file
@options.address
@options.unconfined
def build_command(
    assignment: str,
    out: Path | None,
    no_timing: bool,
    hidden_checks: Visibility,
    hidden_titles: bool,
    seed_file: Path | None,
    address: str | None,
    unconfined: bool,
) -> int:
    """Make the files for otter and Gradescope (in a checkout).

    These are the students' notebook and the secret autograder.zip.
    """
    require_checkout("otter build")
    folder = out or Path(f"otter-{assignment}")
    with usage_errors(edition.EditionError, extra="instructor,otter"):
        install = edition.how_to_install(edition.address(address), "otter-grader")
        from autograder.instructor.release import generate
        from autograder.instructor.release import notebook as released
        from autograder.instructor.release.solution_script import read_script
        from autograder.instructor.release.stubs import BEGIN
        from autograder.integrations.otter import master, questions

        if importlib.util.find_spec("otter") is None:
            raise ModuleNotFoundError(name="otter")
        parts = released.own_checks(read_script(ROOT, assignment))
        texts = generate.texts(assignment, ROOT)
        seed = course_seed(seed_file)
    checks = suite.checks(assignments.load(assignment, hidden=True), not no_timing)
    solutions = [part.source for part in parts if BEGIN in part.source]
    asked = questions.questions(checks, solutions, assignment)
    of_checks = {check.id: question.name for question in asked for check in question.checks}
    settings = bundles.BundleSettings(assignment, of_checks, not no_timing, hidden_checks, unconfined, hidden_titles)
    _clear(folder, assignment)
    notebook = folder / f"{assignment}.ipynb"
    notebook.write_text(master.master(assignment, ROOT, parts, asked, install), encoding="utf-8")
    return _assign(notebook, settings, seed, texts)


def _clear(folder: Path, assignment: str) -> None:
    """Make the folder, and remove what an earlier build left in it."""
    ours = {f"{assignment}.ipynb", "dist", ZIP, bundles.BUNDLE}
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if others := sorted(set(os.listdir(folder)) - ours):
            raise click.UsageError(f"{folder} holds {others[0]}, which is not ours; choose another --out folder")
        for name in ("dist", bundles.BUNDLE):
            shutil.rmtree(folder / name, ignore_errors=True)


def _assign(notebook: Path, settings: bundles.BundleSettings, seed: str, texts: Mapping[str, str]) -> int:
    """Run ``otter assign``, which also grades the model solution with the zip, and put its files in their places."""
    out = notebook.parent
    bundle, dist = out / bundles.BUNDLE, out / "dist"
    try:
        bundles.write(bundle, settings, seed)
        click.echo("Computing the expected values")
        _succeed("the expected values could not be computed", bundles.run(bundle.resolve(), "prepare"))
        click.echo("Running otter assign, which grades the solution with the new zip")
        _succeed("otter assign failed", _run_assign(notebook))
        (made,) = (dist / "autograder").glob("*.zip")
        bundles.finish(made, out / ZIP)
        made.unlink()
        for name, text in texts.items():
            (dist / "student" / name).write_text(text, encoding="utf-8")
    except _Failed as error:
        shutil.rmtree(dist, ignore_errors=True)
        click.echo(f"attngrade: {error}", err=True)  # with the lines of another program
        return 1
    finally:
        for copy in (bundle, dist / "autograder" / bundles.BUNDLE):
            shutil.rmtree(copy, ignore_errors=True)  # it holds the seed
    click.echo(f"{dist / 'student'}: for students")
    click.echo(f"{out / ZIP}: for Gradescope and otter run; secret, because it holds the seed and the references")
    return 0


class _Failed(Exception):
    """A program that ``otter build`` runs has failed."""


def _succeed(failure: str, done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise _Failed(f"{failure}:\n{done.stderr.strip()}")


def _run_assign(notebook: Path) -> subprocess.CompletedProcess[str]:
    """Run the real ``otter assign`` with our plugin. Only the user can read what it writes."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return subprocess.run(
        [sys.executable, "-m", "otter", "assign", notebook.name, "dist"],
        cwd=notebook.parent,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        umask=0o077,
    )
