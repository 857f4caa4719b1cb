"""Lines in the making: how they are named, changed and built."""

from __future__ import annotations

import pytest

from autograder.instructor.authoring.suggest.drafts import CallDraft, ModuleDraft, constant_name, evaluated, replaced

ENCODER = ModuleDraft("Encoder", ('"V"', '"h"'), {"rnn.weight": "3*h V"})
MODEL = ModuleDraft("Model", (ENCODER, '"e"', 'constant("dot")'), {"out.weight": "V e+h"}, tag="dot")
STEP = CallDraft("Model", "step", {"x": 'integers("B T", below="V")', "y": '"B e"'}, {"logits": "B V"}, MODEL)

RENAMED = {
    ("B T d", "d", "width"): "B T width",
    ("3*h+e V", "h", "k"): "3*k+e V",
    ("@h", "h", "e"): "@e",
    ("hh h_2", "h", "e"): "hh h_2",
}


@pytest.mark.parametrize(("axes", "axis", "other"), RENAMED)
def test_an_axis_gets_another_name_in_sums_and_products(axes: str, axis: str, other: str) -> None:
    assert replaced(axes, axis, other) == RENAMED[axes, axis, other]


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


def test_another_name_reaches_the_class_and_what_it_takes() -> None:
    other = STEP.with_axis("e", "h")
    assert other.arguments["y"] == '"B h"'
    assert other.module is not None
    assert other.module.init == (ENCODER, '"h"', 'constant("dot")')
    assert other.module.weights == {"out.weight": "V h+h"}
    renamed = STEP.with_axis("V", "words").module
    assert renamed is not None
    (inner,) = renamed.inner
    assert inner.weights == {"rnn.weight": "3*h words"}
    assert inner.variable == "ENCODER_CLASS_OF_MODEL"  # another declaration than that of the class alone


def test_a_rule_stands_with_the_class_or_with_the_call() -> None:
    of_class = STEP.with_axis("e", '"2 * h"')
    assert of_class.module is not None
    assert of_class.module.text.endswith('sizes={"e": "2 * h"})')
    sizes = of_class.built().sizes()
    assert sizes["e"] == 2 * sizes["h"]
    of_call = STEP.with_axis("T", "size(multiple_of=2)")
    assert of_call.text.endswith('returns={"logits": "B V"}, sizes={"T": size(multiple_of=2)})')
    assert of_call.built().sizes()["T"] % 2 == 0


def test_lines_use_the_words_of_authors() -> None:
    assert evaluated('mask("B T")').sort == "bool"
    with pytest.raises(NameError):
        evaluated("open_sesame()")
