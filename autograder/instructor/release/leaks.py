"""Searches the students' files for secrets."""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.assignments.places import own, place
from autograder.instructor.release.course_files import given
from autograder.instructor.release.handout import checks_of
from autograder.instructor.release.solution_script import read_script
from autograder.instructor.release.stubs import lines
from autograder.model import Check

BINARY = ".msgpack"  # shipped values
SHORTEST = 20  # characters; shorter lines of code are common
Secrets = dict[str, str]  # text without white space -> description


def squeezed(text: str) -> str:
    """Return a text without white space, so that changed indentation or line breaks hide no copy."""
    return re.sub(r"\s+", "", text)


def secret_of(code: str) -> str:
    """Return the part of a line of code that identifies it in any context."""
    return squeezed(code.strip().removeprefix("return "))


def leaks(root: Path, checks: Callable[[str], tuple[Check, ...]] = checks_of) -> list[str]:
    """Return one sentence for each secret in ``assignments/``.

    Secrets are lines of solution regions, lines of the references' functions, and ids and titles of hidden checks. Text
    that students get anyway is no secret.
    """
    names = own()
    references = sorted((root / "reference").rglob("*.py"))
    students = sorted((root / "assignments").rglob("*"))
    return _found(students, root, names, references, checks)


def leaks_of(assignment: str) -> list[str]:
    """Return one sentence for each secret in the files that students get of a course's assignment.

    The title of a hidden check is none if its author says the same words in the handout.
    """
    folder = place(assignment).texts
    told = (folder / "handout.md").read_text(encoding="utf-8")
    texts = [path for path in given(assignment).values() if path.suffix != BINARY]
    return _found(texts, folder, (assignment,), [folder / "reference.py"], checks_of, told)


def _found(
    students: Iterable[Path],
    root: Path,
    names: Sequence[str],
    references: Sequence[Path],
    checks: Callable[[str], tuple[Check, ...]],
    told: str = "",
) -> list[str]:
    known = "".join(squeezed(line) for assignment in names for line in role(root, assignment, "given"))
    secrets = solution_secrets(root, names) | reference_secrets(root, references)
    secrets = {text: label for text, label in secrets.items() if text not in known}
    hidden = [secret for assignment in names for secret in check_secrets(assignment, checks(assignment), told)]
    found = []
    for path in students:
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        text = readable(path)
        flat, words = squeezed(text), spaced(text)
        name = path.relative_to(root).as_posix()
        found += [f"{name} holds {label}" for secret, label in secrets.items() if secret in flat]
        found += [f"{name} holds {label}" for secret, label in hidden if says(words, secret)]
    return found


def readable(path: Path) -> str:
    """Return a file's text; for a notebook also its strings, since JSON escapes quotes and line breaks."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    if path.suffix != ".ipynb":
        return text
    try:
        return text + "\n" + "\n".join(strings(json.loads(text)))
    except ValueError:
        return text


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, with lists of strings joined."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield "".join(part for item in value for part in strings(item))
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def role(root: Path, assignment: str, wanted: str) -> Iterator[str]:
    """Yield the lines of a solution script with one role."""
    for line in lines(read_script(root, assignment)):
        if line.role == wanted:
            yield line.text


def solution_secrets(root: Path, names: Sequence[str]) -> Secrets:
    """Return the lines of code inside solution regions."""
    secrets = {}
    for assignment in names:
        for text in role(root, assignment, "solution"):
            secrets[secret_of(text)] = f"a line of the solution of {assignment}: {text.strip()}"
    return {text: label for text, label in secrets.items() if len(text) > SHORTEST}


def reference_secrets(root: Path, files: Sequence[Path]) -> Secrets:
    """Return the lines of code inside functions of the references, without docstrings."""
    secrets = {}
    for path in files:
        source = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(source))):
            if not isinstance(node, ast.FunctionDef):
                continue
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            for statement in body:
                for text in source[statement.lineno - 1 : statement.end_lineno]:
                    secrets[secret_of(text)] = f"a line of {path.relative_to(root).as_posix()}: {text.strip()}"
    return {text: label for text, label in secrets.items() if len(text) > SHORTEST}


def check_secrets(assignment: str, checks: tuple[Check, ...], told: str = "") -> Iterator[tuple[str, str]]:
    """Yield ids and titles of hidden checks that no public check has, with a description; no title that is ``told``."""
    public = {name for check in checks if check.visibility == "public" for name in (check.id, check.title)}
    words = spaced(told)
    for check in checks:
        if check.visibility == "hidden":
            for name in {check.id, check.title} - public:
                if name == check.id or not says(words, name):
                    yield name, f"a hidden check of {assignment}: {name}"


def spaced(text: str) -> str:
    """Return a text with single spaces, so that line breaks hide no name."""
    return " ".join(text.split())


def says(text: str, name: str) -> bool:
    """Return whether a ``spaced`` text has the name, not as a part of a longer one."""
    name = spaced(name)
    return name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
