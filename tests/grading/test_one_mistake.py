"""One mistake costs once (contract, section 4): submissions with mistakes put into a solution, graded for real."""

from __future__ import annotations

from collections import defaultdict

import pytest

from autograder import assignments, model
from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import drawn
from tests.grading_helpers import submission
from tests.paths import ROOT

Change = tuple[str, str]
MASKED = "    lowest = torch.finfo(scores.dtype).min\n"
UNSCALED: Change = (" / math.sqrt(query.size(-1))", "")
LATE: Change = ("torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)", "torch.softmax(scores, dim=dim)")
NAMELESS: Change = ("return weights.masked_fill(~mask, 0.0)", "return weights.masked_fill(~mask, 0.0) * 1.01")
SOLUTION = {name: (ROOT / "solutions" / name / f"{name}.py").read_text() for name in assignments.NAMES}


def changed(assignment: str, *changes: Change) -> str:
    text = SOLUTION[assignment]
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def graded(server: ForkServer, text: str, assignment: str = "masking", strict: bool = False) -> model.Grade:
    return Runner(drawn(assignment), server, strict=strict).grade(submission(text, assignment))


def lost(grade: model.Grade) -> dict[str, float]:
    """Return the points lost by part."""
    sums: defaultdict[str, float] = defaultdict(float)
    for check in grade.checks:
        sums[check.part] += check.max_points - check.points
    return {part: round(points, 4) for part, points in sums.items() if points > 1e-6}


def worth(grade: model.Grade, part: str) -> float:
    return sum(check.max_points for check in grade.checks if check.part == part)


def test_a_named_mistake_costs_half_of_its_part_and_nothing_elsewhere(server: ForkServer) -> None:
    grade = graded(server, changed("self_attention", UNSCALED), "self_attention")
    part = "scaled_dot_product_attention"
    assert lost(grade) == {part: pytest.approx(worth(grade, part) / 2)}
    failed = [check for check in grade.checks if check.status in ("failed", "blocked")]
    assert {check.diagnosis for check in failed} == {"missing-scale"}
    first = next(check for check in failed if check.part == part)
    assert first.consequence_of is None
    assert {check.consequence_of for check in failed if check is not first} == {first.id}
    assert {check.part for check in failed} == {part, "SelfAttention", "MultiHeadAttention"}


def test_a_mistake_without_a_name_costs_nothing_elsewhere_either(server: ForkServer) -> None:
    grade = graded(server, changed("masking", NAMELESS))
    assert set(lost(grade)) == {"masked_softmax"}
    follows = [check for check in grade.checks if check.part == "masked_attention" and check.status != "passed"]
    assert follows
    assert all(check.points == check.max_points and check.consequence_of for check in follows)


def test_a_part_that_is_not_written_costs_nothing_elsewhere(server: ForkServer) -> None:
    grade = graded(server, changed("masking", (MASKED, "    raise NotImplementedError\n" + MASKED)))
    assert lost(grade) == {"masked_softmax": pytest.approx(worth(grade, "masked_softmax"))}
    assert {check.diagnosis for check in grade.checks if check.points < check.max_points} == {"not-implemented"}


def test_two_mistakes_in_two_parts_are_told_and_charged_each(server: ForkServer) -> None:
    grade = graded(server, changed("masking", LATE, UNSCALED))
    halves = {part: pytest.approx(worth(grade, part) / 2) for part in ("masked_softmax", "masked_attention")}
    assert lost(grade) == halves
    told = {check.part: check.diagnosis for check in grade.checks if check.points < check.max_points}
    assert told == {"masked_softmax": "mask-after-softmax", "masked_attention": "missing-scale"}


def test_two_mistakes_in_one_part_are_charged_each(server: ForkServer) -> None:
    alone = graded(server, changed("masking", UNSCALED))
    cut = ("return weights @ value, weights", "return weights @ value.detach(), weights")
    both = graded(server, changed("masking", UNSCALED, cut))
    assert lost(both)["masked_attention"] > lost(alone)["masked_attention"]
    charged = {check.id for check in both.checks if check.points < check.max_points}
    assert "attention-gradients" in charged


