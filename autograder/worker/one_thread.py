"""Keeps torch to one thread. A worker cannot start a second one, and torch ends a process that fails to."""

from __future__ import annotations

import torch


def only_one() -> None:
    """Make torch use one thread, also if a submission asks for more later."""
    torch.set_num_threads(1)
    torch.set_num_threads = torch.set_num_interop_threads = _ignored


def _ignored(nthreads: int) -> None:
    """Ignore the number. Honest scripts ask for threads to be faster; here that would end them."""
