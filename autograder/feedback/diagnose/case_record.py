"""One case of a submission: actual and expected results, as named arrays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec
import numpy as np

from autograder import assignments, model, protocol
from autograder.feedback import axes
from autograder.judge import result_tables, same_answer
from autograder.judge.result_tables import Key, Table
from autograder.protocol import wire

# function that hides positions without a mask -> its input with the positions
WINDOWS: dict[str, str] = assignments.gathered("signs", "WINDOWS")
EXTREME = 75.0  # exp overflows in single precision from about 88


class CaseRecord:
    """A case and its answer; ``answer`` is None where the submission gave none."""

    def __init__(self, prepared: model.Prepared, answer: protocol.Answer | None) -> None:
        self.prepared = prepared
        self.program = prepared.program
        self.answer = answer
        self.dtype = prepared.program.dtype
        self.targets = prepared.program.targets
        self.classes = prepared.program.classes

    @cached_property
    def expected(self) -> Table:
        """The results of a right submission."""
        return result_tables.table(self.program, self.prepared.expected_results)

    @cached_property
    def actual(self) -> Table:
        """The results of this submission; empty where they can't be read."""
        if self.program.device == "meta":  # which has no numbers
            return {}
        try:
            return result_tables.table(self.program, self.answer.results if self.answer else ())
        except wire.WireError:
            return {}

    @cached_property
    def raised(self) -> dict[str, protocol.Raised]:
        """The exceptions of steps that must not raise, without the steps skipped after them."""
        right = {result.into for result in self.prepared.expected_results if result.raised is None}
        results = self.answer.results if self.answer else ()
        return {
            one.into: one.raised
            for one in results
            if one.raised and one.into in right and one.raised.during != "skipped"
        }

    @cached_property
    def wrong(self) -> tuple[Key, ...]:
        """The wrong results: values; where all values are right, gradients and parameters."""
        values = tuple(key for key in self.all_wrong if key.what == "value")
        return self._first(values) or values or self.all_wrong

    @cached_property
    def all_wrong(self) -> tuple[Key, ...]:
        """All wrong results."""
        return tuple(
            key
            for key, actual in self.actual.items()
            if key.what == "structure"
            or (key in self.expected and not same_answer.same(actual, self.expected[key], self.dtype, key.what))
        )

    def _first(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """Return those of ``keys`` whose call takes no wrong result of an earlier call."""
        wrong = {key.step for key in keys}
        follows = {
            call.into
            for call in self.program.calls
            if any(isinstance(arg, protocol.Ref) and arg.name in wrong for arg in call.args)
        }
        return tuple(key for key in keys if key.step not in follows)

    def pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the actual and expected array of each value, whatever their shapes."""
        for key, actual in self.actual.items():
            if key.what == "value" and key in self.expected:
                yield actual, self.expected[key]

    @property
    def drawing(self) -> set[str]:
        """The steps that drew random numbers."""
        return {one.into for one in (self.answer.results if self.answer else ()) if one.drew}

    @property
    def right(self) -> bool:
        """Whether there is an answer without anything wrong."""
        return bool(self.actual) and not self.wrong and not self.raised

    def agrees(self, other: CaseRecord) -> bool:
        """Whether two answers to one case are the same, up to rounding."""
        keys = self.actual.keys() | other.actual.keys()
        return all(
            key in self.actual
            and key in other.actual
            and same_answer.same(self.actual[key], other.actual[key], self.dtype, key.what)
            for key in keys
        )

    def alone(self) -> model.Prepared:
        """Return the case with only its first wrong call; the whole case where that call depends on others."""
        steps, calls = self.program.steps, {call.into for call in self.program.calls}
        wrong = {key.step for key in self.wrong} | self.raised.keys()
        first = next((call for call in self.program.calls if call.into in wrong), None)
        needed = {arg.name for arg in first.args if isinstance(arg, protocol.Ref)} if first else set()
        if first is None or needed & calls or any(isinstance(step, protocol.Optimizer) for step in steps):
            return self.prepared
        kept = tuple(step for step in steps if isinstance(step, protocol.Make) or step is first)
        names = {getattr(step, "into", "") for step in kept}
        expected_results = tuple(result for result in self.prepared.expected_results if result.into in names)
        program = msgspec.structs.replace(self.program, steps=kept)
        return model.Prepared(self.prepared.id, program, expected_results)

    @cached_property
    def extreme(self) -> bool:
        """Whether an input is so large that exp of the scores may overflow."""
        return any(
            np.abs(array).max(initial=0) > EXTREME
            for name, array in self.arrays.items()
            if array.dtype.kind == "f" and not name.endswith(tuple(WINDOWS.values()))  # these are positions, not scores
        )

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """The inputs, by name."""
        return {name: wire.to_numpy(array) for name, array in self.program.arrays.items()}

    @cached_property
    def masked(self) -> bool:
        """Whether some positions are masked."""
        masks = any(array.dtype == np.bool_ and not array.all() for array in self.arrays.values())
        return masks or bool(WINDOWS.keys() & self.targets) or any("lengths" in name for name in self.arrays)

    @cached_property
    def changed(self) -> bool:
        """Whether a call changed one of its inputs."""
        expected = {one.into: one.echoes for one in self.prepared.expected_results}
        if any(one.changed for one in (self.answer.results if self.answer else ())):
            return True
        return any(
            name in expected.get(one.into, {}) and expected[one.into][name].data != echo.data
            for one in (self.answer.results if self.answer else ())
            for name, echo in one.echoes.items()
        )

    @cached_property
    def wrong_calls(self) -> tuple[protocol.Call, ...]:
        """The wrong calls; all calls where none is wrong."""
        wrong = {key.step for key in self.wrong} | self.raised.keys()
        return tuple(call for call in self.program.calls if call.into in wrong) or self.program.calls

    def shapes(self, call: protocol.Call) -> list[tuple[int, ...]]:
        """Return the shapes of a call's array arguments."""
        return [self.arrays[ref.name].shape for ref in call.refs if ref.name in self.arrays]

    @cached_property
    def axes(self) -> list[dict[str, int]]:
        """For each wrong call the lengths of its arguments' axes, by name."""
        return [axes.lengths(call, self.program) for call in self.wrong_calls]

    @property
    def longest(self) -> int:
        """The greatest length of a sentence, of the queries or of the keys."""
        return max((n for named in self.axes for name, n in named.items() if name.startswith("T")), default=0)

    def target(self, into: str) -> str:
        """Return the function or method that a step calls, by the submission's name."""
        step = self.program.named[into]
        assert isinstance(step, protocol.Call)
        return self.program.target(step)
