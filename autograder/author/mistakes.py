"""What authors write ``mistakes.py`` with."""

from autograder.assignments.kit.hidden.mistakes import Mistake, changed, mistake

__all__ = ["Mistake", "changed", "mistake"]
