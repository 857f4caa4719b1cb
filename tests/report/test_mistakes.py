"""Which checks are one mistake, which of them tells it, and what comes first."""

from __future__ import annotations

from msgspec.structs import replace

from autograder.report.mistakes import leaders, mistakes, next_to_write, shown_status, unwritten_first
from autograder.report.summary import SIGNS, beside
from tests.integrations.made_grades import grade, outcome


def test_a_cause_is_one_mistake_of_its_part_whatever_its_messages_say() -> None:
    same = {"part": "a", "diagnosis": "random-in-eval"}
    rows = [outcome(f"a{n}", "failed", 0, 1, message=f"It differs by {n}.", **same) for n in range(3)]
    elsewhere = outcome("b", "failed", 0, 1, message="It differs by 1.", **same | {"part": "b"})
    found = mistakes(grade("ada", [*rows, elsewhere]))
    assert [(one.check.id, len(one.others)) for one in found] == [("a0", 2), ("b", 0)]


def test_without_a_cause_only_the_same_message_is_the_same_mistake() -> None:
    rows = [outcome(f"a{n}", "failed", 0, 1, message=f"It differs by {n // 2}.") for n in range(3)]
    assert [len(one.others) for one in mistakes(grade("ada", rows))] == [1, 0]


def test_speed_comes_after_what_is_wrong() -> None:
    slow = outcome("a", "failed", 0, 1, part="a", kind="timing", diagnosis="too-slow")
    wrong = outcome("b", "failed", 0, 1, part="b")
    assert [one.check.id for one in mistakes(grade("ada", [slow, wrong]))] == ["b", "a"]


def test_speed_that_was_not_measured_follows_what_made_it_pointless() -> None:
    raised = {"part": "a", "status": "error", "message": "f raised NameError: name 'x' is not defined."}
    rows = [outcome(f"a{n}", points=0, most=1, **raised) for n in range(2)]
    speed = outcome("speed", "error", 0, 1, part="a", kind="timing", message="Not run: other calls of a failed.")
    [one] = mistakes(grade("ada", [*rows, speed]))
    assert [other.id for other in one.others] == ["a1", "speed"]


def test_where_usual_calls_return_the_unusual_situation_tells_why_others_raise() -> None:
    raised = {"status": "error", "message": "f raised RuntimeError.", "visibility": "hidden"}
    rows = [
        outcome("values", "passed", 1, 1, part="a"),
        outcome("sizes", points=0, most=1, part="a", **raised),
        outcome("any-mask", points=0, most=1, part="a", kind="mask", **raised),
    ]
    assert [one.check.id for one in mistakes(grade("ada", rows))] == ["any-mask"]
    assert [one.check.id for one in mistakes(grade("ada", rows[1:]))] == ["sizes"]
    shown = {"status": "error", "message": "f raised RuntimeError: sizes.", "points": 0, "most": 1, "part": "a"}
    public = [outcome("names", kind="interface", **shown), outcome("more", **shown)]
    both = {"diagnosis": "query-key-swapped"}
    found = mistakes(grade("ada", [rows[0], *(replace(one, **both) for one in (*public, *rows[1:]))]))
    assert [one.check.id for one in found] == ["more"]


def test_only_what_is_to_mend_has_the_sign_of_what_is_wrong() -> None:
    given = outcome("b", "failed", 1, 1, part="b", diagnosis="missing-scale", consequence_of="a")
    one = grade("ada", [outcome("a", "failed", 0, 1, part="a", diagnosis="missing-scale"), given])
    led = leaders(one)
    assert [SIGNS[shown_status(check, led)] for check in one.checks] == ["✗", "↳"]


def test_the_next_part_to_write_is_named_and_comes_first_where_later_parts_use_it() -> None:
    stub = {"diagnosis": "not-implemented", "part": "a"}
    waits = outcome("a1", "blocked", 0, 1, message="Not counted until the results of f are right.", **stub)
    empty = outcome("a2", "failed", 0, 1, message="result has the wrong type. Got None, expected a tensor.", **stub)
    raised = outcome("b", "error", 0, 1, part="b", message="g raised AttributeError.")
    before, after = grade("ada", [waits, empty, raised]), grade("ada", [raised, waits, empty])
    assert next_to_write(before, "work.py") == "a in work.py: it is unfinished, or returns nothing."
    assert (unwritten_first(before), unwritten_first(after)) == (True, False)
    slow = outcome("b", "failed", 0, 1, part="b", kind="timing", diagnosis="too-slow")
    assert unwritten_first(grade("ada", [slow, waits, empty]))


