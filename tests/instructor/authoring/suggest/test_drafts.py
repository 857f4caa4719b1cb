"""Lines in the making: how they are named, changed and built."""

from __future__ import annotations

import pytest

from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft, constant_name, evaluated, replaced

ENCODER = ModuleDraft("Encoder", ('"V"', '"h"'), {"rnn.weight": "3*h V"})
MODEL = ModuleDraft("Model", (ENCODER, '"e"', 'constant("dot")'), {"out.weight": "V e+h"}, tag="dot")
STEP = CallDraft("Model", "step", {"x": 'integers("B T", below="V")', "y": '"B e"'}, {"logits": "B V"}, MODEL)

REPLACED = {
    ("B T d", "d", "2*half"): "B T 2*half",
    ("3*h+e V", "h", "a+b"): "3*a+3*b+e V",
    ("n*d d", "d", "k+m"): "k*n+m*n k+m",
    ("@h", "h", "2*e"): "@2*e",
    ("hh h_2", "h", "e"): "hh h_2",
}


@pytest.mark.parametrize(("axes", "axis", "other"), REPLACED)
def test_an_axis_is_replaced_in_sums_and_products(axes: str, axis: str, other: str) -> None:
    assert replaced(axes, axis, other) == REPLACED[axes, axis, other]


def test_names_of_declarations() -> None:
    assert constant_name("LuongAttention", "score") == "LUONG_ATTENTION_SCORE"
    assert constant_name("stable_softmax", "dim-minus-1") == "STABLE_SOFTMAX_DIM_MINUS_1"
    assert (ENCODER.variable, MODEL.variable) == ("ENCODER_CLASS", "MODEL_CLASS_DOT")
    assert STEP.variable == "MODEL_STEP_DOT"


def test_a_line_is_what_it_builds() -> None:
    assert MODEL.text == (
        'module("Model", init=[ENCODER_CLASS, "e", constant("dot")], weights={"out.weight": "V e+h"})'
    )
    call = STEP.built()
    assert call.module is not None
    assert [one if isinstance(one, str) else one.__class__.__name__ for one in call.module.init] == [
        "Module",
        "e",
        "Constant",
    ]
    assert call.axes == ["e", "V", "h", "B", "T"]


def test_a_rewrite_reaches_the_class_and_what_it_takes() -> None:
    other = STEP.with_axis("e", "2*h")
    assert other.arguments["y"] == '"B 2*h"'
    assert other.module is not None
    assert other.module.init[1:] == ('"2*h"', 'constant("dot")')
    assert other.module.weights == {"out.weight": "V 2*h+h"}
    renamed = STEP.with_axis("V", "words").module
    assert renamed is not None
    assert renamed.inner[0].weights == {"rnn.weight": "3*h words"}


def test_lines_use_the_words_of_authors() -> None:
    assert evaluated('mask("B T")').sort == "bool"
    with pytest.raises(NameError):
        evaluated("open_sesame()")
