"""Other forms of a call that are tried."""

from __future__ import annotations

from autograder.instructor.authoring.suggest import inputs, variants
from autograder.instructor.authoring.suggest.drafts import CallDraft
from autograder.instructor.authoring.suggest.subjects import Argument, Subject
from autograder.instructor.authoring.suggest.trying import Bench, Refused, Tried

POOLED = Subject("pooled", "", (Argument("x"), Argument("mode", "sum"), Argument("scale", 1.0)))


class Noting(Bench):
    """Notes what is tried, and refuses it."""

    def __init__(self) -> None:
        super().__init__("pooled")
        self.noted: list[CallDraft] = []

    def tried(self, draft: CallDraft, strict: bool = True) -> Tried:
        """Refuse."""
        self.noted.append(draft)
        raise Refused("ValueError", "refused")


def test_a_text_before_another_argument_is_a_constant_and_no_axes() -> None:
    draft = CallDraft("pooled", "", {"x": '"B T"'}, {"result": "B"})
    bench = Noting()
    list(variants.of(bench, POOLED, Tried(draft, draft.built(), []), inputs.Known((), {}, {}, ())))
    scaled = [one for one in bench.noted if "scale" in one.arguments]
    assert scaled
    assert {one.arguments["mode"] for one in scaled} == {'constant("sum")'}
    assert all(one.built().axes == ["B", "T"] for one in scaled)
