"""How much a submission may use. The defaults are far above what an honest one needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=86400)]
Bytes = Annotated[int, msgspec.Meta(ge=1 << 10, le=1 << 44)]


class Limits(msgspec.Struct, frozen=True):
    """Seconds are wall-clock; bytes are bytes. Processes and threads are none, files are not written at all, and
    what is printed is cut (see ``worker.observe``)."""

    load_seconds: Seconds = 20.0  # running the file's top level
    cell_seconds: Seconds = 5.0  # one cell of a notebook
    case_seconds: Seconds = 6.0  # one program: a few calls
    submission_seconds: Seconds = 60.0  # everything together
    memory_bytes: Bytes = 4 << 30  # beyond what torch itself takes
    answer_bytes: Bytes = 32 << 20  # one answer; decoded, a hostile one may take 15 times as much
    open_files: Annotated[int, msgspec.Meta(ge=16, le=1 << 20)] = 64


def altered(limits: Limits, given: Mapping[str, object]) -> Limits:
    """``limits`` with those that are given by name. Raises msgspec.ValidationError for a name or value that is none."""
    known = msgspec.to_builtins(limits)
    if strange := sorted(given.keys() - known.keys()):
        raise msgspec.ValidationError(f"there is no limit {strange[0]}; there are {', '.join(known)}")
    return msgspec.convert(known | dict(given), Limits)
