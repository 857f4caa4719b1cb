"""From a folder of submissions, in any layout, to source text. Nothing is executed."""

from autograder.intake.discovering import discover, passed_over, without_outputs
from autograder.intake.errors import IntakeError
from autograder.intake.opening import open_path
from autograder.intake.reading import read
from autograder.intake.unpacking import opened

__all__ = ["IntakeError", "discover", "open_path", "opened", "passed_over", "read", "without_outputs"]
