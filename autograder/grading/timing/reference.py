"""The references as one file in the form of a submission, to be timed in a worker beside a student's file.

A worker cannot read the grader's files, so the submission holds the text of all modules of ``reference``. The reference
of a course's assignment stands there like the others, as ``reference.T.modules``, beside the modules that it imports.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from autograder import assignments, model, protocol
from autograder.assignments import places
from autograder.assignments.course_modules import with_imported
from autograder.grading.responses import NoAnswer

FIRST = {"reference": "modules"}  # the name of a course's reference where the others are called modules
IMPORTER = """
import importlib
import importlib.abc
import importlib.util
import sys


class Sources(importlib.abc.InspectLoader):
    def find_spec(self, name, path, target=None):
        if name in SOURCES:
            return importlib.util.spec_from_loader(name, self, is_package=self.is_package(name))

    def is_package(self, name):
        return any(other.startswith(name + ".") for other in SOURCES)

    def get_source(self, name):
        return SOURCES[name]


sys.meta_path.insert(0, Sources())
globals().update(vars(importlib.import_module("reference.{assignment}.modules")))  # a submission may not import it
"""


class NotInstalled(Exception):
    """This installation has no references."""


@functools.cache
def reference_form(assignment: str) -> model.Submission:
    """Return the references of ``assignment`` as a submission. Raises NotInstalled."""
    sources = _of_course(assignment) if assignment in places.of_courses() else _of_package()
    text = f"SOURCES = {sources!r}\n{IMPORTER.replace('{assignment}', assignment)}"
    return model.Submission("reference", "ready", "script", f"{assignment}.py", (text.encode(),))


def _of_package() -> dict[str, str]:
    """Return the texts of all modules of ``reference``, by their names."""
    found = importlib.util.find_spec("reference")
    if found is None or found.origin is None:
        raise NotInstalled("the references are not installed")
    root = Path(found.origin).parent
    return {_module(file.relative_to(root.parent)): file.read_text() for file in sorted(root.rglob("*.py"))}


def _of_course(assignment: str) -> dict[str, str]:
    """Return the texts of a course's reference and of the modules that it imports, by the names that they have here."""
    path, package = places.folder(assignment) / "reference.py", f"reference.{assignment}"
    if not path.is_file():
        raise NotInstalled(f"the reference of {assignment} is not installed")
    texts = {file.stem: file.read_text(encoding="utf-8") for file in with_imported(path)}
    return {"reference": "", package: "", **{f"{package}.{FIRST.get(name, name)}": texts[name] for name in texts}}


def to_compare_with(assignment: str) -> model.Submission | None:
    """Return what a bench compares a submission with: the reference, else the mechanism; None if there is neither."""
    try:
        return reference_form(assignment)
    except NotInstalled:
        text = assignments.mechanism(assignment)
    return model.Submission("reference", "ready", "script", f"{assignment}.py", (text,)) if text else None


def trouble(reply: protocol.Answer | protocol.Loaded | NoAnswer) -> str:
    """Return why the reference did not answer, or "".

    Students read it, so it quotes no value, no message and no line of the reference.
    """
    if isinstance(reply, NoAnswer):
        return f"its worker gave no answer ({reply.symptom})"
    raised = [reply.raised] if isinstance(reply, protocol.Loaded) else [result.raised for result in reply.results]
    return next((f"it raised {error.type}" for error in raised if error), "")


def _module(file: Path) -> str:
    """Return the dotted module name of a file in ``reference``."""
    return ".".join(part for part in file.with_suffix("").parts if part != "__init__")
