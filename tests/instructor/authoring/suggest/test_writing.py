"""The text of the files that hold proposed checks."""

from __future__ import annotations

import ast

from autograder.instructor.authoring.suggest.candidates import Candidate
from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft
from autograder.instructor.authoring.suggest.writing import HIDDEN, PUBLIC, files

LAYER = ModuleDraft("Layer", ('"d"', '"e"'), {f"W_{name}.weight": "d e" for name in "abcdefgh"})
CALL = CallDraft("Layer", "", {"value": '"B T d"'}, {"weights": "B T"}, LAYER)
OTHER = CallDraft("Layer", "score", {"value": '"B T d"'}, {"result": "B T"}, LAYER)
REFUSES = """def layer_refuses(builder: ProgramBuilder) -> None:
    LAYER_CALL.once(builder, "fine")
    builder.make("wrong", "Layer", 3)
"""
CHECKS = [
    Candidate("Layer", "values", CALL, 5.0, is_public=True),
    Candidate("Layer", "strides", CALL, 1.0),
    Candidate("Layer", "values", OTHER, 1.0, tag="score", words="for a score"),
    Candidate(
        "Layer",
        "raises",
        None,
        1.0,
        ('"Layer refuses 3"', "layer_refuses", '"wrong"'),
        defines=REFUSES,
        subject='"no"',
        beside=CALL,
    ),
]
TEXTS = files("A title", CHECKS, {one.check.id: number for number, one in enumerate(CHECKS, 2)})


def test_each_file_imports_what_it_uses() -> None:
    assert "from autograder.author import module, part, values\n" in TEXTS[PUBLIC]
    assert "from autograder.author import ProgramBuilder, part, raises, strides, values\n" in TEXTS[HIDDEN]
    assert "from .checks import LAYER_CALL, LAYER_CLASS\n" in TEXTS[HIDDEN]


def test_what_is_declared_once_is_not_declared_again() -> None:
    assert 'TITLE = "A title"' in TEXTS[PUBLIC]
    assert "LAYER_CLASS = module(" in TEXTS[PUBLIC]
    assert "CALLS = {call.target: call.described for call in (LAYER_CALL,)}" in TEXTS[PUBLIC]
    assert "LAYER_SCORE = LAYER_CLASS.call(" in TEXTS[HIDDEN]
    assert "module(" not in TEXTS[HIDDEN]


def test_checks_stand_in_their_part_with_their_points() -> None:
    assert TEXTS[PUBLIC].endswith(
        'CHECKS = (\n    *part(\n        "Layer",\n        values(LAYER_CALL, 2),\n    ),\n)\n'
    )
    assert "        strides(LAYER_CALL, 3),\n" in TEXTS[HIDDEN]
    assert "\n\n\ndef layer_refuses(builder: ProgramBuilder) -> None:\n    LAYER_CALL.once" in TEXTS[HIDDEN]


def test_lines_are_short_and_python() -> None:
    for text in TEXTS.values():
        ast.parse(text)
        assert max(map(len, text.splitlines())) <= 120
        assert "\n\n\n\n" not in text
