"""What known mistakes would show. Each assignment has wrong variants of its references, with one mistake each.

A variant replaces some right names by wrong ones. Played on a case, it gives the answer of a student who makes this
mistake. ``autograder/assignments/*/causes.py`` words the causes. Students do not get the variants, only what they show
in the public cases.
"""

import functools

from autograder import model, protocol
from autograder.assignments import places
from autograder.assignments.kit.hidden.variant import Variant
from autograder.instructor import oracle
from autograder.instructor.authoring import words
from autograder.judge import result_tables, same_answer, source
from autograder.protocol import wire

__all__ = ["Variant", "played", "used_in", "variant_answers", "variants"]


def variants(assignment: str) -> tuple[Variant, ...]:
    """Return the known mistakes of an assignment."""
    if assignment in places.of_courses():
        return tuple(one.variant for one in words.mistakes(assignment))
    return tuple(places.imported(places.module_name(assignment, "hidden.mistakes")).VARIANTS)


def variant_answers(assignment: str, prepared: model.Prepared) -> tuple[model.VariantAnswer, ...]:
    """Return how the answer of each variant differs from the expected one, for those that differ in this case."""
    if prepared.program.device == "meta":  # without numbers, nothing differs
        return ()
    used = used_in(assignment, prepared.program)
    player = oracle.Player(assignment, prepared.program)
    expected = result_tables.table(prepared.program, prepared.expected_results)
    answers = (
        _answer(player, prepared, variant, expected)
        for variant in variants(assignment)
        if used & (variant.where or variant.names.keys())
    )
    return tuple(answer for answer in answers if answer.arrays or answer.raises)


def played(assignment: str, variant: str, program: protocol.Program) -> tuple[protocol.StepResult, ...]:
    """Return all results of the reference that has the mistake ``variant`` in it, gradients included."""
    found = next(one for one in variants(assignment) if one.id == variant)
    return oracle.Player(assignment, program).shown(found.names)[: len(program.steps)]


def used_in(assignment: str, program: protocol.Program) -> set[str]:
    """Return what a program makes and calls, in the submission's names: ``Seq2Seq``, ``Seq2Seq.forward``,
    ``train_step``, and with a setting ``LuongAttention(general)``. In a course's assignment also what these use in the
    reference."""
    makes = [step for step in program.steps if isinstance(step, protocol.Make)]
    settings = {f"{s.name}({arg})" for s in makes for arg in (*s.args, *s.kwargs.values()) if isinstance(arg, str)}
    called = {step.name for step in makes} | program.targets
    if assignment not in places.of_courses():
        return called | settings
    return called.union(settings, *(_named_by(assignment, name.partition(".")[0]) for name in called))


@functools.cache
def _named_by(assignment: str, name: str) -> frozenset[str]:
    """Return what a function or class of a course's reference names, itself or by what it uses."""
    return frozenset(_reference(assignment).named(name))


@functools.cache
def _reference(assignment: str) -> source.Source:
    """Return the source of a course's reference."""
    return source.Source("script", (places.folder(assignment).joinpath("reference.py").read_bytes(),))


def _answer(
    player: oracle.Player, prepared: model.Prepared, variant: Variant, expected: result_tables.Table
) -> model.VariantAnswer:
    """Return what differs. Gradients are played only where no value differs, for they follow from the values."""
    program = prepared.program
    results = player.shown(variant.names, gradients=False)
    different = _different(program, results, expected)
    if not any(key.what == "value" for key in different):
        results = player.shown(variant.names)
        different = _different(program, results, expected)
    right = {result.into for result in prepared.expected_results if result.raised is None}
    return model.VariantAnswer(
        variant=variant.id,
        cause=variant.cause,
        arrays=tuple((*key, wire.to_array(result_tables.as_stored(values))) for key, values in different.items()),
        raises=tuple(result.into for result in results if result.raised and result.into in right),
        whole=variant.whole,
    )


def _different(
    program: protocol.Program, results: tuple[protocol.StepResult, ...], expected: result_tables.Table
) -> result_tables.Table:
    """Return the values that differ from the expected ones. If all are right, the gradients and parameters that do."""
    different = {
        key: values
        for key, values in result_tables.table(program, results).items()
        if key.what == "structure"
        or (key in expected and not same_answer.same(values, expected[key], program.dtype, key.what))
    }
    return {key: values for key, values in different.items() if key.what == "value"} or different
