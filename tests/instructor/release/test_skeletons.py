"""Skeletons and notebooks: everything is there, nothing is done, and both are the same work."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.assignments import NAMES, declared
from autograder.instructor.release import solution_notebook
from autograder.instructor.release.solution_script import cells
from autograder.instructor.release.stubs import BEGIN, END
from autograder.intake.notebook import SKIP_TAG


def load(source: str, name: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(source, f"{name}.py", "exec"), namespace)  # noqa: S102 -- our own skeleton
    return namespace


def functions(namespace: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Everything that is defined there, methods too."""
    for name, value in namespace.items():
        if getattr(value, "__module__", None) != namespace["__name__"]:
            continue
        if inspect.isclass(value):
            yield from ((f"{name}.{m}", f) for m, f in vars(value).items() if inspect.isfunction(f))
        elif inspect.isfunction(value):
            yield name, value


def read(notebook: str) -> Any:
    """The notebook, if it is a valid one."""
    parsed = nbformat.reads(notebook, as_version=4)  # type: ignore[no-untyped-call]  # nbformat has none
    nbformat.validate(parsed)
    return parsed


def code_of(notebook: str) -> str:
    """The code that is graded."""
    cells = [cell for cell in read(notebook).cells if cell.cell_type == "code"]
    return "\n\n".join(cell.source for cell in cells if SKIP_TAG not in cell.metadata.get("tags", ()))


def signatures(namespace: dict[str, Any]) -> dict[str, inspect.Signature]:
    return {name: inspect.signature(function) for name, function in functions(namespace)}


@pytest.mark.parametrize("assignment", NAMES)
def test_every_function_of_a_skeleton_raises(assignment: str, root: Path) -> None:
    namespace = load((root / f"assignments/{assignment}/{assignment}.py").read_text(), assignment)
    given = declared(assignment, "", "GIVEN", ())
    found = {name: one for name, one in functions(namespace) if name.partition(".")[0] not in given}
    assert found
    for function in found.values():
        required = [
            None
            for parameter in inspect.signature(function).parameters.values()
            if parameter.default is parameter.empty
        ]
        with pytest.raises(NotImplementedError):
            function(*required)


@pytest.mark.parametrize("assignment", NAMES)
def test_a_skeleton_has_the_definitions_of_the_solution(assignment: str, root: Path) -> None:
    skeleton = load((root / f"assignments/{assignment}/{assignment}.py").read_text(), assignment)
    solution = load((root / f"solutions/{assignment}/{assignment}.py").read_text(), assignment)
    assert list(signatures(skeleton).items()) == list(signatures(solution).items())
    for name, function in functions(skeleton):
        assert inspect.getdoc(function), f"{name} has no docstring"


@pytest.mark.parametrize("assignment", NAMES)
def test_no_marker_is_left(assignment: str, root: Path) -> None:
    for path in (root / "assignments" / assignment).glob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert BEGIN not in text
        assert END not in text
        assert "SOLUTION" not in text


@pytest.mark.parametrize("assignment", NAMES)
def test_the_notebook_is_valid_and_the_same_work(assignment: str, root: Path) -> None:
    text = (root / f"assignments/{assignment}/{assignment}.ipynb").read_text(encoding="utf-8")
    notebook = read(text)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert notebook.metadata.kernelspec.name == "python3"
    assert sum(cell.cell_type == "markdown" for cell in notebook.cells) >= 4
    skeleton = (root / f"assignments/{assignment}/{assignment}.py").read_text(encoding="utf-8")
    assert ast.dump(ast.parse(code_of(text))) == ast.dump(ast.parse(skeleton))


@pytest.mark.parametrize("assignment", NAMES)
def test_a_solution_converts_to_a_notebook(assignment: str, root: Path) -> None:
    text = solution_notebook(assignment, root)
    script = (root / f"solutions/{assignment}/{assignment}.py").read_text(encoding="utf-8")
    work = "\n\n".join(cell.source for cell in cells(script) if cell.kind == "code")
    assert ast.dump(ast.parse(code_of(text))) == ast.dump(ast.parse(work))


@pytest.mark.parametrize("assignment", NAMES)
def test_the_test_file_names_its_assignment(assignment: str, root: Path) -> None:
    text = (root / f"assignments/{assignment}/test_{assignment}.py").read_text(encoding="utf-8")
    ast.parse(text)
    assert f'ASSIGNMENT = "{assignment}"' in text
