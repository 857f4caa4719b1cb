"""Plays programs on the references, in the worker's own interpreter."""

import builtins
import contextlib
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import torch

from autograder import model, protocol
from autograder.assignments import places
from autograder.assignments.kit import programs
from autograder.protocol import wire
from autograder.worker.interpreter import Interpreter
from autograder.worker.loading import standing_in
from reference.stand_in import Ambiguous, ReferenceModule

ATTEMPTS = 300  # about one draw in ten is informative for a search


def prepare(assignment: str, case: model.Case, seed: str, dtype: protocol.Dtype | None = None) -> model.Prepared:
    """Return a case with its expected answer. Draws inputs again while they allow two right answers, or do not show
    what the case is for. Raises RuntimeError after ``ATTEMPTS`` draws, and CourseError for an error in a course's file.
    """
    for attempt in range(ATTEMPTS):
        generator = programs.InputGenerator(seed, assignment, case.id, attempt, dtype)
        with _blamed(assignment, f"the inputs of the case {case.id} can't be made"):
            program = case.build(generator)
        try:
            with _blamed(assignment, f"reference.py has no answer to the case {case.id}"):
                right = right_results(assignment, program, case.errors)
        except Ambiguous:
            continue
        if case.is_informative is None or case.is_informative({result.into: result for result in right}):
            asked = msgspec.structs.replace(program, reference_steps=())
            return model.Prepared(case.id, asked, right[: len(asked.steps)])
    raise RuntimeError(f"{assignment}: no unambiguous inputs for case {case.id} in {ATTEMPTS} attempts")


@contextlib.contextmanager
def _blamed(assignment: str, words: str) -> Iterator[None]:
    """Turn an error in a file of a course into CourseError, with ``words``."""
    try:
        yield
    except Exception as error:
        if assignment not in places.of_courses() or isinstance(error, Ambiguous):
            raise
        raise places.blamed(error, words) from error


def right_results(
    assignment: str, program: protocol.Program, errors: Sequence[str] = ("ValueError",)
) -> tuple[protocol.StepResult, ...]:
    """Return what a right submission shows in each step of ``program``, then in its ``reference_steps``.

    ``errors``: the built-in errors that may be part of it. By default it is the one that the contract demands.
    """
    return Player(assignment, program).right_results(tuple(getattr(builtins, name) for name in errors))


class Player:
    """Plays one program on the references of an assignment, or on wrong variants of them."""

    def __init__(self, assignment: str, program: protocol.Program) -> None:
        torch.set_num_threads(1)  # small tensors gain nothing from threads, and this process may be forked
        ReferenceModule.draws_weights = False
        self.names = vars(places.imported(places.reference_name(assignment)))
        self.is_of_course = assignment in places.of_courses()
        self.program = program
        self.steps = (*program.steps, *program.reference_steps)
        self.asked = _in_float64(program, self.steps)
        self.without_gradients = self.asked.with_calls(wrt=(), modules=(), cotangents=())

    def right_results(self, errors: tuple[type[Exception], ...]) -> tuple[protocol.StepResult, ...]:
        """See the function ``right_results``. Other errors of the references propagate."""
        return self._play(self.asked, {}, errors)

    def shown(self, names: Mapping[str, Any], gradients: bool = True) -> tuple[protocol.StepResult, ...]:
        """Return what a wrong submission shows, whose ``names`` replace the right ones. Any error is part of the
        answer. Without ``gradients``, none are computed, which halves the cost."""
        return self._play(self.asked if gradients else self.without_gradients, names, (Exception,))

    def _play(
        self, asked: protocol.Program, names: Mapping[str, Any], errors: tuple[type[Exception], ...]
    ) -> tuple[protocol.StepResult, ...]:
        module = types.ModuleType("reference")
        played = msgspec.structs.replace(asked, steps=tuple(step for step in asked.steps if not _is_free(step)))
        with self._exchanged(names), standing_in(asked.stand_ins, self.names):
            vars(module).update(self.names, **names)
            interpreter = Interpreter(module, module.__name__, played, errors=errors)
            results = iter(interpreter.run())
        return tuple(
            _free_result(step) if _is_free(step) else self._completed(step, next(results), interpreter.made)
            for step in self.steps
        )

    @contextlib.contextmanager
    def _exchanged(self, names: Mapping[str, Any]) -> Iterator[None]:
        """Let the reference of a course use the wrong names too, wherever its functions and classes call them.

        The package's assignments list in each mistake what uses the wrong place.
        """
        right = {name: self.names[name] for name in names if name in self.names} if self.is_of_course else {}
        self.names.update({name: names[name] for name in right})
        try:
            yield
        finally:
            self.names.update(right)

    def _completed(
        self, step: protocol.Step, result: protocol.StepResult, made: Mapping[str, Any]
    ) -> protocol.StepResult:
        """Add what needs no play: gradients of unused inputs are 0, and a call leaves its inputs as they are."""
        arrays = self.program.arrays
        if isinstance(step, protocol.Call) and step.echo and not result.raised:
            echoes = {ref.name: arrays[ref.name] for ref in step.refs if ref.name in arrays}
            result = msgspec.structs.replace(result, echoes=echoes)
        unused = [name for name, gradient in result.gradients.items() if gradient is None]
        if unused:
            zeros = {name: wire.to_array(np.zeros(self._shape(name, made))) for name in unused}
            result = msgspec.structs.replace(result, gradients=result.gradients | zeros)
        return result

    def _shape(self, name: str, made: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the shape of an array, or of a parameter: ``module.weight``."""
        if name in self.program.arrays:
            return self.program.arrays[name].shape
        module, _, parameter = name.partition(".")
        return tuple(dict(made[module].named_parameters())[parameter].shape)


def _is_free(step: protocol.Step) -> bool:
    return isinstance(step, protocol.Call) and bool(step.free)


def _free_result(step: protocol.Step) -> protocol.StepResult:
    """Return results of the right dtypes and shapes for a call that no reference makes. Nobody reads their values."""
    assert isinstance(step, protocol.Call)
    values = [protocol.Tensor(wire.to_array(np.zeros(one.shape, one.dtype))) for one in step.free]
    return protocol.StepResult(
        step.into, value=values[0] if len(values) == 1 else protocol.Sequence("tuple", tuple(values))
    )


def _in_float64(program: protocol.Program, steps: tuple[protocol.Step, ...]) -> protocol.Program:
    """Return ``steps`` with their inputs in float64 on the CPU, as rounded to the program's dtype. Only what a
    reference can show is asked for."""
    arrays = {}
    for name, array in program.arrays.items():
        values = wire.to_numpy(array)
        arrays[name] = wire.to_array(values.astype(np.float64) if values.dtype.kind == "f" else values)
    asked = msgspec.structs.replace(program, dtype="float64", device="cpu", arrays=arrays, steps=steps)
    return asked.with_calls(trace=False, watch="", echo=False, layout="contiguous")
