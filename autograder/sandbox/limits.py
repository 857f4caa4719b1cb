"""How much a submission may use. The defaults are far above what an honest one needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=86400)]
Bytes = Annotated[int, msgspec.Meta(ge=1 << 10, le=1 << 44)]

# A submission never needs to sleep. These two are smaller where the limit of the call or of the submission is smaller.
STALL_SECONDS = 5.0  # of sleep without using the processor, that end one call
STALLS_SECONDS = 30.0  # of sleep in all, that end the submission
WALL_FACTOR = 10  # how many times its limit in CPU seconds a call, or the submission, may take by the wall clock
SPARE_CPU_SECONDS = 5  # above the submission's limit, where the kernel ends a worker that the grader does not watch


class Limits(msgspec.Struct, frozen=True):
    """Limits of one submission. Seconds are CPU seconds of its workers, or wall-clock where the system can't tell them.

    A submission can start no process, and write no file. ``worker.describe`` cuts its printed text. Only one graded
    on a GPU can start threads.
    """

    load_seconds: Seconds = 20.0  # running the file's top level
    cell_seconds: Seconds = 5.0  # one cell of a notebook
    case_seconds: Seconds = 6.0  # one program: a few calls
    submission_seconds: Seconds = 60.0  # everything together
    memory_bytes: Bytes = 4 << 30  # beyond what torch itself takes
    # The largest honest answer has 2.2 MB, and all of a submission's have 1.2 MB, calls that are timed apart. A hostile
    # answer takes up to 15 times as much when it is decoded.
    answer_bytes: Bytes = 5 << 20  # of one answer
    submission_bytes: Bytes = 64 << 20  # of all answers, calls that are timed apart
    open_files: Annotated[int, msgspec.Meta(ge=16, le=1 << 20)] = 64

    @property
    def kernel_seconds(self) -> int:
        """The CPU seconds after which the kernel kills a worker."""
        return int(self.submission_seconds) + SPARE_CPU_SECONDS


def altered(limits: Limits, changes: Mapping[str, object]) -> Limits:
    """Return ``limits`` with ``changes``. Raises msgspec.ValidationError for an unknown name or a bad value."""
    known = msgspec.to_builtins(limits)
    if strange := sorted(changes.keys() - known.keys()):
        raise msgspec.ValidationError(f"there is no limit {strange[0]}; there are {', '.join(known)}")
    return msgspec.convert(known | dict(changes), Limits)
