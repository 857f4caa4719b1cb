"""Recording starts before a program's first step, and nothing of a submission runs while the worker waits."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator

import pytest

from autograder import protocol
from autograder.worker.integrity import remove_hooks
from tests.small_suite_helpers import X, call, converse, program

FIND_SOFTMAX = "import torch\ndef find():\n    torch.softmax(torch.ones(2), 0)\n"
MODULE = f"{FIND_SOFTMAX}class Part(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
OF_TIMERS = signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF
OBSERVED = call("part", "x", watch="softmax")


@pytest.fixture
def collecting() -> Iterator[None]:
    """Leave this process with its garbage collection, and without signal handlers."""
    yield
    gc.enable()
    for number in OF_TIMERS:
        signal.signal(number, signal.SIG_DFL)


def used(text: str, *steps: protocol.Step) -> set[str]:
    """Return the operations of the observed call."""
    return set(converse(text, program(*steps, x=X))["out"].operations)


@pytest.mark.parametrize(
    "text",
    [
        "def __init__(self):\n        super().__init__()\n        find()",
        "def train(self, mode=True):\n        find()",
        "def named_parameters(self, **_):\n        find()\n        return iter(())",
    ],
)
def test_what_runs_while_an_object_is_made_is_recorded(text: str) -> None:
    made = protocol.Make("part", "Part", [])
    assert "aten::_softmax" in used(f"{MODULE}    {text}\n", made, OBSERVED)
    assert "aten::_softmax" not in used(MODULE, made, OBSERVED)


def test_what_runs_while_a_name_is_looked_up_is_recorded() -> None:
    lookup = "def __getattr__(name):\n    find()\n    return lambda x: x\n"
    assert "aten::_softmax" in used(FIND_SOFTMAX + lookup, call("f", "x", watch="softmax"))
    looked_at = protocol.Inspect("seen", "f"), call("f", "x", watch="softmax")
    first = "def __getattr__(name):\n    globals()['f'] = lambda x: x\n    find()\n    return f\n"
    assert "aten::_softmax" in used(FIND_SOFTMAX + first, *looked_at)


def test_the_workers_own_kernels_are_not_named() -> None:
    made = protocol.Make("part", "Part", [])
    found = used(f"{MODULE}    def train(self, mode=True):\n        find()\n", made, OBSERVED)
    assert not [name for name in found if "autograder" in name]


def test_what_runs_for_another_object_is_not_held_against_a_call() -> None:
    text = f"{MODULE}    def __init__(self):\n        super().__init__()\n        find()\ndef f(x):\n    return x\n"
    assert used(text, protocol.Make("part", "Part", []), call("f", "x", watch="softmax")) == {"recording::whole"}


def test_a_recorder_that_is_stopped_while_an_object_is_made_says_so() -> None:
    text = f"import sys\n{MODULE}    def __init__(self):\n        super().__init__()\n        sys.setprofile(None)\n"
    assert "recording::interrupted" in used(text, protocol.Make("part", "Part", []), OBSERVED)


@pytest.mark.usefixtures("collecting")
def test_garbage_is_collected_only_during_calls() -> None:
    shown = "seen = []\ndef f(x):\n    import gc\n    assert gc.isenabled()\n    return x\n"
    assert converse(shown, program(call("f", "x"), x=X))["out"].raised is None
    assert not gc.isenabled()


@pytest.mark.usefixtures("collecting")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_what_a_submission_leaves_behind_does_not_run_while_the_worker_waits() -> None:
    signal.signal(signal.SIGALRM, lambda *_: None)
    timers = signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF
    profiled = sys.getprofile(), sys.gettrace()
    gc.enable()
    for timer in timers:
        signal.setitimer(timer, 1000)
    gc.callbacks.append(print)
    try:
        sys.setprofile(lambda *_: None)
        remove_hooks()
        assert [signal.getitimer(timer)[0] for timer in timers] == [0, 0, 0]
        assert (gc.callbacks, gc.isenabled(), sys.getprofile(), sys.gettrace()) == ([], False, None, None)
    finally:
        sys.setprofile(profiled[0])
        sys.settrace(profiled[1])


@pytest.mark.usefixtures("collecting")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_a_signal_that_comes_late_runs_no_handler_of_a_submission() -> None:
    """A handler could start its timer again, after the timers are stopped."""
    for number in OF_TIMERS:
        signal.signal(number, lambda *_: None)
    remove_hooks()
    assert [signal.getsignal(number) for number in OF_TIMERS] == [signal.SIG_DFL] * 3