def test_the_method_that_raises_is_named_and_not_the_one_that_calls_it() -> None:
    said = " is not written yet: it raises NotImplementedError. See line 41. Called: f(3)"
    rows = [
        outcome(name, "error", 0, 1, part="A", diagnosis="not-implemented", message=f"A.{name}{said}")
        for name in ("forward", "score")
    ]
    step = ": replace `raise NotImplementedError` with your code."
    assert next_to_write(grade("ada", rows), "a.py") == f"A.score in a.py{step}"
    assert next_to_write(grade("ada", rows[:1]), "a.py") == f"A.forward in a.py{step}"
    message = "late is not written yet: it raises NotImplementedError."
    late = outcome("later", "error", 0, 1, diagnosis="not-implemented", message=message)
    assert next_to_write(grade("ada", [late]), "a.py") == f"late in a.py{step}"


def test_what_follows_from_a_check_that_only_waits_follows_from_what_is_wrong_there() -> None:
    waits = outcome("a-waits", "blocked", 0, 1, part="a", message="Not counted until the results of a are right.")
    wrong = outcome("a-wrong", "failed", 0, 1, part="a", message="result has the wrong shape.")
    later = outcome("b", "error", 1, 1, part="b", message="b raised RuntimeError.", consequence_of="a-waits")
    [one] = mistakes(grade("ada", [waits, wrong, later]))
    assert (one.check.id, [other.id for other in one.others]) == ("a-wrong", ["b"])


def test_where_usual_calls_give_wrong_values_all_that_fails_without_a_cause_follows() -> None:
    usual = outcome("usual", "failed", 0, 1, message="scores has wrong values. Called: f(2)")
    slopes = outcome("slopes", "failed", 0, 1, kind="gradient", message="The gradient is wrong.")
    sizes = outcome("sizes", "failed", 0, 1, visibility="hidden", message="context has wrong values.")
    named = outcome("named", "failed", 0, 1, kind="mask", diagnosis="mask-leaks")
    names = outcome("names", "failed", 0, 1, kind="interface", message="A has no parameter W_a.weight.")
    one = grade("ada", [usual, slopes, sizes, named, names])
    assert [(found.check.id, len(found.others)) for found in mistakes(one)] == [
        ("usual", 2),
        ("named", 0),
        ("names", 0),
    ]
    assert set(leaders(one)) == {"slopes", "sizes"}
    assert beside(mistakes(one)[0]) == "2 other checks fail too, perhaps because of this: slopes, sizes."
    rest = grade("ada", [replace(usual, status="passed"), sizes, replace(sizes, id="more")])
    assert not leaders(rest)
    assert beside(mistakes(rest)[0]) == "1 other check fails too, perhaps because of this: more."


def test_a_wrong_gradient_explains_no_wrong_values_and_wrong_values_no_missing_gradient() -> None:
    slopes = outcome("slopes", "failed", 0, 1, kind="gradient", message="The gradient of x is wrong.")
    hidden = outcome("sizes", "failed", 0, 1, visibility="hidden", message="context has wrong values.")
    assert len(mistakes(grade("ada", [slopes, hidden]))) == 2
    dot = outcome("dot", "failed", 0, 1, message="scores has wrong values. 3 of 4 entries differ.")
    cut = outcome("cut", "failed", 0, 1, kind="gradient", message="No gradient reaches W_a.weight: the graph is cut.")
    assert len(mistakes(grade("ada", [dot, cut]))) == 2


