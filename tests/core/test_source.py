"""What the grader reads in a source: where something is named, and what reaches for the recorders."""

from __future__ import annotations

import pytest

from autograder.judge import source

WORDS = ["softmax", "log_sum_exp"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(x):\n    return torch.softmax(x)", 2),
        ("def f(x):\n    return g(x)\ndef g(x):\n    return x.log_softmax(0)", 4),
        ("g = torch.softmax\ndef f(x):\n    return g(x)", 1),
        ("from torch.nn.functional import softmax as g\ndef f(x):\n    return g(x)", 1),
        ("def f(x):\n    return getattr(x, 'soft' + 'max')(0)", 2),
        ("class C:\n    def m(self):\n        return LogSumExp()\nf = lambda x: C().m()", 3),
        ("def f(x):\n    return torch.softmax(x)\ndef f(x):\n    return x", None),
        ("def f(x):\n    return x\ndef g(x):\n    return torch.softmax(x)", None),
        ('def f(x):\n    """softmax"""\n    # softmax\n    return softmax(x)\ndef softmax(x):\n    pass', None),
        ("def f(x:\n    return torch.softmax(x)", None),
    ],
)  # fmt: skip
def test_where_a_word_is_named(text: str, line: int | None) -> None:
    found = source.clue((text.encode(),), "f", WORDS)
    assert (found and found.line) == line


def test_a_clue_is_told_with_its_line() -> None:
    cells = (b"x = 1", b"def f(x):\n    return x.softmax(0)  # here")
    assert str(source.clue(cells, "f", WORDS)) == "line 2: return x.softmax(0)  # here"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import sys\nsys.setprofile(None)", True),
        ("from autograder.worker import tracing", True),
        ("import autograder.worker.steps", True),
        ("sys.modules['autograder.' + 'worker.tracing']", True),
        ("getattr(A, '_enable_record' + '_function')(False)", True),
        ("from torch.autograd.profiler_legacy import profile", True),
        ("# sys.setprofile\nprint('for the autograder')", False),
        ("'''autograder.worker is not mine to touch; nor is setprofile.'''", False),
        ("import sys, gc, inspect\nif 'google.colab' in sys.modules:\n    gc.collect()", False),
        ("import torch.profiler\nwith torch.profiler.profile() as p:\n    pass", False),
        ("\0", False),
    ],
)
def test_what_reaches_for_the_recorders(text: str, found: bool) -> None:
    assert (source.meddling((text.encode(),)) is not None) is found


def test_a_source_that_is_too_long_is_not_looked_through_and_does_not_count_as_harmless() -> None:
    """Its tree would take gigabytes of the grader's memory."""
    long = (b"x = 1\n" * source.MOST_WORDS,)
    assert "too many" in str(source.meddling(long))
    assert source.clue((*long, b"def f(x): return softmax(x)"), "f", WORDS) is None
    assert (
        source.meddling((b"'" + b"A" * 3_000_000 + b"'",)) is None
    )  # a picture, say: many bytes and few words
