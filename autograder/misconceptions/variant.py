"""The form of a known mistake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Variant(NamedTuple):
    """One mistake in one spelling: ``cause`` is an id of the contract's section 5, ``how`` tells it from others
    of the same cause, and ``names`` are the wrong functions and stand-ins by the contract's names. A known mistake
    for which the contract has no id has the cause ``""``: it is recognised, and nothing is told.

    ``where``: played only in programs that make or call one of these (``Encoder``, ``Seq2Seq.forward``); empty: one
    of ``names``. ``whole``: the mistake sits in one place that others use, so it is refuted by any case in which
    it would show and does not.
    """

    cause: str
    how: str
    names: Mapping[str, Any]
    where: frozenset[str] = frozenset()
    whole: bool = False

    @property
    def id(self) -> str:
        """Unique in a topic."""
        return f"{self.cause}/{self.how}" if self.how else self.cause
