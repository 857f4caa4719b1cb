"""What a grade was made with: versions only, no paths and no variables."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import autograder


@cache
def environment() -> dict[str, str]:
    """Versions of the grader, Python and what it computes with; read from metadata, so that nothing is imported."""
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
