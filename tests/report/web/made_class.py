"""A class of any size whose grades are made by hand, in a run folder."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

from autograder import model
from autograder.course.lateness import LateRule
from autograder.course.marks import Rules
from autograder.report.web import write_report
from autograder.runs import people, student_code
from autograder.runs.pool import RunPlan
from autograder.runs.run_folder import RunFolder
from autograder.sandbox.limits import Limits
from tests.paths import ROOT

CODE = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_bytes()
PARTS = ("stable_softmax", "softmax_vjp", "BahdanauAttention")
CAUSES = ("softmax-wrong-axis", "vjp-missing-mean", "wrong-activation")
EACH = 13  # checks of a part
SPEED = "It takes 1.4 times the reference's CPU time for 1000 source positions."
STATUSES: tuple[model.GradeStatus, ...] = ("missing", "import-error", "unreadable")


def checks(wrong: frozenset[str]) -> Iterator[model.Outcome]:
    """Yield the outcomes of a work that is wrong in some parts: the first check of each is charged."""
    for part, cause in zip(PARTS, CAUSES, strict=True):
        for number in range(EACH):
            fails = part in wrong and number < EACH // 2
            yield model.Outcome(
                f"{part.lower()}-{number}",
                f"Check {number} of {part}",
                "value",
                "hidden" if number % 2 else "public",
                "failed" if fails else "passed",
                0.0 if fails and not number else 100 / len(PARTS) / EACH,
                100 / len(PARTS) / EACH,
                f"weights has wrong values (line {40 + number}: return weights)." if fails else "",
                cause if fails else None,
                "Compare each line with the formula." if fails else "",
                part,
                f"{part.lower()}-0" if fails and number else None,
            )


def grade(student: str, chance: random.Random) -> model.Grade:
    """Return a student's grade: mistakes as they come, and now and then nothing."""
    if chance.random() < 0.06:
        return model.Grade(student, "bahdanau", 0.0, 100.0, chance.choice(STATUSES), (), {}, message="found notes.txt")
    made = tuple(checks(frozenset(part for part in PARTS if chance.random() < 0.3)))
    points = round(sum(check.points for check in made), 6)
    right = points > 99
    return model.Grade(
        student,
        "bahdanau",
        points,
        100.0,
        "graded",
        (*made, model.Outcome("speed", "Speed", "timing", "public", "passed", 0.0, 0.0, SPEED, part=PARTS[2])),
        {"python": "3.12", "torch": "2.13.0"},
        pictures=tuple(weights(part, right or not number) for number, part in enumerate(PARTS) if part != PARTS[1]),
        gradients=(gradients(right),),
        speeds=(speed("source positions", True), speed("sentences", False)),
    )


def weights(part: str, right: bool) -> model.WeightPicture:
    """Return weights beside the expected ones."""
    expected = ((0.2, 0.8, 0.0), (0.1, 0.2, 0.7))
    return model.WeightPicture(part, "values", ("B", "T_s"), expected if right else expected[::-1], expected)


def gradients(right: bool) -> model.GradientPicture:
    """Return gradients beside the expected ones: of each kind one, or all of them right."""
    rows = (
        model.GradientRow("decoder_state", "right", 1.25, 1.25, 0.0),
        model.GradientRow("encoder_states", "wrong", 0.5, 2.0, 0.81),
        model.GradientRow("attention.W_s.weight", "missing", None, 1.5),
        model.GradientRow("attention.W_h.weight", "not-finite", None, 0.75),
        model.GradientRow("attention.v.weight", "wrong", 4e9, 0.002, 2e12),
    )
    return model.GradientPicture(PARTS[2], "gradients", rows[:1] if right else rows)


def speed(axis: str, said: bool) -> model.SpeedPicture:
    """Return what a check of speed measured."""
    costs = tuple(model.SizeCost(size, 0.02 + size / 900, 0.03 + size / 2000) for size in (10, 50, 100, 500, 1000))
    return model.SpeedPicture(PARTS[2], "speed", axis, 1000, "ratio", "within", 1.4, 1.4, 5.0, said, costs)


def write_class(out: Path, students: int, *, names: bool = True) -> Path:
    """Write the folder of a run and return the page of the class."""
    chance = random.Random(students)
    with contextlib.closing(RunFolder(out, "bahdanau", resume=False)) as folder:
        folder.remember(out, "auto", RunPlan("bahdanau", "", Limits()))
        ids = [f"s{number:04}" for number in range(students)]
        known = {id: model.Identity(f"Name {id[::-1]}", f"{id}@x.edu", f"CS {int(id[1:]) % 3}") for id in ids}
        folder.identify(ids, known if names else {})
        folder.set_rules(Rules(LateRule(deadline="2026-02-01T23:59Z", percent_per_day=10)))
        for id in ids:
            at = "2026-02-02T10:00:00Z" if chance.random() < 0.1 else "2026-02-01T10:00:00Z"
            text = CODE.replace(b"weights", f"weights_{id}".encode())  # no two alike
            work = model.Submission(
                id, "ready", cells=(text,), path="bahdanau.py", sha256=id, handed_in=model.HandedIn(at)
            )
            people.note_work(folder.journal, work)
            student_code.keep(folder.journal, work)
            folder.save(grade(id, chance), f"work of {id}", "run")
        folder.finish(write_report)
    return out / "report" / "index.html"
