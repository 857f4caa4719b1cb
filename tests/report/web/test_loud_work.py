"""A submission that prints without end and writes hostile messages: its page stays small, and is only text."""

from __future__ import annotations

import time

import msgspec
import pytest

from autograder import model
from autograder.feedback import shown
from autograder.grading.runner import Runner
from autograder.report.web.student_page import student_page
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import drawn
from tests.grading_helpers import submission
from tests.report.web.test_report import Page

LOUD = """
import sys
import torch
from torch import nn

EVIL = "</td></svg></script><script>alert(1)</script>\\"'><img src=x onerror=alert(2)>" * 20
print("<b>" + "x" * 10_000_000)

class Evil(Exception):
    pass

Evil.__name__ = Evil.__qualname__ = EVIL

def stable_softmax(scores, dim=-1):
    for _ in range(20):
        print(EVIL * 200)
    raise Evil(EVIL * 100)

def softmax_vjp(weights, grad_weights):
    print("x" * 10_000_000, file=sys.stderr)
    return EVIL

class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def score(self, decoder_state, encoder_states):
        print(EVIL * 1000)
        sums = self.W_s(decoder_state).unsqueeze(1) + self.W_h(encoder_states)
        return self.v(torch.sigmoid(sums)).squeeze(-1)

    def forward(self, decoder_state, encoder_states):
        weights = torch.softmax(self.score(decoder_state, encoder_states), dim=-1)
        return torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1), weights
"""
MOST_BYTES = 200_000
MOST_SECONDS = 2.0  # it takes a twentieth


@pytest.fixture(scope="module")
def loud(server: ForkServer) -> model.Grade:
    return Runner(drawn("bahdanau"), server).grade(submission(LOUD, "bahdanau"))


@pytest.mark.parametrize("staff", [True, False])
def test_its_page_is_small_and_only_text(loud: model.Grade, staff: bool) -> None:
    started = time.monotonic()
    text = student_page(loud if staff else shown.as_seen(loud), "Bahdanau", staff=staff, cells=[LOUD])
    assert time.monotonic() - started < MOST_SECONDS
    assert len(text.encode()) < MOST_BYTES
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & {"script", "img", "b"}
    assert not [key for _, attributes in page.tags for key in attributes if key.startswith("on")]
    assert {tag for tag, _ in page.tags} >= {"svg", "figure", "table"}
    assert "Gradients" in page.text


def test_what_is_kept_of_it_is_small(loud: model.Grade) -> None:
    for picture in (*loud.pictures, *loud.gradients):
        kept = msgspec.json.encode(picture)
        assert len(kept) < 64_000
        assert b"alert" not in kept
    assert len(msgspec.json.encode(loud)) < MOST_BYTES
