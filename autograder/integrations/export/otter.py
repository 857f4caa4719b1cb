"""``otter``: ``final_grades.csv`` as ``otter grade`` writes it (otter-grader 7.0.0), with a column for each check."""

from autograder import model
from autograder.integrations.export.job import Job, Product, csv_file
from autograder.integrations.export.scores import real, worth

POSSIBLE = "points-per-question"  # otter's name for the row with the points of each question
NO_STATUS = "--"  # otter's text in that row in place of a status
DONE = ("graded", "partial")


def write(job: Job) -> Product:
    """See ``export.write``. Otter writes 0 for a submission that it can't grade. Here the cells stay empty."""
    most: dict[str, float] = {}
    for grade in job.grades:
        for check in grade.checks:
            most[check.id] = max(most.get(check.id, 0.0), check.max_points)
    ids = sorted(most)
    header = ["file", *ids, "total_points_earned", "percent_correct", "grading_status"]
    possible = [POSSIBLE, *(real(most[id]) for id in ids), real(sum(most.values())), "1.0", NO_STATUS]
    rows = [_row(grade, ids, job.missing_as_zero) for grade in job.grades]
    return Product({"": csv_file(header, [possible, *rows], ours=(NO_STATUS,))})


def _row(grade: model.Grade, ids: list[str], missing_as_zero: bool) -> list[str]:
    points = {check.id: check.points for check in grade.checks if check.status != "skipped"}
    value = worth(grade, missing_as_zero)
    if value is None:
        scores = [""] * len(ids)
    elif grade.status in DONE:
        scores = [real(points[id]) if id in points else "" for id in ids]
    else:
        scores = ["0.0"] * len(ids)
    total = "" if value is None else real(value)
    percent = "" if value is None else str(round(value / grade.max_score, 4) if grade.max_score else 0.0)
    status = "Completed" if grade.status in DONE else f"{grade.status}: {grade.message}".rstrip(": ")
    return [grade.student, *scores, total, percent, status]
