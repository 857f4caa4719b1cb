"""The course's secret seed. Hidden inputs are drawn from it, the same for every student of a run."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

VARIABLE = "ATTNGRADE_SEED"


class SeedError(Exception):
    """The seed can't be read or created."""


def course_seed(file: Path | None = None) -> str:
    """Return the seed from ``file``, else from the environment variable ATTNGRADE_SEED, else from the user's own file.

    The user's own file is created on first use. Only its owner can read it. Raises SeedError.
    """
    if file is None and os.environ.get(VARIABLE, "").strip():
        return os.environ[VARIABLE].strip()
    path = file or default_file()
    if file is not None and not file.exists():  # a typing error must not change every hidden input
        raise SeedError(f"{file} does not exist; check the path, or leave --seed-file away to use your own")
    try:
        if not path.exists():
            _make(path)
        seed = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SeedError(
            f"the course's secret seed can't be read from {path} ({error}); "
            f"name a file with --seed-file or set {VARIABLE}"
        ) from error
    if not seed:
        raise SeedError(f"{path} is empty; write any long secret text into it, or delete it to have one made")
    return seed


def default_file() -> Path:
    """Return the path of the user's own seed file (XDG base directory specification)."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path(os.path.expanduser("~")) / ".config"
    return Path(base) / "attngrade" / "seed"


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another run has just made it
        return
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32) + "\n")
