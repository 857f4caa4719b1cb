"""Groups the checks of an assignment by question.

Each cell that students fill in is a question. One that no check uses, of helpers alone, belongs to the next question,
or to the last one.
"""

from collections.abc import Iterable
from typing import NamedTuple

from autograder import model, protocol
from autograder.assignments.kit import programs
from autograder.instructor.release.solution_script import definitions


class Question(NamedTuple):
    """A question such as ``q1``: how many cells it has, and its checks."""

    name: str
    cells: int
    checks: tuple[model.Check, ...]


def questions(checks: Iterable[model.Check], sources: Iterable[str], assignment: str) -> tuple[Question, ...]:
    """Return the questions of the cells in ``sources``, in order.

    A check belongs to the last cell that it uses, since it can run only after that cell. Raises ValueError for a check
    that uses none.
    """
    written = [frozenset(definitions(source)) for source in sources]
    checks = tuple(checks)
    places = {check.id: _last(check, written, assignment) for check in checks}
    used = sorted(set(places.values()))
    after = [*(place + 1 for place in used[:-1]), len(written)]  # the first cell after each question
    return tuple(
        Question(f"q{number + 1}", after[number] - before, tuple(c for c in checks if places[c.id] == used[number]))
        for number, before in enumerate([0, *after[:-1]])
    )


def _last(check: model.Check, written: list[frozenset[str]], assignment: str) -> int:
    """Return the number of the last cell that a check uses."""
    used = {check.part}.union(*(_called(program) for program in _programs(check, assignment)))
    numbers = [number for number, names in enumerate(written) if names & used]
    if not numbers:
        raise ValueError(f"{assignment}: the check {check.id} calls nothing that a cell defines")
    return numbers[-1]


def _programs(check: model.Check, assignment: str) -> list[protocol.Program]:
    """Return the programs of a check; the numbers in them do not matter here."""

    def generator(name: str) -> programs.InputGenerator:
        return programs.InputGenerator(programs.PUBLIC_SEED, assignment, name)

    timed = [call.build(generator(call.name), call.sizes[0] if call.sizes else 1, 1) for call in check.timed]
    return [case.build(generator(case.id)) for case in check.cases] + timed


def _called(program: protocol.Program) -> set[str]:
    """Return the names of the submission that a program uses."""
    steps = (step for step in program.steps if isinstance(step, protocol.Make | protocol.Call | protocol.Inspect))
    return {step.name.split(".")[0] for step in steps}
