"""The sample class, which ``make demo`` grades: each student gets the verdict and cause in expected.json."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from autograder import exam, intake
from autograder.model import TOPICS
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits

CLASS = Path(__file__).parent / "sample_class"
EXPECTED = json.loads((CLASS / "expected.json").read_text(encoding="utf-8"))


def score_class(score, max_score):
    if score is None:
        return None
    return {0: "zero", max_score: "full"}.get(score, "part")


def test_a_class_of_at_least_fifty_in_all_five_topics():
    assert set(EXPECTED) == set(TOPICS)
    assert sum(map(len, EXPECTED.values())) >= 50


@pytest.mark.parametrize("topic", TOPICS)
def test_every_submission_is_declared_and_found(topic):
    assert {entry.student for entry in intake.discover(CLASS / topic, topic)} == set(EXPECTED[topic])


@pytest.mark.parametrize("topic", TOPICS)
def test_every_student_gets_the_declared_verdict_and_cause(topic):
    verdicts, details = {}, {}
    paper = exam.full(topic, "audit", timing=False)  # whose known mistakes the audit plays, too
    with closing(ForkServer(Limits(case_seconds=4.0))) as launcher:
        runner = Runner(paper, launcher)
        for entry in intake.discover(CLASS / topic, topic):
            grade = runner.grade(intake.read(entry, topic))
            told = {one.diagnosis for one in grade.checks if one.points < one.max_points and one.diagnosis}
            verdicts[entry.student] = (grade.status, score_class(grade.score, grade.max_score), told)
            unmet = [f"{one.id}: {one.message}" for one in grade.checks if one.points < one.max_points]
            details[entry.student] = (grade.score, grade.message, unmet[:3])
    due = {
        student: (told["status"], told["score"], {told["diagnosis"]} - {None})
        for student, told in EXPECTED[topic].items()
    }
    wrong = {
        student: {"due": str(due.get(student)), "came": str(came), "details": details[student]}
        for student, came in verdicts.items()
        if came != due.get(student)
    }
    assert not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)
