"""The plugin that keeps a submission out of otter's process and kernel: ``otter run`` with our autograder.zip.

Before otter looks at anything of a submission but its name, the program in the zip has graded it in a confined worker,
and the folder of the submission has been emptied: otter runs an empty notebook, and unpickles no log. Its results are
then filled with ours. Imported by otter, which need not be installed for anything else.
"""

from __future__ import annotations

import html
import json
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec

from autograder import model
from autograder.integrations.otter.bundle import Order, bundle_of, run

NOTHING: dict[str, Any] = {
    "cells": [],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PASSED = "✅ Test case passed"
FAILED = "❌ Test case failed"


class Plugin:
    """Otter calls its methods by their names (see otter.plugins.AbstractOtterPlugin)."""

    def __init__(self, submission_path: str | None, metadata: dict[str, Any], config: dict[str, Any]) -> None:
        self.path = submission_path
        self.grade: model.Grade | None = None
        self.order: Order | None = None

    def before_grading(self, config: Any) -> None:
        """Grades, and takes the submission away. Raises RuntimeError where the fault is ours: otter then ends
        without a score."""
        assert self.path
        work = Path(self.path)
        root = work.parent.parent
        bundle = bundle_of(root)
        self.order = Order.read(bundle)
        _take_back(root, work.parent)
        alone = os.listdir(work.parent) == [
            work.name
        ]  # then it is this file that is meant, whatever its name
        self.grade = _graded(root, bundle, work if alone else work.parent)
        _empty(work)

    def before_execution(self, submission: Any) -> Any:
        """What otter runs in the place of the submission: nothing."""
        import nbformat

        return nbformat.from_dict(NOTHING)

    def after_grading(self, results: Any) -> None:
        """Puts our outcomes in the place of otter's."""
        if self.grade is None or self.order is None or results.has_catastrophic_failure():
            raise RuntimeError(f"otter's own part failed, so no score is given: {results.catastrophic_error}")
        results.results = {
            name: _test_file(name, checks) for name, checks in _by_question(self.grade, self.order)
        }
        if self.grade.message:
            results.set_output(html.escape(self.grade.message))


def _take_back(root: Path, folder: Path) -> None:
    """Removes what otter has laid beside the submission: its tests, our files and an empty module."""
    files = root / "source" / "files"
    for name in ("tests", *(os.listdir(files) if files.is_dir() else ())):
        _remove(folder / name)
    module = folder / "__init__.py"
    if module.is_file() and not module.stat().st_size:
        module.unlink()


def _empty(work: Path) -> None:
    """Leaves a notebook, or a script, of the same name with nothing in it: no module that the kernel could import in
    otter's place, and no log, which otter would unpickle."""
    for name in os.listdir(work.parent):
        _remove(work.parent / name)
    work.write_text(json.dumps(NOTHING) if work.suffix == ".ipynb" else "")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def _graded(root: Path, bundle: Path, work: Path) -> model.Grade:
    """What the program in the zip says of a file or folder."""
    done = run(bundle, "autograde", str(root), "--work", str(work), "--json")
    if done.returncode:
        raise RuntimeError(f"attngrade could not grade, so no score is given: {done.stderr.strip()[-2000:]}")
    return msgspec.json.decode(done.stdout, type=model.Grade)


def _by_question(grade: model.Grade, order: Order) -> list[tuple[str, list[model.Outcome]]]:
    """The checks that count, by question."""
    ran = grade.status in ("graded", "partial")
    counted = [check for check in grade.checks if check.status != "skipped" or not ran]
    names = dict.fromkeys(order.questions.values())
    grouped = [
        (name, [check for check in counted if order.questions.get(check.id) == name]) for name in names
    ]
    return [(name, checks) for name, checks in grouped if checks]


def _test_file(name: str, checks: list[model.Outcome]) -> Any:
    from otter.test_files.abstract_test import TestCase, TestCaseResult
    from otter.test_files.exception_test import ExceptionTestFile

    cases = [TestCase(c.title, None, c.visibility == "hidden", c.max_points, None, None) for c in checks]
    file = ExceptionTestFile(name, f"{name}.py", cases, all_or_nothing=False)
    file.test_case_results = [
        TestCaseResult(case, _told(check), check.status == "passed")
        for case, check in zip(cases, checks, strict=True)
    ]
    return file


def _told(check: model.Outcome) -> str:
    if check.status == "passed":
        return PASSED
    return "\n".join(part for part in (FAILED, check.message, check.hint) if part)
