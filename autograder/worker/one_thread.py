"""One thread a worker: a second could not be started, and torch ends the process where it can't start one."""

from __future__ import annotations

import torch


def only_one() -> None:
    """Has torch use one thread, whatever a submission asks for later."""
    torch.set_num_threads(1)
    torch.set_num_threads = torch.set_num_interop_threads = _ignored


def _ignored(nthreads: int) -> None:
    """Honest scripts ask for threads so as to be faster; here that would end them."""
