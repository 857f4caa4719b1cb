"""An otter plugin that keeps a submission out of otter's process and kernel, for ``otter run`` with our autograder.zip.

Before otter reads the submission, the program in the zip grades it in a confined worker. Then the plugin empties the
submission's folder, so otter runs an empty notebook and unpickles no log. Finally the plugin replaces otter's results.
Only otter imports this module.
"""

import html
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec

from autograder import model
from autograder.feedback import shown
from autograder.integrations.otter.bundle import BundleSettings, bundle_of, run

NOTHING: dict[str, Any] = {
    "cells": [],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PASSED = "✅ Test case passed"
FAILED = "❌ Test case failed"


class Plugin:
    """Otter calls the methods by name; see ``otter.plugins.AbstractOtterPlugin``."""

    def __init__(self, submission_path: str | None, metadata: dict[str, Any], config: dict[str, Any]) -> None:
        self.path = submission_path
        self.grade: model.Grade | None = None
        self.settings: BundleSettings | None = None

    def before_grading(self, config: Any) -> None:
        """Grade the submission and empty its folder.

        Raises RuntimeError if the grader fails. Otter then ends without a score.
        """
        assert self.path
        work = Path(self.path)
        root = work.parent.parent
        bundle = bundle_of(root)
        self.settings = BundleSettings.read(bundle)
        _remove_otter_files(root, work.parent)
        alone = os.listdir(work.parent) == [work.name]  # then grade this file, whatever its name
        self.grade = _graded(root, bundle, work if alone else work.parent)
        _empty(work)

    def before_execution(self, submission: Any) -> Any:
        """Return an empty notebook for otter to run."""
        import nbformat

        return nbformat.from_dict(NOTHING)

    def after_grading(self, results: Any) -> None:
        """Replace otter's results with ours."""
        if self.grade is None or self.settings is None or results.has_catastrophic_failure():
            raise RuntimeError(f"otter itself failed, so no score is given: {results.catastrophic_error}")
        results.results = {name: _test_file(name, checks) for name, checks in _by_question(self.grade, self.settings)}
        if self.grade.message:
            results.set_output(html.escape(self.grade.message))


def _remove_otter_files(root: Path, folder: Path) -> None:
    """Remove the files that otter adds to the submission: its tests, our files and an empty module."""
    files = root / "source" / "files"
    for name in ("tests", *(os.listdir(files) if files.is_dir() else ())):
        _remove(folder / name)
    module = folder / "__init__.py"
    if module.is_file() and not module.stat().st_size:
        module.unlink()


def _empty(work: Path) -> None:
    """Leave only an empty notebook or script of the same name.

    The kernel could import a submitted module in place of otter, and otter would unpickle a submitted log.
    """
    for name in os.listdir(work.parent):
        _remove(work.parent / name)
    work.write_text(json.dumps(NOTHING) if work.suffix == ".ipynb" else "")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        subprocess.run(["rm", "-rf", "--", path], check=True)  # rmtree fails on folders a thousand deep
    elif os.path.lexists(path):
        path.unlink()


def _graded(root: Path, bundle: Path, work: Path) -> model.Grade:
    """Grade a file or folder with the program in the zip."""
    process = run(bundle, "autograde", str(root), "--work", str(work), "--json")
    if process.returncode:
        raise RuntimeError(f"attngrade failed, so no score is given: {process.stderr.strip()[-2000:]}")
    return msgspec.json.decode(process.stdout, type=model.Grade)


def _by_question(grade: model.Grade, settings: BundleSettings) -> list[tuple[str, list[model.Outcome]]]:
    """Group the checks that count by question, as the student sees them."""
    ran = grade.status in ("graded", "partial")
    grouped: dict[str, list[model.Outcome]] = {question: [] for question in settings.questions.values()}
    for name, check in shown.checks(grade, model.StudentView(hidden_titles=settings.hidden_titles)).items():
        if name in settings.questions and (check.status != "skipped" or not ran):
            grouped[settings.questions[name]].append(check)
    return [(question, checks) for question, checks in grouped.items() if checks]


def _test_file(name: str, checks: list[model.Outcome]) -> Any:
    from otter.test_files.abstract_test import TestCase, TestCaseResult
    from otter.test_files.exception_test import ExceptionTestFile

    cases = [TestCase(c.title, None, c.visibility == "hidden", c.max_points, None, None) for c in checks]
    file = ExceptionTestFile(name, f"{name}.py", cases, all_or_nothing=False)
    pairs = zip(cases, checks, strict=True)
    file.test_case_results = [TestCaseResult(case, _report(c), c.status == "passed") for case, c in pairs]
    file.update_score(round(sum(c.points for c in checks), 6))  # otter gives a case all its points or none
    return file


def _report(check: model.Outcome) -> str:
    if check.status == "passed":
        return PASSED
    return "\n".join(part for part in (FAILED, check.message, check.hint) if part)
