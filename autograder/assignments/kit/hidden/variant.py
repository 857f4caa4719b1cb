"""Known mistakes, and the tables that list them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

Part = TypeVar("Part")
NOWHERE: frozenset[str] = frozenset()


class Variant(NamedTuple):
    """A known mistake in one spelling.

    ``cause``: an id of the contract's section 5. A mistake without an id there has the cause ``""``: it is recognised
    but not reported. It is listed only where other evidence would report a wrong cause without it.
    ``how``: distinguishes variants of one cause.
    ``names``: the wrong functions and classes, by the contract's names.
    ``where``: the variant runs only in programs that make or call one of these (``Encoder``, ``Seq2Seq.forward``).
    Empty: one of ``names``.
    ``whole``: other functions use the wrong place, so any case in which it would show and does not refutes the variant.
    """

    cause: str
    how: str
    names: Mapping[str, Any]
    where: frozenset[str] = NOWHERE
    whole: bool = False

    @property
    def id(self) -> str:
        """Unique in an assignment."""
        return f"{self.cause}/{self.how}" if self.how else self.cause


def from_table(
    table: Mapping[str, Mapping[str, Part]],
    names: Callable[[Part], Mapping[str, Any]],
    form: str = "{}",
    where: frozenset[str] = NOWHERE,
) -> tuple[Variant, ...]:
    """Return a variant for each entry of a table (cause -> how -> wrong part), in its order. ``form`` makes ``how``;
    ``names`` says which functions and classes use the part."""
    return tuple(
        Variant(cause, form.format(how), names(part), where)
        for cause, parts in table.items()
        for how, part in parts.items()
    )
