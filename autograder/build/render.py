"""Turns cells into the files students open: a skeleton, a notebook, a test file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from string import Template
from typing import Any

from autograder.build.source import Cell

HEADER = """\
{title}
#
# Fill in every place marked "Your code here". The README beside this file explains what is due,
# and {topic}.ipynb is the same work as a notebook: hand in whichever you like, but only one.
# To see where you stand: attngrade check {topic}.py"""

TESTS = Template('''\
"""The public checks of this assignment, one test each: run ``pytest`` in this folder."""

import pathlib

import pytest
from autograder.integrations.pytest_checks import public_checks, run_public_check

TOPIC = "$topic"
HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("check_id", public_checks(TOPIC))
def test_public_check(check_id, request):
    run_public_check(HERE, TOPIC, check_id, request.node)
''')

METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def skeleton(topic: str, parts: Sequence[Cell]) -> str:
    """A script of the code cells; of the teaching only the headings stay, as comments.

    A source begins with its title and its imports.
    """
    blocks: list[str] = []
    for cell in parts:
        if cell.kind == "code":
            blocks.append(cell.source.strip("\n"))
            continue
        heading = cell.source.splitlines()[0]
        if heading.startswith("# "):
            blocks.append(HEADER.format(title=heading, topic=topic))
        else:
            blocks.append(f"# ---- {heading.lstrip('#').strip()}")
    title, imports, *rest = blocks
    return f"{title}\n\n{imports}\n\n" + "\n\n\n".join(rest) + "\n"


def notebook(topic: str, parts: Sequence[Cell]) -> str:
    """A notebook (nbformat 4.5) of the cells; ids count them, so that building twice gives the same bytes."""
    code_only: dict[str, Any] = {"execution_count": None, "outputs": []}
    made = {
        "cells": [
            {
                "cell_type": cell.kind,
                "id": f"{topic}-{number:02d}",
                "metadata": {},
                "source": cell.source.splitlines(keepends=True),
            }
            | (code_only if cell.kind == "code" else {})
            for number, cell in enumerate(parts)
        ],
        "metadata": METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def pytest_file(topic: str) -> str:
    """A pytest file with one item for each public check."""
    return TESTS.substitute(topic=topic)
