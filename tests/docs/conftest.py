"""A shell in which the commands of the pages run."""

from __future__ import annotations

import os
import sys

import pytest

from tests.paths import ROOT

PROGRAMS = {"attngrade": "autograder", "pytest": "pytest", "mkdocs": "mkdocs"}


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a reader who works in a checkout: the commands of this Python and of these files."""
    programs = tmp_path_factory.mktemp("bin")
    for name, module in PROGRAMS.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    own = tmp_path_factory.mktemp("config")  # a page sets the address of the students' edition
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(own)}
