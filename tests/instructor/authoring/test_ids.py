"""Ids of a course's checks: the prefix of hidden ones, and those that occur twice."""

from __future__ import annotations

import pytest

from autograder import author, model
from autograder.author import function, module, part, shapes, values
from autograder.instructor.authoring.problem import Files, Problem
from autograder.instructor.authoring.problems import ids_twice

NORM = function("layer_norm", x="B d", returns={"result": "B d"})


def checks_of(**options: str) -> tuple[model.Check, ...]:
    """The checks of a function and of a class with the same words in their names."""
    layer = module("LayerNorm", init=["d"], **options).call(x="B d", returns={"result": "B d"})
    return (
        *part("layer_norm", values(NORM, 10), shapes(NORM, 5)),
        *part("LayerNorm", values(layer, 10), shapes(layer, 5)),
    )


def told(*checks: model.Check) -> list[Problem]:
    return list(ids_twice(Files("masking"), checks))


def test_a_function_and_a_class_with_one_id_are_one_problem() -> None:
    (problem,) = told(*checks_of())
    assert problem.text.startswith("layer_norm and LayerNorm give their checks the same ids, such as layer-norm-")
    assert 'write id="..." in module(...)' in problem.text


def test_a_class_has_an_id_of_its_own() -> None:
    checks = checks_of(id="norm-layer")
    assert told(*checks) == []
    assert [check.id for check in checks][2:] == ["norm-layer-values", "norm-layer-shapes"]
    assert checks[2].title == "LayerNorm gives the right values"


def test_two_checks_of_a_part_and_two_cases() -> None:
    (twice,) = told(*part("layer_norm", values(NORM, 10), values(NORM, 5, sizes={"d": 4})))
    assert twice.text == '2 checks have the id layer-norm-values; give one of them id="..."'
    one, other = (author.value(name, 5, name).on(author.case("same", lambda _: None)) for name in "ab")
    (cases,) = told(*part("layer_norm", one.expects(author.RIGHT), other.expects(author.RIGHT)))
    assert cases.text == "2 different cases have the name same; rename one"
    shared = author.case("same", lambda _: None)
    both = [author.value(name, 5, name).on(shared).expects(author.RIGHT) for name in "ab"]
    assert told(*part("layer_norm", *both)) == []


@pytest.mark.parametrize("name", ["layer-norm-small", "hidden-layer-norm-small"])
def test_the_prefix_of_hidden_checks_stands_once(name: str) -> None:
    hidden = values(NORM, 10, id=name).as_hidden()
    assert hidden.id == "hidden-layer-norm-small"
    assert [case.id for case in hidden.cases] == [f"hidden-layer-norm-small-{number}" for number in (0, 1)]
    assert hidden.visibility == "hidden"
    only = model.Assertion("values", "out", {}, (f"{name}-0",))
    narrowed = model.Check(name, name, "value", 5, hidden.cases, (only,)).as_hidden()
    assert narrowed.assertions[0].cases == ("hidden-layer-norm-small-0",)
