"""What is proposed for an assignment, and what it catches."""

from __future__ import annotations

import msgspec


class Survivor(msgspec.Struct, frozen=True):
    """A mutant that passes all proposed checks."""

    name: str
    diff: str


class Failing(msgspec.Struct, frozen=True):
    """A check that holds on the reference, and not on the solution."""

    check: str
    message: str


class Suggestion(msgspec.Struct, frozen=True):
    """The files that hold the proposed checks, and how many mutants of the solution these catch.

    ``alone`` counts mutants that no other check catches. ``missing`` says what could not be called, and what to write.
    """

    assignment: str
    files: dict[str, str]
    mutants: int
    killed: int
    caught: dict[str, int]  # by check
    alone: dict[str, int]
    survived: list[Survivor]
    unsolved: list[Failing]
    missing: list[str]

    @property
    def share(self) -> float:
        """The share of mutants that is caught."""
        return self.killed / self.mutants if self.mutants else 1.0
