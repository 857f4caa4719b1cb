"""The intake under mutated notebooks and zips: they are read or refused, soon, and in little memory.

``make test`` takes some hundred, ``make thorough`` ten thousand of each sort.
"""

from __future__ import annotations

import contextlib
import json
import random
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.intake import notebook as notebooks
from autograder.intake import read
from autograder.intake.errors import Unreadable

from . import mutate
from .fuzzing import LONGEST, fuzz, thorough

SEEDS: tuple[Any, ...] = (
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# Attention\n"], "metadata": {}},
            {"cell_type": "code", "source": ["import torch\n", "x = 1"], "outputs": [{"data": {"a": [1.5, None]}}]},
            {"cell_type": "code", "source": "%matplotlib inline\ndef f(x):\n    return x"},
        ],
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}], "nbformat": 3},
    {"cells": [{"cell_type": "code"}, {"source": "x"}, {"cell_type": "code", "code": "y", "source": None}]},
)


def taken(path: Path, data: bytes) -> bool:
    """Whether a student's file can be read; that it can't must be told in a printable line."""
    path.write_bytes(data)
    work = read(model.Entry("ana", (path,)), "bahdanau")
    assert work.status in ("ready", "missing", "unreadable")
    assert work.note.isprintable()
    assert work.status == "ready" or work.note
    for cell in work.cells if work.kind == "notebook" else ():
        cell.decode("utf-8")
    return work.status == "ready"


@thorough(800, 10_000)
def test_notebooks_are_read_or_refused(count: int, tmp_path: Path) -> None:
    path = tmp_path / "ana.ipynb"
    fuzz(
        count,
        "notebooks",
        lambda rng_state: mutate.notebook(rng_state.choice(SEEDS), rng_state),
        lambda data: taken(path, data),
    )


@thorough(800, 10_000)
def test_zips_are_read_or_refused(count: int, tmp_path: Path) -> None:
    def make(rng_state: random.Random) -> bytes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of two members with one name
            content = mutate.notebook(SEEDS[0], rng_state) if rng_state.random() < 0.5 else b"x = 1\n"
            return mutate.archive(rng_state, content)

    fuzz(count, "zips", make, lambda data: taken(tmp_path / "ana.zip", data))


@thorough(500, 10_000)
def test_skimming_and_patience_read_the_same(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is JSON to the letter is skimmed, and gives what building all of it gives."""

    def built(raw: bytes) -> tuple[bytes, ...] | None:
        with contextlib.suppress(Unreadable):
            return notebooks.code_cells(raw)
        return None

    def refuse(*_: object, **__: object) -> None:
        raise msgspec.DecodeError

    def make(rng_state: random.Random) -> bytes:
        book = mutate.mutated(SEEDS[rng_state.choice((0, 2))], rng_state, 5)
        return json.dumps(book, default=lambda data: data.hex()).encode()

    def same(raw: bytes) -> bool:
        skimmed = built(raw)
        with monkeypatch.context() as patch:
            patch.setattr(notebooks.msgspec.json, "decode", refuse)
            assert built(raw) == skimmed
        return skimmed is not None

    fuzz(count, "skimmed notebooks", make, same)


HARD = {  # what a regular expression could stumble over; each took minutes or a gigabyte before
    "spaces": "%x\n" + " " * 300_000,
    "spaces and a name": "%x\n" + " " * 300_000 + "x",
    "an open text": "%x\ny = '" + "a" * 3_000_000,
    "an open text of three": "%x\ny = '''" + "a" * 3_000_000,
    "backslashes": "%x\ny = '" + "\\\\" * 1_000_000,
    "quotes": "%x\n" + "'\"" * 500_000,
    "names": "%x\n" + "a." * 500_000,
    "commas": "%x\n" + "a, " * 500_000 + "\nx?",
    "equals": "%x\n" + "a = " * 300_000,
    "questions": "%x\n" + "? " * 500_000 + "x",
    "brackets": "%x\nx[" + "a" * 1_000_000,
}


@pytest.mark.parametrize("name", HARD)
def test_hard_cells_take_little(name: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    cells = notebooks.code_cells(json.dumps({"cells": [{"cell_type": "code", "source": HARD[name]}]}).encode())
    assert len(cells) == 1
    assert time.perf_counter() - begun < LONGEST
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 200
