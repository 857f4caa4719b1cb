"""What one call costs as its inputs grow: a submission's, the reference's, and in the exercise either mechanism's.

Nothing is graded by it, so what is kept from a student in a race can be given here: the same inputs many times. A
question with one call is taken off the same question with many; what remains is the calls alone, without the sending
and the copying of inputs, which cost more than a dot product does. The clock is a race's: the CPU time of the worker,
as the kernel counts it, and for CUDA the time until the answer has come from the device.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from autograder import cases, forms, model, race, timing
from autograder.dialogue import Dialogue
from autograder.exam import Exam
from autograder.gpu import GPU
from autograder.sandbox.launch import Launcher
from autograder.sandbox.standing import SandboxError
from autograder.specs import speed
from autograder.transcript import Failure, import_trouble

Who = Literal["student", "reference"]
SEED = "attngrade bench"
ENOUGH = 0.01  # seconds of calls in a question: many times what a question costs more or less by chance
FEWEST_TIMES, MOST_TIMES = 4, 2048  # calls in a question
LEAST = 1e-7  # seconds; a call that seems to cost less is lost in noise
REPEATED = "attngrade_repeated"
REPEATER = f'''

def {REPEATED}(function, times, *args, **kwargs):
    """Added by attngrade bench: the same call several times; gives the last result."""
    function = globals()[function] if isinstance(function, str) else function
    for _ in range(times - 1):
        function(*args, **kwargs)
    return function(*args, **kwargs)
'''


ON: dict[model.Device, str] = {"cpu": "", "cuda": ", on CUDA"}  # as a title says it


class Unmeasurable(Exception):
    """There is nothing to measure: the message says why, for a user to read."""


class Line(msgspec.Struct, frozen=True):
    """What a call costs one of them: by size the median, in milliseconds (of CPU time, or of time on CUDA), and
    between which it lies; and the exponent k where it grows as size^k."""

    topic: str
    call: str
    who: Who
    device: str
    costs: dict[int, timing.Interval]
    exponent: float


class Panel(msgspec.Struct, frozen=True):
    """Lines over the same sizes. ``axis``: what the size counts, in words."""

    title: str
    axis: str
    lines: tuple[Line, ...]


class Found(msgspec.Struct, frozen=True):
    """What a bench came to. ``wrong``: by call, why the student's is not among the lines."""

    panels: tuple[Panel, ...]
    wrong: dict[str, race.Wrong]
    references: bool  # whether they are installed
    rounds: int


def together(found: Sequence[Found]) -> Found:
    """What was found on several devices."""
    panels = tuple(panel for one in found for panel in one.panels)
    wrong = {name: why for one in found for name, why in one.wrong.items()}
    return Found(panels, wrong, found[0].references, found[0].rounds)


class Plan(msgspec.Struct, frozen=True):
    """One panel before it is measured: calls, each with its topic, and the sizes of all."""

    title: str
    calls: tuple[tuple[str, model.Timed], ...]
    sizes: tuple[int, ...]


