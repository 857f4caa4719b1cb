"""The page of a class: how it did, what it got wrong, and a table of all students."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from autograder.model.numbers import short
from autograder.report.summary import status_counts
from autograder.report.web import code, statistics
from autograder.report.web.class_facts import ALL_PASS, ClassFacts, OfCause, Row
from autograder.report.web.code import CodeLine
from autograder.report.web.templates import environment
from autograder.runs.alike import Alike

BINS = 20
LEFT, WIDTH, BASE, HEIGHT = 20.0, 600.0, 160.0, 130.0  # of the chart, in its units
LEVELS = 5  # of colour in the table
LONGEST_EXAMPLE = 25  # lines
TRIED = 5  # students whose code may be the example
Code = Callable[[str], Sequence[str]]  # the cells of a student's submission


class Bin(NamedTuple):
    """A bar of the histogram, in the units of the chart."""

    label: str
    students: int
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Where its number stands."""
        return round(self.x + self.width / 2, 1)


class Tick(NamedTuple):
    """A number below the chart."""

    x: float
    label: str


class Words(NamedTuple):
    """What a cause is called and what leads to it. ``say`` is what to say in class, for staff. Only it may be empty."""

    sentence: str
    hint: str
    say: str = ""


class CauseCard(NamedTuple):
    """A cause with its words. ``share`` of the class has the cause."""

    cause: OfCause
    words: Words
    share: float
    example: list[CodeLine]


def class_page(
    facts: ClassFacts,
    title: str,
    made: Sequence[tuple[str, str]],
    code_of: Code,
    alike: Sequence[Alike],
    words: Callable[[str], Words],
) -> Iterator[str]:
    """Yield the page in pieces. ``made`` says how the marks were made, as pairs of a name and a text.

    ``alike`` are submissions with the same rare wrong answers. ``words`` returns those of a cause.
    """
    summary = statistics.summary(facts.scores)
    most = facts.max_score or 1.0
    return (
        environment()
        .get_template("class.html.jinja")
        .generate(
            facts=facts,
            title=title,
            counts=status_counts(Counter(row.status for row in facts.rows)),
            late=sum(row.late > 0 for row in facts.rows),
            summary=summary,
            bins=_bins(facts.scores, most),
            ticks=[Tick(_at(share / 4, 1), short(most * share / 4)) for share in range(5)],
            median_at=_at(summary.median, most) if summary else 0,
            causes=[_card(cause, words(cause.name), len(facts.rows), code_of) for cause in facts.by_cause],
            of_parts=facts.of_parts(),
            flags=facts.flags(),
            all_pass=ALL_PASS,
            statuses=sorted({mark for row in facts.rows for mark in _marks(row)}),
            sections=sorted({row.section for row in facts.rows if row.section}),
            made=made,
            alike=alike,
            rows={row.student: row for row in facts.rows},
            level=_level,
            lost_in=_lost_in,
            marks_of=lambda row: " ".join(_marks(row)),
            percent=lambda share: f"{100 * share:.0f} %",
        )
    )


def _at(value: float, most: float) -> float:
    """Return where a score stands in the chart."""
    return round(LEFT + WIDTH * min(max(value / most, 0.0), 1.0), 1)


def _bins(scores: Sequence[float], most: float) -> list[Bin]:
    counts = statistics.histogram(scores, most, BINS)
    highest, width = max((*counts, 1)), WIDTH / BINS
    bars = []
    for place, count in enumerate(counts):
        label = f"{short(most * place / BINS)} to {short(most * (place + 1) / BINS)}"
        height = round(HEIGHT * count / highest, 1)
        x = round(LEFT + place * width + 1, 1)
        bars.append(Bin(label, count, x, round(BASE - height, 1), round(width - 2, 1), height))
    return bars


def _card(cause: OfCause, words: Words, students: int, code_of: Code) -> CauseCard:
    return CauseCard(cause, words, len(cause.students) / students, _example(cause, code_of))


def _example(cause: OfCause, code_of: Code) -> list[CodeLine]:
    """Return the shortest of some students' code for the part in which most have this cause.

    The lines that messages about it quote are marked.
    """
    [(part, _)] = cause.parts.most_common(1)
    texts = ((code.excerpt(code_of(row.student), part), row.student) for row in cause.students[:TRIED])
    found, student = min(((text, name) for text, name in texts if text), key=lambda one: len(one[0]), default=("", ""))
    if not found or found.count("\n") >= LONGEST_EXAMPLE:
        return []
    return code.lines(found, code.quoted_in_excerpt(found, cause.messages.get(student, ())))


def _level(cell: tuple[float, float]) -> int:
    """Return the colour of a share of points: the last only for all of them."""
    had, most = cell
    return LEVELS - 1 if had >= most else min(int(had / most * (LEVELS - 1)), LEVELS - 2)


def _lost_in(row: Row) -> str:
    return " ".join(name for name, (had, most) in row.shares.items() if had < most)


def _marks(row: Row) -> list[str]:
    marks = {"late": row.late > 0, "excused": row.excused, "look-again": row.needs_look}
    return [row.status, *(name for name, holds in marks.items() if holds)]
