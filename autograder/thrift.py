"""What a process of our own, or one of nbgrader's that grades, need not spend; nothing that it does is left out."""

from __future__ import annotations

import atexit
import gc
import sys


def seldom_look_for_garbage() -> None:
    """What is imported is a hundred thousand objects, of nbgrader's a quarter of a million, none of them garbage.
    Python would look through them again and again, and thrice as it ends: of nbgrader's a CPU second and a half."""
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)


def without_grammars() -> None:
    """To be called before nbformat is imported. It imports jsonschema, which would compile 38 grammars, two CPU
    seconds, to check formats that no notebook's schema has; it does without where that package is not installed."""
    if "jsonschema" not in sys.modules:
        sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # Python says: not importable
