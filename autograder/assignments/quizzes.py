"""Quizzes: questions with options, one of them right, as an assignment declares them.

T/quiz.toml             [[question]] text and options: students have them
T/hidden/quiz_key.toml  [[answer]] right and feedback, one for each question in its order: for staff only
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from autograder.assignments import places

QUESTIONS, KEY = "quiz.toml", "hidden/quiz_key.toml"


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and its options, in the order of the starter file."""

    text: str
    options: tuple[str, ...]


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The right option of a question, and a sentence of feedback."""

    right: str
    feedback: str


class _Quiz(msgspec.Struct, forbid_unknown_fields=True):
    question: tuple[Question, ...]


class _Key(msgspec.Struct, forbid_unknown_fields=True):
    answer: tuple[Answer, ...]


def has_quiz(assignment: str) -> bool:
    """Return whether an assignment declares a quiz."""
    return (places.folder(assignment) / QUESTIONS).is_file()


def questions(assignment: str) -> tuple[Question, ...]:
    """Return an assignment's questions. Raises OSError, or ValueError for a file that can't be read."""
    return msgspec.convert(_table(assignment, QUESTIONS), _Quiz).question


def key(assignment: str) -> tuple[Answer, ...]:
    """Return the answers to an assignment's questions. Raises OSError, or ValueError for answers that fit no quiz."""
    found = msgspec.convert(_table(assignment, KEY), _Key).answer
    asked = questions(assignment)
    if len(found) != len(asked):
        raise ValueError(f"{assignment}: {len(asked)} questions, and {len(found)} answers; each question needs one")
    for question, answer in zip(asked, found, strict=True):
        if question.options.count(answer.right) != 1:
            raise ValueError(f"{assignment}: the right answer {answer.right!r} is not one of the options; copy it")
    return found


def _table(assignment: str, name: str) -> object:
    path: Path = places.folder(assignment) / name
    return tomllib.loads(path.read_text(encoding="utf-8"))
