"""Assertions about signatures, parameters and the state of modules. Each raises AssertionFailed, or returns None."""

from __future__ import annotations

from typing import Any

from autograder.judge.comparison import AssertionFailed, Comparison
from autograder.judge.registry import assertion

DEFAULT_DTYPE = "float32"  # torch's own, for a module that nobody has converted


@assertion
def signature(case: Comparison, step: str) -> None:
    """Argument names and their order are the contract's. Further arguments must be optional.

    The signature of a function with ``*args``, or of a scripted one, does not show its arguments. There only the
    arguments that it does show are compared.
    """
    actual, expected = case.actual[step].interface, case.expected[step].interface
    if actual is None or expected is None:
        raise AssertionFailed("no-interface", step, "error")
    if actual.kind != expected.kind and expected.kind == "class":
        raise AssertionFailed("wrong-kind", step, actual=actual.kind, expected=expected.kind)
    wanted = expected.arguments[: len(actual.arguments)] if actual.variadic else expected.arguments
    surplus = set(actual.required) - set(expected.required)
    if actual.arguments[: len(wanted)] != wanted or surplus:
        have, want = ", ".join(actual.arguments), ", ".join(expected.arguments)
        without_default = sorted(surplus & set(expected.arguments))
        raise AssertionFailed("wrong-signature", step, actual=have, expected=want, without_default=without_default)


@assertion
def parameters(case: Comparison, step: str) -> None:
    """A module has exactly the contract's parameters, all trainable, and no other persistent state."""
    actual, expected = case.actual[step].interface, case.expected[step].interface
    if actual is None or expected is None or actual.kind != "module":
        raise AssertionFailed("not-a-module", step)
    have = {parameter.name: parameter for parameter in actual.parameters}
    want = {parameter.name: parameter for parameter in expected.parameters}
    both = [name for name in want if name in have]
    paddings = [f"{name}.padding_idx" for name, kind in actual.modules.items() if kind.endswith("padding_idx")]
    facts: dict[str, Any] = {
        "missing": sorted(want.keys() - have.keys()),
        "extra": sorted(have.keys() - want.keys()) + paddings,
        "wrong": {name: [have[name].shape, want[name].shape] for name in both if have[name].shape != want[name].shape},
        "frozen": [name for name in both if not have[name].requires_grad],
        "buffers": list(actual.persistent_buffers),
    }
    if any(facts.values()):
        raise AssertionFailed("wrong-parameters", step, **facts)
    for name, parameter in have.items():
        if parameter.dtype != DEFAULT_DTYPE:
            raise AssertionFailed("made-in-dtype", step, name=name, actual=parameter.dtype, expected=DEFAULT_DTYPE)


@assertion
def state(case: Comparison, step: str, relative: float = 1e-6, of_largest: float = 1e-6) -> None:
    """The module's parameters have the expected values."""
    tolerance = case.tolerance(relative, of_largest)
    for name, wanted in case.expected[step].parameters.items():
        array, expected = case.actual[step].parameters.get(name), case.numpy(wanted)
        if array is None or array.shape != expected.shape:
            raise AssertionFailed("wrong-parameters", step, missing=[name], extra=[], wrong={}, frozen=[], buffers=[])
        difference = case.difference(case.numpy(array), expected, tolerance)
        if difference:
            raise AssertionFailed("wrong-update", step, name=name, difference=difference)


@assertion
def mode(case: Comparison, step: str) -> None:
    """The module is in the same mode, train or eval, as before."""
    expected = case.expected[step].training
    if case.actual[step].training is not expected:
        raise AssertionFailed("changed-mode", step, expected="train" if expected else "eval")
