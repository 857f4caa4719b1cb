"""How checks are written."""

from __future__ import annotations

import pytest

from autograder import protocol
from autograder.assignments.kit.assertions import RIGHT, each, expect, only_in, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value
from autograder.assignments.kit.observed import untouched, watched
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder, inspected


def once(builder: ProgramBuilder, *shape: int, name: str = "f", gradient: bool = False) -> None:
    """Call ``name`` once on Gaussian values."""
    builder.call("out", name, builder.normal("x", *shape), outputs={"y": shape}, gradient=gradient)


ONE, HIDDEN = case("one", once, 2, 3), case("hidden-one", once, 2)


def built(one: object, **generator: object) -> protocol.Program:
    """Return a case's program."""
    return one.build(InputGenerator("seed", "assignment", "case", **generator))  # type: ignore[attr-defined, arg-type, no-any-return]


def test_a_check_reads_from_left_to_right() -> None:
    first, second = part(
        "layer",
        "Shapes",
        value("right", 2, "It is right").on(ONE).expects(RIGHT, expect("same", "first", other="out")),
        "Rules",
        gradient("slope", 0.5, "It has a gradient").on(HIDDEN).expects(expect("gradients", "out", "next")),
    )
    assert (first.id, first.points, first.title, first.kind) == ("right", 2, "It is right", "value")
    assert (first.section, first.visibility, second.section, second.visibility) == (
        "Shapes",
        "public",
        "Rules",
        "hidden",
    )
    assert first.part == second.part == "layer"
    assert [(one.name, one.step, one.options) for one in first.assertions] == [
        ("shapes", "out", {}),
        ("values", "out", {}),
        ("same", "first", {"other": "out"}),
    ]
    assert [(one.name, one.step) for one in second.assertions] == [("gradients", "out"), ("gradients", "next")]


def test_public_and_hidden_cases_do_not_mix() -> None:
    with pytest.raises(ValueError, match="mixes public and hidden"):
        value("both", 1, "Both").on(ONE, HIDDEN).expects(RIGHT)


def test_assertions_of_several_steps_go_step_by_step() -> None:
    assert right("a", "b") == each(["a", "b"], "shapes", "values")
    assert [one.cases for one in only_in([ONE], RIGHT)] == [("one",)] * 2


@pytest.mark.parametrize(("pinned", "dtype"), [(False, "float64"), (True, "float32")])
def test_a_pinned_case_keeps_its_dtype(pinned: bool, dtype: str) -> None:
    assert built(case("one", once, 2, dtype="float32", pinned=pinned), dtype="float64").dtype == dtype


def test_a_gradient_is_that_of_floating_inputs_and_of_the_object() -> None:
    builder = ProgramBuilder(InputGenerator("s", "a", "c"))
    builder.make("module", "Module", weights={"w": (2,)})
    x, mask = builder.normal("x", 2), builder.array("mask", [True, False])
    builder.call("out", "module.score", x, mask, x, outputs={"y": (2,), "z": None}, gradient=True)
    (call,) = builder.program().calls
    assert (call.wrt, call.modules, call.cotangents) == (("x",), ("module",), ("out.cotangent.y", None))


def test_an_inspection_precedes_the_call_and_parameters_follow() -> None:
    steps = built(case("one", inspected, "arguments", "Module", once, 2, methods=[".forward"], made="module")).steps
    assert [step.into for step in steps if not isinstance(step, protocol.SetGrads)] == [
        "arguments",
        "arguments.forward",
        "out",
        "parameters",
    ]


def test_one_check_judges_the_calls_of_all_cases() -> None:
    other = case("other", once, 2, name="g")
    rule = value("rule", 1, "Rule").on(ONE).expects(untouched("softmax", later="", by=["f"]), RIGHT)
    checks = (rule, value("more", 1, "More").on(case("two", once, 5), other).expects(RIGHT))
    rule, more = watched(checks, "softmax", {"rule": ["f"]}, traced=1.0)
    assert [one.id for one in rule.cases] == ["one", "two"]
    assert [one.cases for one in rule.assertions] == [(), ("one",), ("one",)]
    calls = [built(one).calls[0] for one in more.cases]
    assert [(call.trace, call.watch) for call in calls] == [(True, "softmax"), (False, "")]
