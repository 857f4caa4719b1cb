"""Makes ``assignments/`` from ``solutions/``, and searches the result for leaks.

``solutions/<name>/`` holds the solution and the handout's template. Students do not need this package, nor jupytext.
"""

from autograder.instructor.release.generate import build, build_all, solution_notebook
from autograder.instructor.release.handout import PointsRow, points_table
from autograder.instructor.release.leaks import leaks

__all__ = ["PointsRow", "build", "build_all", "leaks", "points_table", "solution_notebook"]