def test_a_mistake_in_a_helper_of_two_parts_is_charged_in_the_first(server: ForkServer) -> None:
    helper = (
        "def shared(scores, mask, dim=-1):\n"
        + MASKED
        + "    return torch.softmax(scores, dim).masked_fill(~mask, 0.0)\n\n\n"
    )
    text = changed(
        "masking",
        (MASKED, "    return shared(scores, mask, dim)\n" + MASKED),
        ("def masked_softmax(", helper + "def masked_softmax("),
        ("weights = masked_softmax(scores, mask)", "weights = shared(scores, mask)"),
    )
    grade = graded(server, text)
    assert lost(grade) == {"masked_softmax": pytest.approx(worth(grade, "masked_softmax") / 2)}


def test_an_extra_bias_costs_the_interface_alone(server: ForkServer) -> None:
    text = changed(
        "bahdanau", ("self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)", "self.W_h = nn.Linear(enc_dim, attn_dim)")
    )
    grade = graded(server, text, "bahdanau")
    assert [check.id for check in grade.checks if check.points < check.max_points] == ["attention-interface"]
    assert {check.diagnosis for check in grade.checks} == {None, "wrong-parameters"}


@pytest.mark.thorough
def test_a_wrong_decoder_costs_nothing_in_the_models_that_it_is_handed_to(server: ForkServer) -> None:
    grade = graded(server, changed("seq2seq", ("torch.tanh(self.W_s(", "torch.sigmoid(self.W_s(")), "seq2seq")
    assert set(lost(grade)) == {"BahdanauDecoder"}
    assert any(check.part == "Seq2Seq" and check.consequence_of for check in grade.checks)


def test_what_raises_in_one_precision_only_costs_half_of_its_part(server: ForkServer) -> None:
    rounded = ("self.W_s(decoder_state).unsqueeze(1)", "self.W_s(decoder_state.float()).unsqueeze(1)")
    grade = graded(server, changed("bahdanau", rounded), "bahdanau")
    assert lost(grade) == {"BahdanauAttention": pytest.approx(worth(grade, "BahdanauAttention") / 2)}


def test_strict_charges_every_failed_check(server: ForkServer) -> None:
    grade = graded(server, changed("masking", NAMELESS), strict=True)
    assert {"masked_softmax", "masked_attention"} == set(lost(grade))
    assert all(check.points == 0 for check in grade.checks if check.status != "passed")


def test_the_first_message_of_a_wrong_part_tells_what_waits_for_it(server: ForkServer) -> None:
    grade = graded(server, changed("masking", NAMELESS))
    waiting = [check for check in grade.checks if check.status == "blocked" and check.visibility == "public"]
    assert waiting
    title = next(check.title for check in grade.checks if check.id == "softmax-values")
    assert {f'(see "{title}")' in check.message for check in waiting} == {True}


CIRCLE = """    eye = torch.eye(mask.shape[-1], dtype=scores.dtype)
    return masked_attention(scores, eye * len(eye) ** 0.5, eye, mask)[1]
"""


def test_parts_that_stand_on_each_other_in_a_circle_earn_only_what_is_written(server: ForkServer) -> None:
    grade = graded(server, changed("masking", (MASKED, CIRCLE + MASKED)))
    assert lost(grade)["masked_softmax"] == pytest.approx(worth(grade, "masked_softmax"))


SPY = """masked_attention(query, key, value, mask):
    code = masked_softmax.__code__
    print("spy", code.co_consts)
    raise ValueError(f"spy {code.co_consts}")


# %% [markdown]"""


CLASS = "class BahdanauAttention(nn.Module):\n"
THIEF = (
    'Theirs = stable_softmax.__globals__.get("BahdanauAttention")\n\n\n'
    f"{CLASS}    def __new__(cls, *args):\n        return Theirs(*args) if Theirs else super().__new__(cls)\n\n"
)


def test_a_right_part_leads_to_no_other_part_of_the_solution(server: ForkServer) -> None:
    """A part that is wrong on purpose brings a right one into the worker. Its globals hold nothing to take."""
    unsummed = ("return exponentials / exponentials.sum(dim=dim, keepdim=True)", "return exponentials")
    methods = [
        (f"    def {name}(", f"    def {name}(self, *_):\n        raise OSError\n\n    def unused_{name}(")
        for name in ("score", "forward")
    ]
    grade = graded(server, changed("bahdanau", unsummed, (CLASS, THIEF), *methods), "bahdanau")
    part = "BahdanauAttention"
    assert lost(grade)[part] == pytest.approx(worth(grade, part))


