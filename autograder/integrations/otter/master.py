"""Makes the master notebook for ``otter assign`` from the solution of an assignment."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder import model
from autograder.instructor.release import notebook as released
from autograder.instructor.release.render import notebook_cell, notebook_text
from autograder.instructor.release.solution_script import ScriptCell
from autograder.instructor.release.stubs import BEGIN, END
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

BEFORE = """\
The checks in this notebook need attngrade and otter-grader. To install them:

```text
{install}
```"""

# A test checks the cells that have run so far, in a separate worker.
TEST = '''\
""" # BEGIN TEST CONFIG
points: {points!r}
hidden: {hidden}
""" # END TEST CONFIG
def {function}(env):
    from autograder.integrations.notebooks import checked
    checked({assignment!r}, {check!r}, env["In"])
'''


def master(
    assignment: str, root: Path, parts: Sequence[ScriptCell], questions: Sequence[Question], install: str
) -> str:
    """Return the notebook as JSON. The cells that students fill in become questions, in order.

    ``root`` is the checkout, and ``install`` says how students install what the checks need.
    """
    cells = [notebook_cell("raw", CONFIG), notebook_cell("markdown", BEFORE.format(install=install))]
    left = list(questions)
    texts: list[dict[str, Any]] = []  # that belong to the next question
    sources: list[str] = []  # likewise
    extras: list[dict[str, Any]] = []  # that stand after it
    for number, part in enumerate(parts):
        if part.extra and sources:
            extras.append(released.skipped(part.kind, part.source))
        elif part.extra:
            cells += [*texts, released.skipped(part.kind, part.source)]
            texts = []
        elif part.kind == "markdown":
            text = notebook_cell("markdown", part.source)
            texts.append(released.with_figure(text, assignment, root) if number == 0 else text)
        elif BEGIN not in part.source:
            cells += [*texts, notebook_cell("code", part.source)]
            texts = []
        else:
            sources.append(part.source)
            if len(sources) == left[0].cells:
                cells += [*_question(assignment, left.pop(0), texts, sources), *_hints(assignment, sources), *extras]
                texts, sources, extras = [], [], []
    return notebook_text(assignment, [*cells, *texts, *released.closing(assignment, root)])


def _hints(assignment: str, sources: Sequence[str]) -> list[dict[str, Any]]:
    return released.hints(assignment, [name for one in sources for name in released.defined_parts(assignment, one)])


def _question(
    assignment: str, question: Question, texts: list[dict[str, Any]], sources: Sequence[str]
) -> list[dict[str, Any]]:
    tests = [notebook_cell("code", _test(assignment, check)) for check in question.checks]
    return [
        notebook_cell("raw", f"# BEGIN QUESTION\nname: {question.name}"),
        *texts,
        notebook_cell("raw", "# BEGIN SOLUTION"),
        *(notebook_cell("code", with_prompts(source)) for source in sources),
        notebook_cell("raw", "# END SOLUTION"),
        notebook_cell("raw", "# BEGIN TESTS"),
        *tests,
        notebook_cell("raw", "# END TESTS"),
        notebook_cell("raw", "# END QUESTION"),
    ]


def _test(assignment: str, check: model.Check) -> str:
    return TEST.format(
        points=check.points,
        hidden=str(not can_run_early(check)).lower(),
        function="test_" + "".join(c if c.isalnum() else "_" for c in check.id),
        assignment=assignment,
        check=check.id,
    )


def can_run_early(check: model.Check) -> bool:
    """Whether students can run a check themselves. Speed is measured only in grading."""
    return check.visibility == "public" and check.kind != "timing"


def with_prompts(source: str) -> str:
    """Return a cell with solution regions in otter's syntax: a prompt with the task, then the solution."""
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
