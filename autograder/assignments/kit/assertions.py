"""What checks assert about the steps of their cases, and names for the most frequent assertions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from autograder import model
from autograder.assignments.kit.programs import TURNS

Assertions = tuple[model.Assertion, ...]


def expect(name: model.AssertionName, *steps: str, **options: Any) -> Assertions:
    """Assert one property (see ``judge.ASSERTIONS``) of each step. No steps: of the step ``out``."""
    return tuple(model.Assertion(name, step, options) for step in steps or ("out",))


def right(*steps: str, **options: Any) -> Assertions:
    """Assert shapes and values, step by step. ``options`` refine the values. No steps: of the step ``out``."""
    return tuple(chain(*((*expect("shapes", of), *expect("values", of, **options)) for of in steps or ("out",))))


def each(steps: Iterable[str], *names: model.AssertionName) -> Assertions:
    """Assert the same properties of several steps, step by step."""
    return tuple(chain(*(expect(name, step) for step in steps for name in names)))


def only_in(cases: Sequence[model.Case], *assertions: Assertions) -> Assertions:
    """Restrict assertions to these of a check's cases."""
    return tuple(replace(one, cases=tuple(case.id for case in cases)) for one in chain(*assertions))


SHAPES, DTYPES, RIGHT, GRADIENTS = expect("shapes"), expect("dtypes"), right(), expect("gradients")
ZEROS, UNCHANGED = expect("zeros"), expect("unchanged")
# After ``ProgramBuilder.in_turn``: all results are right, equal inputs give equal results, and no input changes.
STATELESS: Assertions = (
    *expect("same", "first", other="out"),
    *expect("same", "first", other="moved"),
    *each(TURNS, "shapes", "values", "unchanged"),
)
