"""Checks in the making: a line of ``checks.py``, with what it needs above it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

from autograder import model
from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft, evaluated, quoted

POINTS = "{points}"


class Candidate(msgspec.Struct, frozen=True, dict=True):
    """A check that may hold. ``options`` follow the points; ``tag`` and ``words`` tell it from others of its kind.

    A core check is proposed if it holds, any other only if it catches more. ``defines`` is the text of a function.
    """

    part: str
    kind: str
    draft: CallDraft | None
    weight: float
    options: tuple[str, ...] = ()
    tag: str = ""
    words: str = ""
    is_core: bool = True
    is_public: bool = False
    defines: str = ""
    subject: str = ""  # what replaces the call: the id of a check without one
    beside: CallDraft | None = None  # another call that the function needs

    @property
    def drafts(self) -> list[CallDraft | ModuleDraft]:
        """What must be declared, in an order in which it can stand."""
        found: list[CallDraft | ModuleDraft] = []
        for call in filter(None, (self.beside, self.draft)):
            found += [*call.modules, call]
        return found

    @cached_property
    def line(self) -> str:
        """The line, with ``{points}`` for its points."""
        given = [self.subject or (self.draft.variable if self.draft else "")]
        options = [*self.options]
        if self.tag:
            plain = self._made(self._line(given, options).replace(POINTS, "1"))
            options.append(f"id={quoted(f'{plain.id}-{self.tag}')}")
            options += [f"title={quoted(f'{plain.title}, {self.words}')}"] if self.words else []
        return self._line(given, options)

    def _line(self, given: list[str], options: list[str]) -> str:
        return f"{self.kind}({', '.join([*given, POINTS, *options])})"

    @cached_property
    def check(self) -> model.Check:
        """The check, with one point. Raises whatever a wrong line raises."""
        return msgspec.structs.replace(self._made(self.line.replace(POINTS, "1")), part=self.part, section=self.part)

    def _made(self, line: str) -> model.Check:
        names: dict[str, Any] = {one.variable: one.built() for one in self.drafts}
        made: model.Check = evaluated(line, names, self.defines)
        return made


def combined(*tags: str) -> str:
    """Return one tag of several."""
    return "-".join(filter(None, tags)).replace("_", "-").lower()


def worded(*words: str) -> str:
    """Return words of several."""
    return ", ".join(filter(None, words))
