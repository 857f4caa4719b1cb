"""What known mistakes would show: for each topic wrong variants of the references, one mistake each.

A variant puts wrong names in the place of right ones; played on a case by the oracle, it gives the answer of a
student who makes this mistake. The words for a cause are in ``causes``. Not part of a student's installation:
what the variants show in the public cases is shipped instead.
"""

from __future__ import annotations

import importlib

from autograder import evidence, model, oracle, wire
from autograder.misconceptions.variant import Variant

__all__ = ["Variant", "mistaken", "variants"]


def variants(topic: str) -> tuple[Variant, ...]:
    """A topic's known mistakes."""
    return tuple(importlib.import_module(f"autograder.misconceptions.{topic}").VARIANTS)


def mistaken(topic: str, prepared: model.Prepared) -> tuple[model.Mistaken, ...]:
    """What each variant that shows in this case would answer, as far as it differs from what is due."""
    if prepared.program.device == "meta":  # no numbers, no differences
        return ()
    used = _used(prepared.program)
    due = evidence.table(prepared.program, prepared.expected)
    found = (
        _mistaken(topic, prepared, variant, due)
        for variant in variants(topic)
        if used & (variant.where or variant.names.keys())
    )
    return tuple(one for one in found if one.arrays or one.raises)


def _used(program: model.Program) -> set[str]:
    """What a program makes and calls, in the submission's names: ``Seq2Seq``, ``Seq2Seq.forward``, ``train_step``,
    and with a setting ``LuongAttention(general)``."""
    makes = [step for step in program.steps if isinstance(step, model.Make)]
    settings = {
        f"{s.name}({arg})" for s in makes for arg in (*s.args, *s.kwargs.values()) if isinstance(arg, str)
    }
    return {step.name for step in makes} | settings | program.targets


def _mistaken(topic: str, prepared: model.Prepared, variant: Variant, due: evidence.Table) -> model.Mistaken:
    """Gradients are taken only where no value differs: a wrong value explains whatever follows from it."""
    program = prepared.program
    seen = oracle.shown(topic, program, variant.names, gradients=False)
    other = _other(program, seen, due)
    if not any(key.what == "value" for key in other):
        seen = oracle.shown(topic, program, variant.names)
        other = _other(program, seen, due)
    right = {one.into for one in prepared.expected if one.raised is None}
    return model.Mistaken(
        variant=variant.id,
        cause=variant.cause,
        arrays=tuple((*key, wire.to_array(evidence.kept(values))) for key, values in other.items()),
        raises=tuple(one.into for one in seen if one.raised and one.into in right),
        whole=variant.whole,
    )


def _other(program: model.Program, seen: tuple[model.Seen, ...], due: evidence.Table) -> evidence.Table:
    """What differs from what is due: values, or where all of them are right, gradients and parameters."""
    other = {
        key: values
        for key, values in evidence.table(program, seen).items()
        if key in due and not evidence.same(values, due[key], program.dtype, key.what)
    }
    return {key: values for key, values in other.items() if key.what == "value"} or other
