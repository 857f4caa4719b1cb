"""Checks of wrong calls: what the reference was seen to refuse with a ValueError, after a call that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder.assignments.kit.calls import Module
from autograder.assignments.kit.inputs import Constant, size_of
from autograder.instructor.authoring.suggest.candidates import Candidate
from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft, constant_name, quoted
from autograder.instructor.authoring.suggest.properties import WEIGHTS
from autograder.instructor.authoring.suggest.survey import Survey

MOST = 4  # of one class or function


def of(survey: Survey) -> Iterator[Candidate]:
    """Yield a check for each wrong call that was seen. A right call beside it must be right."""
    counts: dict[str, int] = {}
    for draft, sizes in survey.bench.refusals:
        forms = (one.tried for one in survey.forms if one.part == draft.name and one.is_main)
        right = next((one.draft for one in forms if not one.is_free), None)
        number = counts[draft.name] = counts.get(draft.name, 0) + 1
        if right is None or number > MOST:
            continue
        if isinstance(draft, CallDraft):
            yield _of_call(draft, sizes, number, right)
        elif not draft.inner:
            yield _of_class(survey, draft, sizes, number, right)


def _of_class(survey: Survey, draft: ModuleDraft, sizes: Mapping[str, int], number: int, right: CallDraft) -> Candidate:
    values = _values(draft, sizes)
    names = [one.name for one in survey.assignment.classes[draft.name].constructor.arguments]
    shown = ", ".join(f"{name}={value!r}" for name, value in zip(names, values, strict=False))
    given = [quoted(one) if isinstance(one, str) else repr(one) for one in values]
    wrong = f"builder.make({', '.join([quoted('wrong'), quoted(draft.name), *given])})"
    return _raises(draft.name, wrong, shown, number, right)


def _of_call(draft: CallDraft, sizes: Mapping[str, int], number: int, right: CallDraft) -> Candidate:
    tag = f"wrong-{number}" if number > 1 else "wrong"
    wrong = CallDraft(draft.name, draft.method, draft.arguments, {"result": ""}, draft.module, draft.numpy, tag)
    given = ", ".join(f"{axis}={size}" for axis, size in sizes.items())
    return _raises(draft.name, f'{wrong.variable}.once(builder, "wrong", {given})', given, number, right, wrong)


def _raises(
    name: str, wrong: str, shown: str, number: int, right: CallDraft, draft: CallDraft | None = None
) -> Candidate:
    function = constant_name(name, "refuses", str(number) if number > 1 else "").lower()
    rows = (f'{right.variable}.once(builder, "fine")', wrong)
    return Candidate(
        part=name,
        kind="raises",
        draft=draft,
        weight=WEIGHTS["raises"],
        options=(quoted(f"{name} raises a ValueError for {shown}"), function, quoted("wrong")),
        defines=f"def {function}(builder: ProgramBuilder) -> None:\n" + "".join(f"    {row}\n" for row in rows),
        subject=quoted(function.replace("_", "-")),
        beside=right,
    )


def _values(draft: ModuleDraft, sizes: Mapping[str, int]) -> list[object]:
    return [_value(one, sizes) for one in draft.built().init if not isinstance(one, Module)]


def _value(one: str | Constant, sizes: Mapping[str, int]) -> object:
    if isinstance(one, str):
        return size_of(one, sizes)
    return size_of(one.axis, sizes) if one.axis else one.value
