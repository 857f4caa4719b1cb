"""Where what can be made again, or is only proposed, lies on the instructor's disk."""

from __future__ import annotations

import os
from pathlib import Path


def folder(name: str) -> Path:
    """A folder of the user's own (XDG base directory specification); it need not exist. Where there is no home it is
    one that can't be made, so that nothing is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return (Path(base) if os.path.isabs(base) else Path(os.devnull)) / name
