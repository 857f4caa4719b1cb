"""Checks as data, and the cases that they need."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from autograder.model.words import AssertionName, Kind, Visibility
from autograder.protocol.answers import StepResult, by_step
from autograder.protocol.arrays import Array
from autograder.protocol.programs import Program

HIDDEN = "hidden-"  # how the names of hidden cases begin
REDRAWN = "redrawn-"  # how the names of redrawn cases begin


class Assertion(msgspec.Struct, frozen=True):
    """One property that a check asserts about a step's result (see ``judge``).

    ``cases`` restricts it to some of the check's cases. By default it holds in all of them.
    """

    name: AssertionName
    step: str
    options: dict[str, Any] = {}
    cases: tuple[str, ...] = ()


class Case(msgspec.Struct, frozen=True):
    """A named recipe for a program.

    ``build`` gets an ``InputGenerator``, the only source of numbers. ``is_informative`` gets the expected results by
    step. If it returns False, the case does not show what it is for, and other numbers are drawn. ``errors``: the
    built-in errors that the reference may raise. ``returns``: the shapes that its author declares of the results of its
    calls; empty if nothing is declared.
    """

    id: str
    build: Callable[[Any], Program]
    is_informative: Callable[[dict[str, StepResult]], bool] | None = None
    errors: tuple[str, ...] = ("ValueError",)
    returns: dict[str, tuple[int, ...]] = {}

    def redrawn(self) -> Case:
        """Return the case with other numbers and a name of its own. It needs a secret seed."""
        return replace(self, id=REDRAWN + self.id)


class Prepared(msgspec.Struct, frozen=True, dict=True):
    """A case with its inputs drawn and its expected results computed."""

    id: str
    program: Program
    expected_results: tuple[StepResult, ...]

    @property
    def case(self) -> str:
        """The name of the case; of a redrawn one the name that it was drawn from."""
        return self.id.removeprefix(REDRAWN)

    @cached_property
    def expected(self) -> dict[str, StepResult]:
        """The expected results by step."""
        return by_step(self.expected_results)


class VariantAnswer(msgspec.Struct, frozen=True):
    """What a known mistake answers in a case, where that differs from the expected results.

    ``cause`` is one of the contract, section 5. Each of ``arrays`` is (step, what, name, values); the mistake raises in
    the steps of ``raises``. A ``whole`` mistake is refuted by any case in which it would show and does not. Others are
    refuted only by cases that call the same function.
    """

    variant: str
    cause: str
    arrays: tuple[tuple[str, str, str, Array], ...] = ()
    raises: tuple[str, ...] = ()
    whole: bool = False


class TimedCall(msgspec.Struct, frozen=True):
    """A call whose cost is compared with the reference's.

    ``build`` gets an ``InputGenerator``, a size and the number of calls in the program. One call alone would be small
    beside the cost of sending it. Many calls could be done in one. ``watch`` and ``allowed`` apply to one more call
    that is not timed: what to observe (see ``protocol.Call``), and the assertion about it.
    """

    name: str
    axis: str  # what the size counts, in words
    build: Callable[[Any, int, int], Program]
    at: int  # the size at which the cost is limited
    limit: float  # times the reference's cost
    sizes: tuple[int, ...] = ()  # over which the growth is limited too
    slack: float = 0.5  # by how much the exponent of the cost may exceed the reference's
    calls: int = 2  # in one program, at size ``at``
    watch: Literal["", "softmax", "attention"] = ""
    allowed: Assertion | None = None


class Check(msgspec.Struct, frozen=True):
    """One line of the grade. It passes if all assertions hold in all cases and all ``timed`` calls are fast enough.

    Students have the inputs of a public check, so a table of answers would pass it. While grading, the check must also
    hold in its cases as ``redrawn`` from the secret seed.
    """

    id: str
    title: str
    kind: Kind
    points: float
    cases: tuple[Case, ...]
    assertions: tuple[Assertion, ...]
    visibility: Visibility = "public"
    part: str = ""  # the function or class whose points these are
    section: str = ""  # heading of the handout that explains what is checked
    timed: tuple[TimedCall, ...] = ()
    redrawn: tuple[Case, ...] = ()

    def as_hidden(self) -> Check:
        """Return the check as a hidden one, with a name of its own and cases with names of their own."""
        cases = tuple(replace(case, id=_hidden(case.id)) for case in self.cases)
        assertions = tuple(replace(one, cases=tuple(map(_hidden, one.cases))) for one in self.assertions)
        return replace(self, id=_hidden(self.id), cases=cases, assertions=assertions, visibility="hidden")

    @property
    def secret_cases(self) -> tuple[Case, ...]:
        """The cases whose inputs come from the secret seed."""
        return self.cases if self.visibility == "hidden" else self.redrawn

    @property
    def all_cases(self) -> tuple[Case, ...]:
        """All cases that the check asks."""
        return (*self.cases, *self.redrawn)


def _hidden(name: str) -> str:
    """Return a name with the prefix of hidden ones, once."""
    return name if name.startswith(HIDDEN) else f"{HIDDEN}{name}"


class Spec(msgspec.Struct, frozen=True):
    """All checks of one assignment. Their points add up to 100.

    ``parts`` are the functions and classes that carry points. A part may use those before it. ``shares`` is the most
    that one mistake costs in its part, by cause, as a share of the part's points.
    """

    assignment: str
    title: str
    checks: tuple[Check, ...]
    parts: tuple[str, ...] = ()
    shares: dict[str, float] = {}


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a course weighs an assignment's checks. By default it keeps the assignment's own points.

    ``parts`` and ``checks`` are points by name, which are scaled to ``total``. ``dropped`` checks are not asked.
    ``shares``: see ``Spec``. All are tuples, so that a plan with them can be a key.
    """

    parts: tuple[tuple[str, float], ...] = ()
    checks: tuple[tuple[str, float], ...] = ()
    dropped: tuple[str, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()
    total: float = 100.0
