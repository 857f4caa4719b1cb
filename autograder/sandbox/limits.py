"""How much a submission may use. The defaults are far above what an honest one needs."""

from __future__ import annotations

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """Seconds are wall-clock; bytes are bytes."""

    load_seconds: float = 20.0  # running the file's top level
    cell_seconds: float = 5.0  # one cell of a notebook
    case_seconds: float = 6.0  # one program: a few calls
    submission_seconds: float = 60.0  # everything together
    memory_bytes: int = 4 << 30  # beyond what torch itself takes
    answer_bytes: int = 32 << 20  # one answer; decoded, a hostile one may take 15 times as much
    open_files: int = 64
