"""One student's page: for staff, and as feedback."""

from __future__ import annotations

from collections.abc import Sequence

from autograder import model
from autograder.course.marks import RAN
from autograder.feedback.weights import differs
from autograder.model import tokens
from autograder.report.mistakes import mistakes
from autograder.report.web import code
from autograder.report.web.drawing import drawing
from autograder.report.web.gradient_drawing import gradient_drawings
from autograder.report.web.speed_drawing import speed_drawing
from autograder.report.web.templates import environment
from autograder.runs.history import ReplacedGrade


def student_page(
    grade: model.Grade, title: str, *, staff: bool, cells: Sequence[str] = (), earlier: Sequence[ReplacedGrade] = ()
) -> str:
    """Return a self-contained page. ``title`` is the assignment's, ``cells`` the code, ``earlier`` what it replaced.

    Without ``staff``, the grade must be as its student sees it (``feedback.shown.as_seen``): the page hides nothing.
    """
    return (
        environment()
        .get_template("student.html.jinja")
        .render(
            grade=grade,
            title=title,
            staff=staff,
            token=tokens.SAID.get(grade.token, f"Token: {grade.token}." if grade.token else ""),
            ran=grade.status in RAN,
            found=mistakes(grade) if grade.status in RAN else [],
            earlier=earlier,
            weights_wrong=[drawing(picture) for picture in grade.pictures if differs(picture)],
            weights_right=[drawing(picture) for picture in grade.pictures if not differs(picture)],
            gradients_drawn=gradient_drawings(grade.gradients),
            speeds_drawn=[speed_drawing(picture) for picture in grade.speeds],
            code=code.page_cells(cells, [check.message for check in grade.checks if check.visibility == "public"]),
        )
    )
