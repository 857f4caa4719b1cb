"""The progress of a run: pace, lines, bar and events."""

from __future__ import annotations

import io
import json

import msgspec
import pytest
from rich.console import Console

from autograder import model
from autograder.report import progress
from autograder.report.progress import EVERY, RECENT, Bar, Events, Pace, Watch


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


PLAIN = model.Grade("ana", "luong", 50.0, 100.0, "graded", (), {}, 1.0)


def grade(student: str, seconds: float, status: str = "graded") -> model.Grade:
    return msgspec.structs.replace(PLAIN, student=student, seconds=seconds, status=status)


def test_rate_time_left_counts_and_the_slowest() -> None:
    clock = Clock()
    pace = Pace(10, clock)
    assert (pace.rate, pace.left) == (None, None)
    pace.add(grade("known", 99.0), "before")
    assert pace.rate is None  # what the journal had says nothing of how fast it goes
    for student, seconds in (("ana", 3.0), ("bo", 7.5)):
        clock.now += 2
        pace.add(grade(student, seconds), "graded")
    pace.add(grade("chen", 0.0, "missing"), "graded")
    assert pace.rate == pytest.approx(0.75)
    assert pace.left == pytest.approx(8)
    assert pace.sentence() == "0.75 a second, 0:08 left; 3 graded, 1 missing; slowest: bo, 7.5 s"
    assert pace.facts() == {
        "done": 4,
        "of": 10,
        "per_second": 0.75,
        "seconds_left": 8.0,
        "statuses": {"graded": 3, "missing": 1},
        "slowest": {"student": "bo", "seconds": 7.5},
    }


def test_the_rate_is_that_of_late() -> None:
    clock = Clock()
    pace = Pace(10_000, clock)
    for seconds in (10.0, 0.5):
        for _ in range(RECENT + 1):
            clock.now += seconds
            pace.add(PLAIN, "graded")
    assert pace.rate == pytest.approx(2)


@pytest.mark.parametrize(("seconds", "expected"), [(0.4, "0:00"), (61, "1:01"), (3723, "1:02:03")])
def test_a_time_in_figures(seconds: float, expected: str) -> None:
    assert progress._clock(seconds) == expected


@pytest.mark.parametrize("kind", [Watch, Events])
def test_without_a_terminal_there_is_a_line_now_and_then(kind: type[Watch], capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    watch = kind(None, Pace(100, clock))
    for _ in range(20):
        clock.now += EVERY / 4
        watch.advance(PLAIN, "graded")
    lines = capsys.readouterr().err.splitlines()
    if kind is Watch:
        assert len(lines) == 5
        assert lines[0].startswith("4 of 100: 0.8 a second, 2:00 left; 4 graded; slowest: ana")
    else:
        events = [json.loads(line) for line in lines]
        assert [event["event"] for event in events].count("graded") == 20
        assert [event["done"] for event in events if event["event"] == "progress"] == [4, 8, 12, 16, 20]


def test_the_bar_tells_the_same_and_students_steer_no_terminal() -> None:
    clock = Clock()
    text = io.StringIO()
    bar = Bar(Console(file=text, force_terminal=True, width=150, highlight=False), Pace(2, clock))
    bar.event("started", submissions=2, assignment="luong", jobs=1)
    for student in ("[red]a[/red]", "b\x1b[31m"):
        clock.now += 2
        bar.advance(grade(student, 2.0 + len(student)), "graded")
    bar.end()
    shown = text.getvalue()
    assert "1/2" in shown
    assert "0.5 a second, 0:02 left; 1 graded; slowest: [red]a[/red], 14.0 s" in shown
    assert "\x1b[31mb" not in shown
    assert "Grading 2 submissions of luong, 1 at a time" in shown


def test_no_thread_draws() -> None:
    """Grading processes are forked from this process, which must have one thread then."""
    import threading

    before = threading.active_count()
    bar = Bar(Console(file=io.StringIO(), force_terminal=True), Pace(2, Clock()))
    bar.advance(PLAIN, "graded")
    assert threading.active_count() == before
    bar.end()
