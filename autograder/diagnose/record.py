"""One case of a submission: what it showed beside what was due, as named arrays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec
import numpy as np

from autograder import axes, evidence, model, wire
from autograder.evidence import Key, Table

EXTREME = 75.0  # exp of a little more overflows in single precision


class Record:
    """A case and its answer; ``answer`` is None where none came."""

    def __init__(self, prepared: model.Prepared, answer: model.Answer | None) -> None:
        self.prepared = prepared
        self.program = prepared.program
        self.answer = answer
        self.dtype = prepared.program.dtype
        self.targets = prepared.program.targets
        self.classes = prepared.program.classes

    @cached_property
    def due(self) -> Table:
        """What a right submission shows."""
        return evidence.table(self.program, self.prepared.expected)

    @cached_property
    def came(self) -> Table:
        """What this one showed; empty where nothing can be read."""
        if self.program.device == "meta":  # there are no numbers; zeros that were read are none either
            return {}
        try:
            return evidence.table(self.program, self.answer.seen if self.answer else ())
        except wire.WireError:
            return {}

    @cached_property
    def raised(self) -> dict[str, model.Raised]:
        """The steps that raised where nothing was to be raised; not those that were skipped for it."""
        right = {seen.into for seen in self.prepared.expected if seen.raised is None}
        seen = self.answer.seen if self.answer else ()
        return {
            one.into: one.raised
            for one in seen
            if one.raised and one.into in right and one.raised.during != "skipped"
        }

    @cached_property
    def wrong(self) -> tuple[Key, ...]:
        """What came and is not as due: values, or where all of them are right, gradients and parameters."""
        values = tuple(key for key in self.all_wrong if key.what == "value")
        return self._first(values) or values or self.all_wrong

    @cached_property
    def all_wrong(self) -> tuple[Key, ...]:
        """Everything that came and is not as due."""
        return tuple(
            key
            for key, came in self.came.items()
            if key in self.due and not evidence.same(came, self.due[key], self.dtype, key.what)
        )

    def _first(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """Those of ``keys`` that do not only follow from another: whose call takes no wrong result of an earlier."""
        wrong = {key.step for key in keys}
        follows = {
            call.into
            for call in self.program.calls
            if any(isinstance(arg, model.Ref) and arg.name in wrong for arg in call.args)
        }
        return tuple(key for key in keys if key.step not in follows)

    def pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What came beside what was due, of every value that is there, whatever its shape."""
        for key, came in self.came.items():
            if key.what == "value" and key in self.due:
                yield came, self.due[key]

    @property
    def drew(self) -> bool:
        """Whether a call drew random numbers."""
        return any(one.drew for one in (self.answer.seen if self.answer else ()))

    @property
    def right(self) -> bool:
        """Whether an answer came, and nothing in it is wrong."""
        return bool(self.came) and not self.wrong and not self.raised

    def agrees(self, other: Record) -> bool:
        """Whether two answers to one case show the same."""
        keys = self.came.keys() | other.came.keys()
        return all(
            key in self.came
            and key in other.came
            and evidence.same(self.came[key], other.came[key], self.dtype, key.what)
            for key in keys
        )

    def alone(self) -> model.Prepared:
        """The case with only the first call that went wrong; where that depends on others, as it is."""
        steps, calls = self.program.steps, {call.into for call in self.program.calls}
        wrong = {key.step for key in self.wrong} | self.raised.keys()
        first = next((call for call in self.program.calls if call.into in wrong), None)
        needed = {arg.name for arg in first.args if isinstance(arg, model.Ref)} if first else set()
        if first is None or needed & calls or any(isinstance(step, model.Optimizer) for step in steps):
            return self.prepared
        kept = tuple(step for step in steps if isinstance(step, model.Make) or step is first)
        names = {getattr(step, "into", "") for step in kept}
        expected = tuple(seen for seen in self.prepared.expected if seen.into in names)
        program = msgspec.structs.replace(self.program, steps=kept)
        return model.Prepared(self.prepared.id, program, expected)

    @cached_property
    def extreme(self) -> bool:
        """Whether scores, or weights that make scores, are great enough to leave the range of exp."""
        return any(
            np.abs(array).max(initial=0) > EXTREME
            for name, array in self.arrays.items()
            if array.dtype.kind == "f" and not name.endswith("center")  # a position, not a score
        )

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """The inputs."""
        return {name: wire.to_numpy(array) for name, array in self.program.arrays.items()}

    @cached_property
    def masked(self) -> bool:
        """Whether some positions may not be attended to."""
        masks = any(array.dtype == np.bool_ and not array.all() for array in self.arrays.values())
        return masks or "local_weights" in self.targets or any("lengths" in name for name in self.arrays)

    @cached_property
    def changed(self) -> bool:
        """Whether an input was not as before after a call."""
        due = {one.into: one.echoes for one in self.prepared.expected}
        if any(one.changed for one in (self.answer.seen if self.answer else ())):
            return True
        return any(
            name in due.get(one.into, {}) and due[one.into][name].data != echo.data
            for one in (self.answer.seen if self.answer else ())
            for name, echo in one.echoes.items()
        )

    @cached_property
    def amiss(self) -> tuple[model.Call, ...]:
        """The calls that went wrong; where none did, all of them."""
        wrong = {key.step for key in self.wrong} | self.raised.keys()
        return tuple(call for call in self.program.calls if call.into in wrong) or self.program.calls

    def shapes(self, call: model.Call) -> list[tuple[int, ...]]:
        """The shapes of the arrays that a call takes."""
        names = (arg.name for arg in (*call.args, *call.kwargs.values()) if isinstance(arg, model.Ref))
        return [self.arrays[name].shape for name in names if name in self.arrays]

    @cached_property
    def axes(self) -> list[dict[str, int]]:
        """The named axes of each of these calls' arguments, with their lengths."""
        return [axes.lengths(call, self.program) for call in self.amiss]

    @property
    def longest(self) -> int:
        """The longest of the sentences, queries or keys."""
        return max((n for named in self.axes for name, n in named.items() if name.startswith("T")), default=0)

    def target(self, into: str) -> str:
        """What a call calls, in the submission's names."""
        step = self.program.named[into]
        assert isinstance(step, model.Call)
        return self.program.target(step)
