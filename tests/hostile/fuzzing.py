"""How a fuzz is run: so many inputs, each from dice of its own, and bounds on time and memory for all of them."""

from __future__ import annotations

import random
import resource
import signal
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")
LONGEST = 30  # seconds for one input, which needs milliseconds
MOST_MEMORY = 600  # MB beyond what the process had


def thorough(few: int, many: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.thorough)])


def _hangs(*_: object) -> None:
    raise TimeoutError(f"it took more than {LONGEST} s")


def fuzz(count: int, title: str, make: Callable[[random.Random], T], take: Callable[[T], bool]) -> None:
    """Makes so many inputs, each from dice of its own, so that any one can be had again by its number, and tells how
    long they took to be read or refused. ``take`` says which, and raises for what must not be."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    took, worst, slowest, taken = 0.0, 0.0, 0, 0
    previous = signal.signal(signal.SIGALRM, _hangs)
    try:
        for number in range(count):
            thing = make(random.Random(f"{title} {number}"))
            begun = time.process_time()
            signal.alarm(LONGEST)
            try:
                taken += take(thing)
            except Exception as error:
                raise AssertionError(f"{title} {number}: {type(error).__name__}: {error}") from error
            spent = time.process_time() - begun
            took += spent
            worst, slowest = max((worst, slowest), (spent, number))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    longest = f"the longest {1000 * worst:.0f} ms (number {slowest})"
    print(f"\n{count} {title}: {taken} read, {took:.1f} s of CPU, {longest}, {grown:.0f} MB more")
    assert grown < MOST_MEMORY
    assert 0 < taken < count, "a fuzz that reads all or nothing finds nothing"
