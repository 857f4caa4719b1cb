"""From one source to everything a student gets, and the proof that nothing else got out.

``solutions/<topic>/`` holds the model submission and the handout's template; ``build`` makes
``assignments/<topic>/`` from them. An instructor's tool: students never need it, nor jupytext.
"""

from autograder.build.generate import build, build_all, solution_notebook
from autograder.build.handout import Group, points_table
from autograder.build.leaks import leaks

__all__ = ["Group", "build", "build_all", "leaks", "points_table", "solution_notebook"]
