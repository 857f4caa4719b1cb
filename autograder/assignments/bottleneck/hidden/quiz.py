"""Hidden checks of the quiz: one for each question."""

from __future__ import annotations

from autograder import protocol
from autograder.assignments import quizzes
from autograder.assignments.kit.assertions import expect
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import value
from autograder.assignments.kit.programs import ProgramBuilder

NAME, QUIZ = "bottleneck", "quiz_answers"


def asked(builder: ProgramBuilder) -> None:
    """Call quiz_answers. No reference answers: the right letters follow from the token in the file."""
    builder.call("out", QUIZ, free=[protocol.FreeResult("int64", ())])


ANSWERS = case("hidden-quiz", asked)
CHECKS = part(
    QUIZ,
    *(
        value(f"quiz-{number + 1}", 1, f"Question {number + 1} of the quiz")
        .on(ANSWERS)
        .expects(
            expect("chosen", place=number, question=question.text, options=[*question.options], right=answer.right)
        )
        for number, (question, answer) in enumerate(zip(quizzes.questions(NAME), quizzes.key(NAME), strict=True))
    ),
)
