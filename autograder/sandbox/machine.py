"""How much memory this machine, or this container, has."""

from __future__ import annotations

import os
from pathlib import Path

CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def container_bytes() -> int | None:
    """Return the memory that this container may use, None where there is no limit."""
    for path in CGROUP_LIMITS:
        try:
            return int(Path(path).read_text())
        except (OSError, ValueError):  # another kind of group, or "max"
            continue
    return None


def memory_bytes() -> int:
    """Return the memory of the machine or of the container, whichever is less; 1 EiB if unknown."""
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows
        physical = 1 << 60
    return min(physical, container_bytes() or physical)
