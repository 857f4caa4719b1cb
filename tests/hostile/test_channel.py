"""What a submission that knows the hidden inputs can tell a student: no text, and few bits.

``SECURITY.md`` states how many. Here they are counted, and a worker that may send anything tries to tell more.
"""

from __future__ import annotations

import math
import re

import pytest

from autograder import judge, model, protocol
from autograder.feedback import messages
from autograder.grading import suite
from autograder.protocol import wire
from tests.corpus.suites import FIRST, ONE_BY_DAY, SEED
from tests.hostile import channel
from tests.hostile.forged_answers import SECRET, answers
from tests.paths import ROOT

WORK = model.Submission("eve", "ready", "script", "eve.py", (b"",))


def stated() -> dict[str, int]:
    """Return the bits by assignment, as in SECURITY.md."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|$", text, re.MULTILINE)
    return {name: int(bits.replace(",", "")) for name, bits in rows}


@pytest.mark.parametrize("assignment", FIRST)
def test_security_md_states_what_the_lists_allow(assignment: str) -> None:
    assert stated()[assignment] == channel.bits(suite.full(assignment, SEED))


@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_a_worker_that_knows_a_hidden_input_and_tries_every_fact_tells_no_more(assignment: str) -> None:
    drawn = suite.full(assignment, SEED, timing=False)
    told = {check.id: said(check, drawn) for check in drawn.spec.checks if check.visibility == "hidden"}
    for check in drawn.spec.checks:
        texts = told.get(check.id, set())
        assert not [text for text in texts if SECRET in text]
        assert len(texts) <= channel.texts(check, drawn)
    heard = sum(math.log2(1 + len(texts)) for texts in told.values())
    assert 3 * len(told) < heard < channel.bits(drawn)


def said(check: model.Check, drawn: suite.CheckSuite) -> set[str]:
    """Return the messages that forged answers bring about."""
    found = set()
    for case in check.cases:
        prepared = drawn.prepared[case.id]
        for answer in answers(prepared):
            if finding := judged(check, prepared, answer):
                found.add(messages.message(finding, prepared, True))
    return found


def judged(check: model.Check, prepared: model.Prepared, answer: protocol.Answer) -> model.Finding | None:
    """Return what is found in an answer that was sent."""
    try:
        sent = wire.decode(wire.encode(answer)[wire.HEADER.size :], protocol.Answer)
    except wire.WireError as error:
        return model.Finding("malformed", prepared.program.calls[0].into, {"why": str(error)}, "error")
    return judge.first_failure(check.assertions, prepared, sent, WORK)
