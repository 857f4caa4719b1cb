"""What the fixture ``run`` gives to tests of commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Told(NamedTuple):
    """What a command said."""

    status: int
    out: str
    err: str


Run = Callable[..., Told]
