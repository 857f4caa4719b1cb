"""Pictures of attention weights in Gradescope and in nbgrader's feedback."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from autograder import model
from autograder.feedback import weights
from autograder.integrations.gradescope_results import results
from autograder.integrations.nbgrader import restored_notebook
from autograder.integrations.nbgrader.cell_scores import CellScore
from tests.integrations.made_grades import grade, outcome

PICTURE = model.WeightPicture("attend<b>", "values", ("B", "T_s"), ((0.2, 0.8),), ((0.5, 0.5),))
GRADE = replace(grade("ana", [outcome("values", "failed", 0.0, 5.0, message="<b>")]), pictures=(PICTURE,))


def test_gradescope_shows_them_below_the_checks_without_a_score() -> None:
    check, picture = results(GRADE).tests
    assert (check.output_format, check.name_format) == ("text", "text")
    assert (picture.output_format, picture.name_format, picture.visibility) == ("html", "text", "visible")
    assert picture.output == weights.table(PICTURE)
    assert "attend" not in picture.output  # a name that a file could forge stands only in a text
    assert (picture.score, picture.max_score, picture.status) == (UNSET, UNSET, UNSET)
    assert results(replace(GRADE, status="missing")).tests == ()


def test_nbgraders_feedback_shows_them_in_the_cell_of_their_check() -> None:
    score = CellScore("cell-1", 2.0, 5.0, "2 of 5 points\n", (PICTURE,))
    cell = {"cell_type": "code", "source": "", "outputs": [], "metadata": {"nbgrader": {"grade_id": "cell-1"}}}
    restored_notebook.fill_outputs({"cells": [cell]}, [score], hidden_titles=True)
    text, picture, number = cell["outputs"]  # type: ignore[misc]
    assert [one["output_type"] for one in (text, picture, number)] == ["stream", "display_data", "execute_result"]
    assert picture["data"] == {"text/html": weights.table(PICTURE), "text/plain": weights.words(PICTURE)}
    assert number["data"] == {"text/plain": "2"}
