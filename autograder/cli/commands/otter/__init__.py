"""The assignments in otter-grader and Gradescope."""

from autograder.cli.lazy import LazyGroup

otter_command = LazyGroup("otter", package=__name__, help=__doc__)
