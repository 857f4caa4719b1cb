"""What an author says about inputs, and what is said about a wrong line."""

from __future__ import annotations

import pytest

from autograder.assignments import places
from autograder.instructor.authoring.suggest import declared, subjects
from autograder.instructor.authoring.suggest.declared import DeclaredError
from autograder.instructor.authoring.suggest.survey import Survey
from autograder.instructor.authoring.suggest.trying import Bench

LUONG = subjects.assignment("luong", places.place("luong").solution.read_text())

WRONG = {
    "local_weights": "is no call with named arguments, such as",
    "local_weights(": "is no call:",
    'local_weights("B T")': "is no call with named arguments",
    "local_weigths(half_width=3)": "there is no local_weigths; did you mean local_weights?",
    "local_weights(width=3)": "takes no width; it takes scores, center, half_width",
    'local_weights(scores=masc("B T"))': 'masc("B T"): NameError',
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_gets_a_clear_error(line: str) -> None:
    with pytest.raises(DeclaredError) as error:
        declared.table(LUONG, [line])
    assert WRONG[line] in str(error.value)


def test_later_lines_add_to_earlier_ones() -> None:
    lines = ["local_weights(half_width=3, center=uniform('B', 0, 9))", "local_weights(half_width=5)"]
    assert declared.table(LUONG, lines) == {"local_weights": {"half_width": "5", "center": 'uniform("B", 0, 9)'}}


def test_what_is_declared_is_used() -> None:
    lines = ["local_weights(half_width=5)", 'LuongAttention(method=constant("general"))', "LuongAttention.score()"]
    found = Survey(Bench("luong"), LUONG, declared.table(LUONG, lines))
    drafts = [form.tried.draft for form in found.forms if form.is_main]
    assert {draft.arguments.get("half_width") for draft in drafts if draft.name == "local_weights"} == {"5"}
    (made,) = (one.draft for one in found.made["LuongAttention"])
    assert 'constant("general")' in made.init
