"""Submissions that implement nothing but look like known mistakes. No points are given back to them."""

from __future__ import annotations

import pytest

from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import drawn
from tests.grading_helpers import submission

HEAD = "import torch\nfrom torch import nn\n"
BAHDANAU = """
class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
    def score(self, decoder_state, encoder_states):
        return {score}
    def forward(self, decoder_state, encoder_states):
        {forward}
"""
# Exceptions with torch's own words have a cause.
RAISING = """
def no(*_): raise RuntimeError("same dtype")
def stable_softmax(scores, dim=-1): return no()
def softmax_vjp(weights, grad_weights): return no()
""" + BAHDANAU.format(score="no()", forward="return no()")
# Right answers where they are trivial: one-hot weights have no gradient, and equal scores give the mean.
TRIVIAL = """
def no(*_): raise RuntimeError("same dtype")
def stable_softmax(scores, dim=-1): return no()
def softmax_vjp(weights, grad_weights):
    return torch.zeros_like(weights) if ((weights == 0) | (weights == 1)).all() else no()
""" + BAHDANAU.format(
    score="no()",
    forward="""if (self.v.weight == 0).all():
            return encoder_states.mean(1), torch.ones_like(encoder_states[..., 0]) / encoder_states.shape[1]
        return no()""",
)
# Results of a shape that broadcasting could make, in a helper of all parts.
TALL = """
def junk(x): return x.unsqueeze(0).repeat(x.shape[-1], *[1] * x.dim())
def stable_softmax(scores, dim=-1): return junk(scores)
def softmax_vjp(weights, grad_weights): return junk(weights)
""" + BAHDANAU.format(
    score="junk(encoder_states[:, :, 0])", forward="return junk(encoder_states[:, 0]), junk(encoder_states[:, :, 0])"
)
# One answer as that of a known mistake, exceptions for all other sizes.
ONCE = """
def stable_softmax(scores, dim=-1):
    if scores.shape[-1] != 7: raise RuntimeError("later")
    return scores
def softmax_vjp(weights, grad_weights):
    if weights.shape[-1] != 5: raise RuntimeError("later")
    return weights * grad_weights
""" + BAHDANAU.format(score="None", forward='raise RuntimeError("later")')
ATTENTION = """
def junk(q, v): return q @ v.transpose(-2, -1), v
def pick(q, k):
    place = (q[..., :, :1].expand(*q.shape[:-1], k.shape[-2]) * 1e4).floor().long()[..., :1] % k.shape[-2]
    weights = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype, device=q.device).scatter(-1, place.clamp(0), 1.0)
    return weights + 0 * (q @ k.transpose(-2, -1))
def self_attention(x, temperature=1.0): return {function}
def scaled_dot_product_attention(query, key, value, mask=None): return {attention}
"""
SWAPPED = ATTENTION.format(function="junk(x, x)", attention="(junk(query, key)[0], value)")  # the wrong shapes, swapped
PICKED = ATTENTION.format(function="(x * 0, pick(x, x))", attention="(0 * query @ key.mT @ value, pick(query, key))")


@pytest.mark.parametrize(
    ("assignment", "code"),
    [
        ("bahdanau", RAISING),
        ("bahdanau", TRIVIAL),
        ("bahdanau", TALL),
        ("bahdanau", ONCE),
        ("self_attention", SWAPPED),
        ("self_attention", PICKED),
    ],
)
def test_what_only_looks_like_a_known_mistake_gets_nothing_back(server: ForkServer, assignment: str, code: str) -> None:
    grade = Runner(drawn(assignment), server).grade(submission(HEAD + code, assignment))
    assert grade.status == "graded"
    passed = sum(check.max_points for check in grade.checks if check.status == "passed")
    assert grade.score == passed <= 10


def test_where_every_call_raises_nothing_is_given_back(server: ForkServer) -> None:
    grade = Runner(drawn("bahdanau"), server).grade(submission(HEAD + RAISING, "bahdanau"))
    assert {check.diagnosis for check in grade.checks} == {"dtype-hardcoded"}  # as torch's own message would be
    assert grade.score == 0
