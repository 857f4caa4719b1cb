"""Make, build, check and measure a course's own assignments."""

from autograder.cli.lazy import LazyGroup

author_command = LazyGroup("author", package=__name__, help=__doc__)