def test_a_check_follows_one_that_says_the_same() -> None:
    said = "A must return 2 results (context, weights). It returned a tensor of shape (2, 5)."
    score = outcome("score", "failed", 0, 1, message="scores has wrong values. 3 of 4 entries differ.")
    values = outcome("values", "failed", 0, 1, message=said)
    hidden = outcome("equal", "failed", 0, 1, visibility="hidden", message=said.partition(" It")[0])
    found = mistakes(grade("ada", [score, values, hidden]))
    assert [(one.check.id, [other.id for other in one.others]) for one in found] == [
        ("score", []),
        ("values", ["equal"]),
    ]


def test_what_is_certain_and_what_is_guessed_are_two_sentences() -> None:
    usual = outcome("usual", "failed", 0, 1, part="a", message="scores has wrong values.")
    hidden = outcome("sizes", "failed", 0, 1, part="a", visibility="hidden", message="scores has wrong values.")
    later = outcome("later", "failed", 1, 1, part="b", consequence_of="usual", message="It has wrong values.")
    [one] = mistakes(grade("ada", [usual, hidden, later]))
    assert beside(one) == (
        "1 other check fails only because of this: later. 1 other check fails too, perhaps because of this: sizes."
        " One mistake costs once: 1 point is given back."
    )


def test_a_check_whose_message_is_withheld_follows_nothing() -> None:
    usual = outcome("usual", "failed", 0, 1, message="scores has wrong values.")
    withheld = outcome("sizes", "failed", 0, 1, visibility="hidden", message="")
    assert len(mistakes(grade("ada", [usual, withheld]))) == 2


def test_results_that_are_wrong_alike_but_for_their_lengths_are_one_mistake() -> None:
    said = "A must return 2 results (context, weights). It returned a tensor of shape ({}). Called: A(3)"
    shapes = outcome("shapes", "failed", 0, 1, kind="shape", message=said.format("2, 5"))
    example = outcome("example", "failed", 0, 1, message=said.format("1, 4"))
    little = said.partition(" It returned")[0]
    hidden = outcome("equal", "failed", 0, 1, kind="invariance", visibility="hidden", message=little)
    one = grade("ada", [shapes, example, hidden])
    assert [(found.check.id, len(found.others)) for found in mistakes(one)] == [("shapes", 2)]
    assert set(leaders(one)) == {"example", "equal"}


def test_under_a_mask_too_what_fails_without_a_cause_is_one_mistake() -> None:
    masked = outcome("masked", "failed", 0, 1, kind="mask", message="output has wrong values.")
    blank = outcome("blank", "failed", 0, 1, kind="mask", message="output is not exactly 0 everywhere.")
    assert [found.check.id for found in mistakes(grade("ada", [masked, blank]))] == ["masked"]


def test_the_title_that_a_cause_is_about_tells_it() -> None:
    rows = [
        outcome("values", "failed", 0, 1, diagnosis="wrong-parameters", message="A has no parameter W_a.weight."),
        outcome("names", "failed", 0, 1, kind="interface", diagnosis="wrong-parameters", message="It has w.weight."),
    ]
    [one] = mistakes(grade("ada", rows))
    assert one.check.id == "names"
    [hidden] = mistakes(grade("ada", [rows[0], replace(rows[1], visibility="hidden")]))
    assert hidden.check.id == "values"


def test_kept_state_is_told_by_the_check_of_state_though_it_is_hidden() -> None:
    about = {"diagnosis": "stateful", "message": "result has wrong values."}
    shown = outcome("mask", "failed", 0, 1, kind="mask", title="A mask of any shape", **about)
    state = outcome("state", "failed", 0, 1, visibility="hidden", title="attention keeps no state", **about)
    [one] = mistakes(grade("ada", [shown, state]))
    assert one.check.id == "state"
    [one] = mistakes(grade("ada", [shown, replace(state, title="Any strides")]))
    assert one.check.id == "mask"


def test_what_follows_a_check_that_follows_another_follows_that() -> None:
    shape = "out has the wrong shape. There is one axis of length 1 too many. Got shape (2, 1), expected (2,)."
    slope = "The gradient of x is wrong."
    rows = [
        outcome("shapes", "failed", 0, 1, kind="shape", message=shape),
        outcome("slope", "failed", 0, 1, kind="gradient", message=f"{slope} 6 of 6 entries differ."),
        outcome("ones", "failed", 0, 1, kind="shape", visibility="hidden", message=shape.partition(" Got")[0]),
        outcome("slopes", "failed", 0, 1, kind="gradient", visibility="hidden", message=slope),
    ]
    assert {one: led.id for one, led in leaders(grade("ada", rows)).items()} == dict.fromkeys(
        ("slope", "ones", "slopes"), "shapes"
    )


