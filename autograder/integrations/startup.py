"""Savings at start-up for the command line and for nbgrader. Everything works without them."""

import atexit
import gc
import sys


def relax_garbage_collection() -> None:
    """Collect garbage rarely, and not at exit.

    Imports leave 100,000 live objects, and 250,000 under nbgrader. Full collections over them cost 1.5 CPU s there.
    """
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)


def skip_format_grammars() -> None:
    """Make jsonschema do without the optional package ``rfc3987_syntax``. Call this before importing nbformat.

    With it, jsonschema compiles 38 grammars in 2 CPU s, for formats that the notebook schema does not use. Python
    raises ModuleNotFoundError for a module whose entry in ``sys.modules`` is None, and jsonschema handles that.
    """
    if "jsonschema" not in sys.modules and "rfc3987_syntax" not in sys.modules:
        sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
