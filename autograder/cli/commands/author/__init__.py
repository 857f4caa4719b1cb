"""A course's own assignments: make, build, check and measure them."""

from autograder.cli.lazy import LazyGroup

author_command = LazyGroup("author", package=__name__, help=__doc__)
