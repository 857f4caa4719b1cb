"""Courses for nbgrader, graded by attngrade."""

from autograder.cli.lazy import LazyGroup

nbgrader_command = LazyGroup("nbgrader", package=__name__, help=__doc__)
