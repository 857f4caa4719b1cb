"""How much a submission that knows hidden inputs can tell a student, in bits: counted from the grader's own lists.

A student sees of a check: its status, its message, its cause, whether points were given back, and the hint, which
follows from the cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from autograder import model
from autograder.assignments.kit.programs import InputGenerator
from autograder.feedback import closed
from autograder.feedback.causes import CAUSES
from autograder.feedback.templates import SPEED, SYMPTOMS
from autograder.grading.suite import CheckSuite

ENDINGS = 4 * 2  # failed, error, timeout, blocked; each with points given back or without
TIMED = {"too-slow", "grows-too-fast", "timed-too-long", "timed-idle"}  # no other check says these
ASKED = [template.general for symptom, template in SYMPTOMS.items() if symptom not in TIMED]
MEASURED = [*SPEED.values(), *(template.general for template in SYMPTOMS.values())]


def bits(suite: CheckSuite) -> int:
    """Return the bits that the checks of one submission can carry, rounded up."""
    return math.ceil(sum(math.log2(outcomes(check, suite)) for check in suite.spec.checks))


def outcomes(check: model.Check, suite: CheckSuite) -> int:
    """Return how many different outcomes a submission that knows the hidden inputs can choose from."""
    return 1 + ENDINGS * (len(CAUSES) + 1) * texts(check, suite)


def texts(check: model.Check, suite: CheckSuite) -> int:
    """Return how many different messages it can choose from, without their causes.

    The answers to a public check's shipped inputs are given before any hidden input is known. What is left to choose
    is whether the redrawn ones fail, and they have one message.
    """
    if check.kind == "timing":
        return sum(_count(MEASURED, _asked(call, suite)) for call in check.timed)
    if check.visibility == "public":
        return 1
    return sum(_count(ASKED, suite.prepared[case.id]) for case in check.cases)


def _count(templates: Iterable[str], prepared: model.Prepared) -> int:
    return sum(closed.count(template, prepared) for template in templates)


def _asked(call: model.TimedCall, suite: CheckSuite) -> model.Prepared:
    generator = InputGenerator(suite.seed, suite.spec.assignment, call.name)
    return model.Prepared(call.name, call.build(generator, call.at, 1), ())
