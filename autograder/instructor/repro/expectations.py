"""What a check asserts about a case, as lines of Python for ``embedded.comparing.Case``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder import model, protocol
from autograder.instructor.repro.literals import Literals
from autograder.judge import blocked, tolerances
from autograder.judge.numbers import RELATIVE
from autograder.judge.quizzes import LETTERS
from autograder.model import tokens
from autograder.protocol import wire

# The assertions whose names the script needs for what a step gives.
RENAMED = {
    "gradients": "gradients_right",
    "state": "state_right",
    "mode": "mode_kept",
    "device": "device_kept",
    "numbers": "numbers_equal",
}
STATE = 1e-6  # the room of the assertion ``state``
SUMS = 1e-5  # and of ``sums``


class Expectations:
    """One case of a check, for one submission. ``guarded`` leaves room for a guard, which the grader forgives."""

    def __init__(
        self,
        check: model.Check,
        prepared: model.Prepared,
        literals: Literals,
        guarded: bool,
        work: model.Submission | None = None,
    ) -> None:
        self.work = work
        self.prepared, self.program, self.literals = prepared, prepared.program, literals
        self.guarded = guarded or self.program.dtype == "float32"
        ordered = blocked.in_order(check)
        self.assertions = [one for one in ordered if not one.cases or prepared.case in one.cases]

    @property
    def recorded(self) -> set[str]:
        """The calls whose operations an assertion looks at."""
        return {into for one in self.assertions if one.name == "untouched" for into in self._observed(one)}

    def lines(self) -> Iterator[str]:
        """Yield what the steps must give, then the assertions."""
        for result in self.prepared.expected_results:
            if given := ", ".join(self._given(result)):
                yield f"case.expect({result.into!r}, {given})"
        for assertion in self.assertions:
            name = RENAMED.get(assertion.name, assertion.name)
            options = self._options(assertion)
            if assertion.name == "device" and self.program.device != "meta":
                name, options = "values", self._room()
            for step in self._observed(assertion) if assertion.name == "untouched" else [assertion.step]:
                yield _call(name, step, options)

    # ---- what a right submission gives

    def _given(self, result: protocol.StepResult) -> Iterator[str]:
        step = self.program.named.get(result.into)
        if isinstance(step, protocol.Call) and result.value is not None and not result.raised:
            several = len(step.outputs) > 1 and isinstance(result.value, protocol.Sequence)
            values = result.value.items if several and isinstance(result.value, protocol.Sequence) else (result.value,)
            yield f"outputs={self._table(dict(zip(step.outputs, values, strict=False)))}"
            if several:
                yield f"count={len(values)}"
        if result.gradients:
            yield f"gradients={self._table(result.gradients)}"
        if result.parameters:
            yield f"parameters={self._table(result.parameters)}"
        if result.training is not None:
            yield f"training={result.training}"
        if result.interface:
            yield f"interface={_interface(result.interface)!r}"

    def _table(self, values: dict[str, Any]) -> str:
        rows = "".join(f"        {name!r}: {self._value(value)},\n" for name, value in values.items())
        return f"{{\n{rows}    }}"

    def _value(self, value: Any) -> str:
        match value:
            case protocol.Tensor(array) | (protocol.Array() as array):
                return self.literals.array(array, "        ")
            case protocol.Scalar(bool() | int() | float() as number):
                return repr(number)
        return "None"

    # ---- assertions

    def _options(self, assertion: model.Assertion) -> dict[str, Any]:
        """Return the options of an assertion, with its room in numbers."""
        given = dict(assertion.options)
        if "only" in given:
            given["only"] = list(given["only"] or ())
        relative, of_largest = given.pop("relative", 0.0), given.pop("of_largest", 0.0)
        match assertion.name:
            case "values" | "same" | "permuted":
                given |= self._room(relative, of_largest)
            case "gradients":
                given["distributions"] = dict(given.get("distributions") or {})
                given |= self._room(relative, of_largest) | {"scale": self._scale(assertion.step)}
            case "state":
                given |= self._room(relative or STATE, of_largest or STATE)
            case "sums":
                tolerance = max(given.pop("tolerance", SUMS), self._condition)
                given = {"axis": -1} | given | {"relative": self._condition, "of_largest": tolerance}
            case "numbers" | "placed":
                given["relative"] = relative or RELATIVE
            case "chosen":
                given = {"place": given["place"], "letter": self._letter(**given)}
            case "unchanged":  # inputs that a later call overwrites are not looked at
                given["inputs"] = list(self.prepared.expected[assertion.step].echoes)
            case "untouched":
                given = {"later": []} | given
                given.pop("by", None)
        return given

    def _letter(self, question: str, options: Sequence[str], right: str, **_: Any) -> str:
        """Return the letter of the right option, in the order of the submission's token."""
        text = tokens.written(self.work) if self.work else None
        return LETTERS[tokens.shuffled(text, question, options).index(right)]

    def _room(self, relative: float = 0.0, of_largest: float = 0.0) -> dict[str, Any]:
        """Return how far results may be off: the table's tolerance, or what rounded inputs would change."""
        base = tolerances.tolerance(self.program, relative, of_largest, self.guarded)
        return {"relative": max(base.relative, self._condition), "of_largest": max(base.of_largest, self._condition)}

    @property
    def _condition(self) -> float:
        floating = [array for array in self.program.arrays.values() if tolerances.KINDS[array.dtype] == "float"]
        return tolerances.condition(self.program.dtype, max(map(_largest, floating), default=0.0))

    def _scale(self, step: str) -> float:
        call = self.program.named[step]
        cotangents = call.cotangents if isinstance(call, protocol.Call) else ()
        known = [self.program.arrays[name] for name in cotangents if name]
        known += [one for one in self.prepared.expected[step].gradients.values() if one is not None]
        return max(map(_largest, known), default=0.0)

    def _observed(self, assertion: model.Assertion) -> list[str]:
        by = assertion.options.get("by", ())
        if not by:
            return [assertion.step]
        return [call.into for call in self.program.calls_of(by) if call.is_observed]


def _call(name: str, step: str, options: dict[str, Any]) -> str:
    return f"case.{name}({', '.join([repr(step), *(f'{key}={value!r}' for key, value in options.items())])})"


def _largest(array: protocol.Array) -> float:
    return float(np.abs(wire.to_numpy(array)).max(initial=0.0))


def _interface(found: protocol.Interface) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "arguments": list(found.arguments),
        "required": list(found.required),
        "parameters": {one.name: one.shape for one in found.parameters},
    }
