"""The master notebook that ``otter assign`` takes, made from the model submission of an assignment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from autograder import model
from autograder.build.render import METADATA
from autograder.build.source import BEGIN, END, Cell
from autograder.integrations.otter.bundle import BUNDLE
from autograder.integrations.otter.questions import Question

PLUGIN = "autograder.integrations.otter.plugin.Plugin"

CONFIG = f"""\
# ASSIGNMENT CONFIG
check_all_cell: true
export_cell:
    pdf: false
    run_tests: false
    ignore_log: true
    instructions: Hand in the zip file, or this notebook.
tests:
    ok_format: false
autograder_files:
    - {BUNDLE}
generate:
    show_hidden: true
    plugins:
        - {PLUGIN}
"""

# What a test does: the cells that ran so far are asked elsewhere, and the test tells what came of it.
TEST = '''\
""" # BEGIN TEST CONFIG
points: {points!r}
hidden: {hidden}
""" # END TEST CONFIG
def {function}(env):
    from autograder.integrations.notebooks import checked
    checked({topic!r}, {check!r}, env["In"])
'''


def master(topic: str, parts: Sequence[Cell], questions: Sequence[Question]) -> str:
    """The notebook's JSON: a question around every cell that students fill in, in the order of ``questions``."""
    cells = [_cell("raw", CONFIG)]
    left = list(questions)
    waiting: list[Cell] = []  # teaching, which belongs to the question that follows
    for part in parts:
        if part.kind == "markdown":
            waiting.append(part)
            continue
        taught = [_cell("markdown", cell.source) for cell in waiting]
        waiting = []
        if BEGIN in part.source:
            cells += _question(topic, left.pop(0), taught, part.source)
        else:
            cells += [*taught, _cell("code", part.source)]
    cells += [_cell("markdown", cell.source) for cell in waiting]
    for number, cell in enumerate(cells):
        cell["id"] = f"{topic}-{number:03d}"
    book = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _question(
    topic: str, question: Question, taught: list[dict[str, Any]], source: str
) -> list[dict[str, Any]]:
    tests = [_cell("code", _test(topic, check)) for check in question.checks]
    return [
        _cell("raw", f"# BEGIN QUESTION\nname: {question.name}"),
        *taught,
        _cell("raw", "# BEGIN SOLUTION"),
        _cell("code", with_prompts(source)),
        _cell("raw", "# END SOLUTION"),
        _cell("raw", "# BEGIN TESTS"),
        *tests,
        _cell("raw", "# END TESTS"),
        _cell("raw", "# END QUESTION"),
    ]


def _test(topic: str, check: model.Check) -> str:
    return TEST.format(
        points=check.points,
        hidden=str(not offered(check)).lower(),
        function="test_" + "".join(c if c.isalnum() else "_" for c in check.id),
        topic=topic,
        check=check.id,
    )


def offered(check: model.Check) -> bool:
    """Whether students can ask for a check themselves: speed is measured only when work is graded."""
    return check.visibility == "public" and check.kind != "timing"


def with_prompts(source: str) -> str:
    """A cell with our solution regions written as otter's: the region goes, and its task comes as a prompt."""
    lines = []
    for line in source.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if BEGIN in line:
            task = line.strip().removeprefix(BEGIN).lstrip(":").strip()
            lines += [
                f'{indent}""" # BEGIN PROMPT',
                f"{indent}# Your code here: {task}.",
                f"{indent}raise NotImplementedError",
                f'{indent}""" # END PROMPT',
                f"{indent}# BEGIN SOLUTION NO PROMPT",
            ]
        else:
            lines.append(f"{indent}# END SOLUTION" if END in line else line)
    return "\n".join(lines)


def _cell(kind: str, source: str) -> dict[str, Any]:
    code_only: dict[str, Any] = {"execution_count": None, "outputs": []}
    made = {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
    return made | (code_only if kind == "code" else {})
