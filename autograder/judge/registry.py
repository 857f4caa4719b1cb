"""The assertions by name, and the validation of checks that use them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import TypeVar

from autograder import model

F = TypeVar("F", bound=Callable[..., None])

# Each function takes a ``Comparison``, the name of a step and options. It raises ``AssertionFailed`` with the facts.
ASSERTIONS: dict[str, Callable[..., None]] = {}


class InvalidAssertion(Exception):
    """A check uses an assertion that does not exist, or options that the assertion does not take."""


def assertion(function: F) -> F:
    """Register ``function`` under its own name. The name must also be in ``model.AssertionName``."""
    ASSERTIONS[function.__name__] = function
    return function


@functools.cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(ASSERTIONS[name])


def validate(checks: Iterable[model.Check]) -> None:
    """Raise InvalidAssertion for the first assertion that does not exist or does not take its options, or the first
    timed call with the name of another: their questions would be taken for each other.

    The message names the check and the assertion. A suite calls this when it loads.
    """
    timed_calls = set[str]()
    for check in checks:
        for timed in check.timed:
            if timed.name in timed_calls:
                raise InvalidAssertion(f"check {check.id}: two timed calls are called {timed.name!r}; rename one")
            timed_calls.add(timed.name)
        for used in (*check.assertions, *(timed.allowed for timed in check.timed if timed.allowed)):
            if used.name not in ASSERTIONS:
                known = ", ".join(sorted(ASSERTIONS))
                raise InvalidAssertion(f"check {check.id}: there is no assertion {used.name!r}. Known names: {known}.")
            try:
                _signature(used.name).bind(None, used.step, **used.options)
            except TypeError as error:
                raise InvalidAssertion(
                    f"check {check.id}: wrong options for assertion {used.name!r}: {error}."
                ) from None
