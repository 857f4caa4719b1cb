"""How long the grader waits: what a worker did between two looks, as the kernel tells it."""

from __future__ import annotations

import pytest

from autograder.grading import patience
from autograder.grading.patience import LOOK_SECONDS, Allowance, Patience
from autograder.protocol import wire
from autograder.sandbox.clock import Waiting


class Invented:
    """A worker, its kernel and the clock on the wall. What it does is told as seconds of each kind."""

    def __init__(self) -> None:
        self.now = self.cpu = self.waited = 0.0
        self.state = "R"
        self.known = True
        self.reads = 0

    def monotonic(self) -> float:
        return self.now

    def cpu_now(self) -> float | None:
        return self.cpu if self.known else None

    def waiting(self) -> Waiting | None:
        self.reads += 1
        return Waiting(self.waited, self.state) if self.known else None

    def does(self, wait: Patience, seconds: float, state: str = "R", cpu: float = 1.0, waited: float = 0.0) -> bool:
        """Go on for so many seconds, look by look. ``cpu`` and ``waited`` are shares. Return whether a limit is met."""
        self.state, end = state, self.now + seconds
        while self.now < end - 1e-9:
            step = wait.remaining()
            if not step:
                return True
            step = min(step, end - self.now)
            self.now, self.cpu, self.waited = self.now + step, self.cpu + cpu * step, self.waited + waited * step
        return not wait.remaining()

    def sleeps(self, wait: Patience, seconds: float) -> bool:
        return self.does(wait, seconds, "S", cpu=0.0)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Invented:
    made = Invented()
    monkeypatch.setattr(patience, "time", made)
    monkeypatch.setattr(wire, "time", made)
    return made


def test_a_quick_answer_costs_no_look(worker: Invented) -> None:
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.does(wait, 0.9 * LOOK_SECONDS)
    wait.finish()
    assert worker.reads == 0
    assert wait.allowance.used.cpu == pytest.approx(0.9 * LOOK_SECONDS)


def test_a_grader_that_loses_its_processor_between_two_readings_of_the_clock_ends_nobody(
    worker: Invented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every reading of the clock is a second later than the one before it."""

    def slow() -> float:
        worker.now += 1.0
        worker.waited += 1.0  # the worker has no processor either
        return worker.now

    wait = Patience(worker, 6.0, Allowance(60.0))
    monkeypatch.setattr(worker, "monotonic", slow)
    assert all(wait.remaining() for _ in range(50))
    assert not wait.over


def test_who_computes_is_late_after_its_cpu_seconds(worker: Invented) -> None:
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.does(wait, 5.9)
    assert worker.does(wait, 0.2)
    assert wait.late == "cpu"
    assert wait.no_answer().facts["why"] == "it did not finish in 6 s of processor time"


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_who_has_no_processor_is_not_late(worker: Invented, share: float) -> None:
    """However little of a processor it gets: it could run."""
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.does(wait, 5.9 / share, cpu=share, waited=1 - share)
    assert wait.allowance.used.idle == pytest.approx(0, abs=1e-6)
    assert worker.does(wait, 0.2 / share, cpu=share, waited=1 - share)
    assert wait.late == "cpu"


def test_the_kernel_tells_of_waiting_afterwards_and_it_does_not_count(worker: Invented) -> None:
    """A process in the queue uses nothing, and its waiting is added when it runs again."""
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.does(wait, 20.0, "R", cpu=0.0)
    worker.waited = 20.0
    assert not worker.does(wait, 1.0)
    assert wait.allowance.used.idle == pytest.approx(0, abs=1e-6)


def test_who_sleeps_is_late_after_five_seconds(worker: Invented) -> None:
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.sleeps(wait, 4.9)
    assert worker.sleeps(wait, 0.2)
    assert wait.no_answer().symptom == "did-nothing"
    assert wait.no_answer().facts["why"] == "it did nothing for 5 s"


def test_a_short_limit_shortens_the_sleep_too(worker: Invented) -> None:
    assert worker.sleeps(Patience(worker, 1.0, Allowance(60.0)), 1.1)


def test_who_works_now_and_then_is_not_stalled_but_its_sleep_adds_up(worker: Invented) -> None:
    allowance = Allowance(60.0)
    for _ in range(6):
        wait = Patience(worker, 6.0, allowance)
        assert not worker.sleeps(wait, 4.9)
        assert not worker.does(wait, 0.1)
        wait.finish()
    wait = Patience(worker, 6.0, allowance)
    assert worker.sleeps(wait, 1.0)
    assert (wait.late, allowance.late) == ("", "still")


def test_spinning_when_the_grader_looks_hides_no_sleep(worker: Invented) -> None:
    """A hundredth of a processor, always seen as running."""
    allowance = Allowance(60.0)
    assert worker.does(Patience(worker, 60.0, allowance), 31.0, "R", cpu=0.01)
    assert allowance.late == "still"


def test_who_waits_for_a_disk_does_not_sleep_but_has_ten_times_its_limit(worker: Invented) -> None:
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.does(wait, 59.0, "D", cpu=0.0)
    assert worker.does(wait, 2.0, "D", cpu=0.0)
    assert wait.no_answer().facts == {"seconds": 60.0, "why": "it did not finish in 60 s"}


def test_all_calls_together_have_a_limit(worker: Invented) -> None:
    allowance = Allowance(60.0)
    for _ in range(11):
        wait = Patience(worker, 6.0, allowance)
        over = worker.does(wait, 5.5)
        wait.finish()
    assert over
    assert allowance.late == "cpu"
    assert allowance.used.cpu == pytest.approx(60)


def test_a_grader_that_was_suspended_sees_no_sleep(worker: Invented) -> None:
    """The whole container was: an hour is no more than one look."""
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert not worker.sleeps(wait, 1.0)
    worker.now += 3600
    assert not worker.sleeps(wait, 1.0)


def test_without_the_kernels_figures_the_wall_clock_counts(worker: Invented) -> None:
    worker.known = False
    wait = Patience(worker, 6.0, Allowance(60.0))
    assert wait.remaining() == 6.0
    assert worker.sleeps(wait, 6.1)
    assert wait.no_answer().facts["why"] == "it did not finish in 6 s"
