"""The type of the fixture ``run``, which calls a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class CommandResult(NamedTuple):
    """A command's exit status and output."""

    status: int
    out: str
    err: str


Run = Callable[..., CommandResult]
