"""From a folder of submissions to source text: who handed in what, in any layout, never executed."""

from autograder.intake.discovering import discover
from autograder.intake.errors import IntakeError
from autograder.intake.opening import open_path
from autograder.intake.reading import read

__all__ = ["IntakeError", "discover", "open_path", "read"]