def test_a_class_that_cannot_be_made_is_told_by_its_interface() -> None:
    about = {"diagnosis": "device-hardcoded", "message": "A raised AssertionError: no CUDA (line 3: self.W = f())."}
    rows = [outcome("score", "error", 0, 1, **about), outcome("interface", "error", 0, 1, kind="interface", **about)]
    [one] = mistakes(grade("ada", rows))
    assert one.check.id == "interface"
    rows = [replace(row, message="A.score raised AssertionError.") for row in rows]
    [one] = mistakes(grade("ada", rows))
    assert one.check.id == "score"


def test_a_message_about_a_gradient_stands_below_a_title_about_gradients() -> None:
    about = {"diagnosis": "vjp-diagonal-only", "message": "The gradient of query is wrong."}
    rows = [
        outcome("blank", "failed", 0, 1, kind="mask", **about),
        outcome("g", "failed", 0, 1, kind="gradient", **about),
    ]
    [one] = mistakes(grade("ada", rows))
    assert one.check.id == "g"


def test_a_method_that_is_missing_is_told_by_the_check_of_names_and_a_stub_is_not() -> None:
    named = {"diagnosis": "not-implemented"}
    stub, missing = "A.score is not written yet: it raises NotImplementedError.", "A.score is not defined."
    slip = "A.score raised NameError: name 'wieghts' is not defined."
    for message, leader, cause in ((stub, "values", named), (missing, "names", named), (slip, "values", {})):
        rows = [
            outcome("names", "error", 0, 1, kind="interface", message=message, **cause),
            outcome("values", "error", 0, 1, message=message, **cause),
        ]
        [one] = mistakes(grade("ada", rows))
        assert one.check.id == leader


def test_a_call_that_was_not_run_tells_nothing() -> None:
    speed = outcome("speed", "timeout", 0, 1, kind="timing", diagnosis="too-slow", message="Not run: others hang.")
    ends = outcome("ends", "timeout", 0, 1, visibility="hidden", message="f did not finish in 6 s of processor time.")
    [one] = mistakes(grade("ada", [speed, ends]))
    assert one.check.id == "ends"
    viewed = {"diagnosis": "contiguous-only", "message": "f raised RuntimeError."}
    speed = outcome("speed", "error", 0, 1, kind="timing", **viewed)
    [one] = mistakes(grade("ada", [speed, outcome("strides", "error", 0, 1, visibility="hidden", **viewed)]))
    assert one.check.id == "strides"


def test_a_loop_that_ends_too_late_follows_the_wrong_result_of_usual_calls() -> None:
    wrong = outcome(
        "greedy",
        "failed",
        0,
        1,
        kind="training",
        message="result has the wrong shape. Got shape (3, 10), expected (3, 6).",
    )
    endless = {"message": "f did not finish in 6 s of processor time.", "diagnosis": "too-slow"}
    hidden = outcome("calls", "timeout", 0, 1, kind="invariance", visibility="hidden", **endless)
    [one] = mistakes(grade("ada", [wrong, hidden]))
    assert (one.check.id, [other.id for other in one.others]) == ("greedy", ["calls"])
    speed = outcome("speed", "timeout", 0, 1, kind="timing", diagnosis="too-slow", message="Not run: others hang.")
    [one] = mistakes(grade("ada", [wrong, speed, hidden]))
    assert {other.id for other in one.others} == {"calls", "speed"}
    seen = outcome("word", "timeout", 0, 1, **endless)
    assert [one.check.id for one in mistakes(grade("ada", [wrong, seen, hidden]))] == ["greedy", "word"]
    named = replace(wrong, diagnosis="eos-not-final")  # its cause is told, and it need not be the loop's
    assert [one.check.id for one in mistakes(grade("ada", [named, hidden]))] == ["greedy", "calls"]
