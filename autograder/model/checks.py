"""What an answer is held to: checks, as data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import msgspec

from autograder.model.answers import Seen
from autograder.model.arrays import Array
from autograder.model.programs import Program
from autograder.model.words import Kind, Visibility


class Hold(msgspec.Struct, frozen=True):
    """One property that a check demands of a step's answer; ``options`` refine it (see ``judge``). ``within``:
    only in these of the check's cases; empty: in all."""

    what: str
    of: str
    options: dict[str, Any] = {}
    within: tuple[str, ...] = ()


class Case(msgspec.Struct, frozen=True):
    """A named recipe for a program. ``build`` gets a ``cases.Draw``, the only source of numbers. ``telling``
    says of what a right submission shows (step -> seen) whether it shows what the case is for; if not, other
    numbers are drawn."""

    id: str
    build: Callable[[Any], Program]
    telling: Callable[[dict[str, Seen]], bool] | None = None


class Prepared(msgspec.Struct, frozen=True, dict=True):
    """A case with its numbers drawn and its right answer computed."""

    id: str
    program: Program
    expected: tuple[Seen, ...]

    @cached_property
    def due(self) -> dict[str, Seen]:
        """What is expected, by the names of steps. Of two reports about one object the first stands: how making it
        went."""
        return {seen.into: seen for seen in reversed(self.expected)}


class Mistaken(msgspec.Struct, frozen=True):
    """What a known mistake would show in a case, as far as it differs from what is due: a variant's id, its
    ``cause`` (contract, section 5), the arrays by (step, what, name), and the steps in which it would raise.
    ``whole``: it is refuted by any case in which it would show and does not, whatever is called there."""

    variant: str
    cause: str
    arrays: tuple[tuple[str, str, str, Array], ...] = ()
    raises: tuple[str, ...] = ()
    whole: bool = False


class Timed(msgspec.Struct, frozen=True):
    """A call whose cost is compared with the reference's. ``build`` gets a ``cases.Draw``, a size and how many calls
    the program is to make: ``calls`` at size ``at``, because small ones would vanish beside the asking, and no more,
    because many could be done in one. There it may cost ``limit`` times the reference's; over ``sizes``, where there
    are some, the exponent of its cost may exceed the reference's by ``slack``. ``watch`` and ``allowed``: what is
    looked at (see ``Call``) in a call that is not measured, and what is due of it."""

    name: str
    axis: str  # what the size counts, in words
    build: Callable[[Any, int, int], Program]
    at: int
    limit: float
    sizes: tuple[int, ...] = ()
    slack: float = 0.5
    calls: int = 2
    watch: Literal["", "softmax", "attention"] = ""
    allowed: Hold | None = None


class Check(msgspec.Struct, frozen=True):
    """One line of the grade: it passes when every hold of every case is met; one of kind ``timing`` when every
    ``timed`` call is fast enough."""

    id: str
    title: str
    kind: Kind
    points: float
    cases: tuple[Case, ...]
    holds: tuple[Hold, ...]
    visibility: Visibility = "public"
    section: str = ""  # heading in the handout that explains what is checked
    timed: tuple[Timed, ...] = ()


class Spec(msgspec.Struct, frozen=True):
    """All checks of one assignment; their points add up to 100."""

    topic: str
    title: str
    checks: tuple[Check, ...]