def plans(topic: str) -> tuple[Plan, ...]:
    """What is measured for a topic: the exercise where it is about one of its two mechanisms, else its timed calls. Of
    a call that is graded at one size, two smaller ones are measured too, or there would be nothing to see grow."""
    if topic in speed.MECHANISMS:
        title = f"One query over T source positions (d = {speed.D})"
        return (Plan(title, tuple(speed.MECHANISMS.items()), speed.LENGTHS),)
    return tuple(
        Plan(_title(topic, timed), ((topic, timed),), timed.sizes or (timed.at // 4, timed.at // 2, timed.at))
        for timed in speed.CALLS[topic]
    )  # fmt: skip


def _title(topic: str, timed: model.Timed) -> str:
    """What is called, by the name that students know, and what grows."""
    program = timed.build(cases.Draw(SEED, topic, timed.name), timed.at, 1)
    name = program.calls[0].name
    made = program.named.get(name)
    return f"{made.name if isinstance(made, model.Make) else name} by {timed.axis}"


class Entrant:
    """One line in the making: who answers, and what the calls cost, in seconds by size."""

    def __init__(self, who: Who, dialogue: Dialogue) -> None:
        self.who = who
        self.dialogue = dialogue
        self.times: dict[int, int] = {}  # calls in a question, by size
        self.costs: dict[int, list[float]] = {}

    def measure(self, size: int, program: model.Program, due: model.Answer | None) -> model.Answer:
        """Notes what a call of ``program`` costs; its answer is held to ``due``, or to nothing but having come. Raises
        race.Wrong, and SandboxError where the kernel does not tell."""
        answer, once = self._ask(program, program, due)
        times = self.times.get(size, FEWEST_TIMES)
        while True:
            _, cost = self._ask(program, repeated(program, times), answer)
            if cost - once >= ENOUGH or times >= MOST_TIMES:
                break
            times *= 2
        self.times[size] = times
        self.costs.setdefault(size, []).append(max((cost - once) / (times - 1), LEAST))
        return answer

    def _ask(
        self, program: model.Program, asked: model.Program, due: model.Answer | None
    ) -> tuple[model.Answer, float]:
        came, cost = self.dialogue.costing(asked, msgspec.msgpack.encode(asked))
        race.hold(program, came, due or _without_errors(came), race.right(program))
        assert isinstance(came, model.Answer)  # race.hold raises for any other
        return came, cost


def _without_errors(came: model.Answer | Failure) -> model.Answer:
    """What is due where nobody knows: that nothing is raised."""
    seen = () if isinstance(came, Failure) else came.seen
    return model.Answer("", tuple(msgspec.structs.replace(one, raised=None) for one in seen))


def repeated(program: model.Program, times: int) -> model.Program:
    """The same question with each call made so many times on the same inputs."""

    def many(call: model.Call) -> model.Call:
        made = isinstance(program.named.get(call.name), model.Make)
        function: Any = model.Ref(call.name) if made else call.name
        return msgspec.structs.replace(call, name=REPEATED, args=[function, times, *call.args])

    steps = tuple(many(step) if isinstance(step, model.Call) else step for step in program.steps)
    return msgspec.structs.replace(program, steps=steps)


class Contest:
    """One call and those who answer it, the reference first."""

    def __init__(self, topic: str, timed: model.Timed, device: model.Device) -> None:
        self.topic, self.timed, self.device = topic, timed, device
        self.entrants: list[Entrant] = []
        self.wrong: race.Wrong | None = None  # what the student's was
        self.drawn = itertools.count()

    def measure(self, size: int) -> None:
        """Once each, on the same new inputs. A student's that is not right is in no line. Raises SandboxError."""
        draw = cases.Draw(SEED, self.topic, f"{self.timed.name}-{size}", next(self.drawn))
        program, due = self.timed.build(draw, size, 1).on(self.device), None
        for entrant in tuple(self.entrants):
            try:
                due = entrant.measure(size, program, due)
            except race.Wrong as wrong:
                if entrant.who == "reference":
                    raise SandboxError(f"the reference could not be measured: {wrong}") from wrong
                self.wrong = wrong
                self.entrants.remove(entrant)

    def lines(self) -> Iterator[Line]:
        """What was found, in milliseconds."""
        for entrant in self.entrants:
            costs = {
                size: timing.median_interval([1000 * cost for cost in costs])
                for size, costs in entrant.costs.items()
            }
            exponent = timing.growth({size: cost.middle for size, cost in costs.items()})
            yield Line(self.topic, self.timed.name, entrant.who, self.device, costs, exponent)


class Bench:
    """Measures one topic's calls, with workers of one launcher."""

    def __init__(
        self,
        topic: str,
        work: model.Submission | None,
        launcher: Launcher,
        device: model.Device = "cpu",
    ) -> None:
        """``work``: the student's; None: the references only. Raises Unmeasurable."""
        self.topic, self.work, self.launcher, self.device = topic, work, launcher, device
        trouble = GPU(no_exam(topic), launcher).trouble if device == "cuda" else ""
        if trouble:
            raise Unmeasurable(trouble)
        self.references = True
        try:
            forms.reference_form(topic)
        except forms.NotInstalled:
            self.references = False
            if work is None:
                raise Unmeasurable(
                    "there are no references in this installation; name your own file: attngrade bench "
                    f"{topic} PATH"
                ) from None

    def run(self, rounds: int, advance: Callable[[str, int, int], None]) -> Found:
        """Measures everything. ``advance`` is told, after each step: the panel, how many of its steps are done, and of
        how many. Raises Unmeasurable where the student's file does not run, SandboxError where nothing can be
        measured."""
        panels: list[Panel] = []
        wrong: dict[str, race.Wrong] = {}
        for plan in plans(self.topic):
            with contextlib.ExitStack() as workers:
                contests = [self._contest(topic, timed, workers) for topic, timed in plan.calls]
                steps = [(size, contest) for size in plan.sizes for contest in contests] * rounds
                for done, (size, contest) in enumerate(steps, 1):
                    contest.measure(size)
                    advance(plan.title, done, len(steps))
            lines = tuple(itertools.chain.from_iterable(contest.lines() for contest in contests))
            wrong |= {contest.timed.name: contest.wrong for contest in contests if contest.wrong}
            if lines:
                panels.append(Panel(plan.title + ON[self.device], plan.calls[0][1].axis, lines))
        return Found(tuple(panels), wrong, self.references, rounds)

    def _contest(self, topic: str, timed: model.Timed, workers: contextlib.ExitStack) -> Contest:
        contest = Contest(topic, timed, self.device)
        entering: Iterable[tuple[Who, model.Submission | None]] = (
            ("reference", forms.reference_form(topic) if self.references else None),
            ("student", self.work if topic == self.topic else None),
        )
        for who, work in entering:
            if work is None:
                continue
            dialogue = Dialogue(no_exam(topic), self.launcher, _with_repeater(work), seconds=math.inf)
            workers.callback(dialogue.end)
            trouble = import_trouble(dialogue.begin())
            if trouble:
                raise Unmeasurable(trouble)
            contest.entrants.append(Entrant(who, dialogue))
        return contest


def no_exam(topic: str) -> Exam:
    """A dialogue needs one for its topic; here nothing is graded."""
    return Exam(model.Spec(topic, "", ()), {}, lambda _: ())


def _with_repeater(work: model.Submission) -> model.Submission:
    """With the function that repeats a call: in a notebook a cell more, in a script at its end."""
    text = REPEATER.encode()
    cells = (*work.cells, text) if work.kind == "notebook" else (b"".join((*work.cells, text)),)
    return msgspec.structs.replace(work, cells=cells)
