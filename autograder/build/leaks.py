"""Searches what students get for what they must not get."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from autograder.build.handout import checks_of
from autograder.build.source import lines, read_script
from autograder.model import TOPICS, Check

SHORTEST = 20  # shorter lines of code are anybody's
Secrets = dict[str, str]  # squeezed text -> what it is


def squeezed(text: str) -> str:
    """Without any white space, so that no new indentation or line break hides a copy."""
    return re.sub(r"\s+", "", text)


def secret_of(code: str) -> str:
    """What of a line of code gives it away, wherever it is put."""
    return squeezed(code.strip().removeprefix("return "))


def leaks(root: Path, checks: Callable[[str], tuple[Check, ...]] = checks_of) -> list[str]:
    """One sentence for each thing in ``assignments/`` that gives something away.

    Searched for: lines of solution regions, lines of the references' functions, ids and titles
    of hidden checks. What students are given anyway is no secret.
    """
    given = "".join(squeezed(line) for topic in TOPICS for line in role(root, topic, "given"))
    secrets = solution_secrets(root) | reference_secrets(root)
    secrets = {text: what for text, what in secrets.items() if text not in given}
    hidden = [secret for topic in TOPICS for secret in check_secrets(topic, checks(topic))]
    found = []
    for path in sorted((root / "assignments").rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        text = readable(path)
        flat = squeezed(text)
        name = path.relative_to(root).as_posix()
        found += [f"{name} holds {what}" for secret, what in secrets.items() if secret in flat]
        found += [f"{name} holds {what}" for pattern, what in hidden if pattern.search(text)]
    return found


def readable(path: Path) -> str:
    """A file's text; of a notebook all strings, since JSON would hide quotes and line breaks."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    if path.suffix != ".ipynb":
        return text
    try:
        return text + "\n" + "\n".join(strings(json.loads(text)))
    except ValueError:
        return text


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, lists of strings joined."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield "".join(part for item in value for part in strings(item))
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def role(root: Path, topic: str, wanted: str) -> Iterator[str]:
    """The lines of a solution script that students get, or those that they do not."""
    for line in lines(read_script(root, topic)):
        if line.role == wanted:
            yield line.text


def solution_secrets(root: Path) -> Secrets:
    """Lines of code inside solution regions."""
    secrets = {}
    for topic in TOPICS:
        for text in role(root, topic, "solution"):
            secrets[secret_of(text)] = f"a line of the solution of {topic}: {text.strip()}"
    return {text: what for text, what in secrets.items() if len(text) > SHORTEST}


def reference_secrets(root: Path) -> Secrets:
    """Lines of code inside functions of ``reference/``; docstrings are no secret."""
    secrets = {}
    for path in sorted((root / "reference").glob("*.py")):
        source = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(source))):
            if not isinstance(node, ast.FunctionDef):
                continue
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            for statement in body:
                for text in source[statement.lineno - 1 : statement.end_lineno]:
                    secrets[secret_of(text)] = f"a line of reference/{path.name}: {text.strip()}"
    return {text: what for text, what in secrets.items() if len(text) > SHORTEST}


def check_secrets(topic: str, checks: tuple[Check, ...]) -> Iterator[tuple[re.Pattern[str], str]]:
    """Ids and titles of hidden checks that no public check bears too."""
    public = {name for check in checks if check.visibility == "public" for name in (check.id, check.title)}
    for check in checks:
        if check.visibility == "hidden":
            for name in {check.id, check.title} - public:
                pattern = r"\s+".join(re.escape(word) for word in name.split())
                yield re.compile(rf"(?<![\w-]){pattern}(?![\w-])"), f"a hidden check of {topic}: {name}"