def test_nothing_tells_what_a_worker_with_right_parts_says(server: ForkServer) -> None:
    head, _, tail = changed("masking", NAMELESS).partition("masked_attention(query")
    text = head + SPY + tail.partition("# %% [markdown]")[2]
    grade, printed = Runner(drawn("masking"), server).grade_with_output(submission(text, "masking"))
    failed = [check for check in grade.checks if check.part == "masked_attention" and check.status == "error"]
    assert failed
    assert not [check.message for check in failed if "spy" in check.message]
    lines = [line for line in printed.splitlines() if "spy" in line]
    assert lines  # of the worker with the submission's own parts
    assert all("1.01" in line for line in lines)


def test_a_check_that_alone_shows_wrong_values_does_not_wait_for_another(server: ForkServer) -> None:
    """A key of zeros stands in one check only, which is about shapes."""
    start = "    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))\n    if mask is None:\n"
    wrong = (
        "    if mask is None and bool((key == 0).all(-1).any()):\n        mask = ~(key == 0).all(-1).unsqueeze(-2)\n"
    )
    text = changed("self_attention", (start, start.replace("    if mask", wrong + "    if mask")))
    grade = graded(server, text, "self_attention")
    assert {check.id: check.status for check in grade.checks if check.status not in ("passed", "skipped")} == {
        "sdpa-leading": "failed"
    }


def message_of(grade: model.Grade, check: str) -> tuple[str, str | None]:
    """Return the message of a check, and its cause."""
    outcome = next(one for one in grade.checks if one.id == check)
    return outcome.message, outcome.diagnosis


SCALED_MASK: Change = ("torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)", "torch.softmax(scores, dim=-1)")


def test_of_two_mistakes_in_a_part_each_call_names_its_own(server: ForkServer) -> None:
    """The call without a mask shows one of them alone. That decides nothing: the checks have no cause."""
    grade = graded(server, changed("self_attention", UNSCALED, SCALED_MASK), "self_attention")
    message, cause = message_of(grade, "sdpa-values")
    assert "Cause in this call: The scores are not scaled." in message
    assert cause is None
    assert "Cause" not in message_of(grade, "sdpa-mask")[0]
    assert lost(grade)["scaled_dot_product_attention"] > worth(grade, "scaled_dot_product_attention") / 2


def test_a_hidden_check_names_no_cause_of_a_call(server: ForkServer) -> None:
    grade = graded(server, changed("self_attention", UNSCALED, SCALED_MASK), "self_attention")
    hidden = [one for one in grade.checks if one.visibility == "hidden" and one.diagnosis is None]
    assert hidden
    assert [one.id for one in hidden if "Cause" in one.message] == []


def test_a_sign_tells_which_of_two_known_mistakes_it_is(server: ForkServer) -> None:
    """In the public cases, a wrong axis of the mask gives NaN in the same places."""
    infinite: Change = ("torch.finfo(scores.dtype).min)", "-math.inf)")
    plain: Change = ("torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)", "torch.softmax(hidden, dim=-1)")
    grade = graded(server, changed("self_attention", infinite, plain), "self_attention")
    assert message_of(grade, "sdpa-blank")[1] == "nan-on-masked-row"


def test_a_message_shows_the_finding_that_its_cause_is_about(server: ForkServer) -> None:
    """The sums are wrong with `dot`, for another reason than the parameters of `general`."""
    turned: Change = ("nn.Linear(enc_dim, dec_dim, bias=False)", "nn.Linear(dec_dim, enc_dim, bias=False)")
    axis: Change = ("encoder_states), dim=-1)", "encoder_states), dim=1)")
    grade = graded(server, changed("luong", turned, axis), "luong")
    message, cause = message_of(grade, "attention-sums")
    assert cause == "wrong-parameters"
    assert message.startswith("The parameter W_a.weight of LuongAttention has shape (")
