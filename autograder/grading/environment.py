"""The versions that a grade depends on. Without paths and environment variables."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import autograder


@cache
def environment() -> dict[str, str]:
    """Return the versions of attngrade, Python, the platform, torch and NumPy. Reads metadata and imports nothing."""
    return {
        "attngrade": autograder.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: _version(name) for name in ("torch", "numpy")},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
